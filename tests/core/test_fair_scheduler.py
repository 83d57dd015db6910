"""No account and no host waits for others, however many of them do not respond."""

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from app.core import fair_scheduler
from app.core.fair_scheduler import (
    MAX_ATTEMPTS_PER_HOST,
    MAX_ATTEMPTS_PER_ROUND,
    MAX_BACKOFF_SECONDS,
    MAX_CONCURRENT_ATTEMPTS,
    QUICK_SECONDS,
    Channel,
    FairScheduler,
    Host,
)
from app.delivery.sender import DEADLINE_SECONDS

SUCCESS = {"has_succeeded": True, "is_unavailable": False}
REJECTED = {"has_succeeded": False, "is_unavailable": False}
SILENT = {"has_succeeded": False, "is_unavailable": True}
BAD_HOSTS = 60

Chosen = list[tuple[Host, Channel]]

_ids = itertools.count(1)


def make_channel(account: int = 1, host: str = "hooks.example.com") -> Channel:
    """Return a channel of its own that sends to a host."""
    number = next(_ids)
    return Channel(number, account, f"https://{host}/{number}")


def silent_account(account: int, hosts: int = BAD_HOSTS) -> list[Channel]:
    return [
        make_channel(account, f"host{number}.account{account}.example") for number in range(hosts)
    ]


def choose_all(scheduler: FairScheduler, now: float = 0.0) -> Chosen:
    """Return all attempts that can begin at a moment."""
    chosen: Chosen = []
    while some := scheduler.choose(now):
        assert len(some) <= MAX_ATTEMPTS_PER_ROUND
        chosen += some
    return chosen


def accounts_of(chosen: Chosen) -> Counter[int]:
    return Counter(channel.account_id for _, channel in chosen)


def end_all(
    scheduler: FairScheduler,
    chosen: Chosen,
    result: dict[str, bool] = SUCCESS,
    seconds: float = 0.01,
    now: float = 0.0,
) -> None:
    for host, _ in chosen:
        scheduler.record_result(host, **result, seconds=seconds, now=now)


def succeed(scheduler: FairScheduler, sent: Channel) -> None:
    """Let an attempt for a channel succeed, which then has none due."""
    scheduler.add_channels([sent], 0.0)
    ((host, _),) = choose_all(scheduler)
    scheduler.record_result(host, **SUCCESS, seconds=0.01, now=0.0)
    for host, _ in choose_all(scheduler):
        scheduler.release_unused(host, sent, 0.0)


@pytest.mark.parametrize(
    ("bad", "hosts"), [(1, BAD_HOSTS), (50, BAD_HOSTS), (200, BAD_HOSTS), (600, 1)]
)
def test_a_new_account_finds_a_slot_beside_any_number_of_silent_hosts(bad: int, hosts: int) -> None:
    scheduler = FairScheduler()
    silent = [channel for account in range(bad) for channel in silent_account(account, hosts)]
    scheduler.add_channels(silent, 0.0)
    assert len(choose_all(scheduler)) < MAX_CONCURRENT_ATTEMPTS
    healthy = make_channel(account=bad)
    scheduler.add_channels([*silent, healthy], 1.0)
    assert healthy in [channel for _, channel in choose_all(scheduler, 1.0)]


def test_a_host_known_to_be_quick_finds_a_slot_beside_a_thousand_accounts() -> None:
    scheduler = FairScheduler()
    healthy = make_channel(account=0)
    succeed(scheduler, healthy)
    bad = [channel for account in range(1, 1_000) for channel in silent_account(account, 3)]
    scheduler.add_channels(bad, 0.0)
    choose_all(scheduler)
    scheduler.add_channels([*bad, healthy], 0.0)
    # Two at a time by now.
    assert [channel for _, channel in choose_all(scheduler)] == [healthy, healthy]


def test_a_responsive_host_gets_a_slot_beside_silent_ones_of_its_account() -> None:
    scheduler = FairScheduler()
    healthy = make_channel()
    succeed(scheduler, healthy)
    silent = silent_account(1, 1_000)
    scheduler.add_channels(silent, 0.0)
    choose_all(scheduler)
    scheduler.add_channels([*silent, healthy], 0.0)
    assert [channel for _, channel in choose_all(scheduler)] == [healthy, healthy]


def test_accounts_get_equally_many_slots_however_much_they_send() -> None:
    scheduler = FairScheduler()
    many, few = silent_account(1, 500), silent_account(2, 100)
    scheduler.add_channels([*many, *few], 0.0)
    taken = accounts_of(choose_all(scheduler))
    assert abs(taken[1] - taken[2]) <= 1
    assert sum(taken.values()) > MAX_CONCURRENT_ATTEMPTS / 8


def test_a_host_gets_one_attempt_until_one_has_succeeded_then_more() -> None:
    scheduler, channel = FairScheduler(), make_channel()
    scheduler.add_channels([channel], 0.0)
    counts = []
    for _ in range(MAX_ATTEMPTS_PER_HOST + 2):
        chosen = choose_all(scheduler)
        counts.append(len(chosen))
        end_all(scheduler, chosen)
    assert counts[:3] == [1, 2, 4]
    assert counts[-1] == max(counts) == MAX_ATTEMPTS_PER_HOST


def test_other_urls_of_a_host_are_the_same_host_and_its_channels_take_turns() -> None:
    scheduler = FairScheduler()
    channels = [make_channel() for _ in range(3)]
    scheduler.add_channels(channels, 0.0)
    sent = []
    for _ in range(6):
        chosen = scheduler.choose(0.0)
        sent += [channel for _, channel in chosen]
        end_all(scheduler, chosen, REJECTED)
    assert sent == channels * 2


def test_the_hosts_of_an_account_take_turns() -> None:
    scheduler = FairScheduler(slots=16)  # of which an account has one
    channels = silent_account(1, 3)
    scheduler.add_channels(channels, 0.0)
    sent = []
    for _ in range(6):
        chosen = scheduler.choose(0.0)
        sent += [channel for _, channel in chosen]
        end_all(scheduler, chosen, REJECTED, seconds=2 * QUICK_SECONDS)
        scheduler.add_channels(channels, 0.0)
    assert {name: sent.count(name) for name in channels} == dict.fromkeys(channels, len(sent) / 3)
    assert sent[: len(channels)] == channels


def test_the_pause_of_an_unavailable_host_grows_until_an_attempt_succeeds() -> None:
    scheduler, channel = FairScheduler(), make_channel()
    scheduler.add_channels([channel], 0.0)
    now, backoffs = 0.0, []
    chosen = scheduler.choose(now)
    for result in [SILENT] * 7 + [SUCCESS, SILENT]:
        end_all(scheduler, chosen, result, now=now)
        began = now
        while not (chosen := scheduler.choose(now)):
            now += 0.5
        backoffs.append(now - began)
    assert backoffs == [1, 2, 4, 8, 16, MAX_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS, 0, 1]


def test_failures_of_attempts_at_the_same_time_make_one_backoff() -> None:
    scheduler, channel = FairScheduler(), make_channel()
    scheduler.add_channels([channel], 0.0)
    for _ in range(4):
        chosen = choose_all(scheduler)
        end_all(scheduler, chosen)
    chosen = choose_all(scheduler)
    assert len(chosen) > 4
    end_all(scheduler, chosen, SILENT)
    assert choose_all(scheduler, 0.9) == []
    assert len(choose_all(scheduler, 1.0)) == 1


def test_a_host_that_rejects_attempts_gets_fewer_at_a_time_but_no_backoff() -> None:
    scheduler, channel = FairScheduler(), make_channel()
    scheduler.add_channels([channel], 0.0)
    for _ in range(5):
        end_all(scheduler, choose_all(scheduler))
    end_all(scheduler, choose_all(scheduler), REJECTED)
    assert len(choose_all(scheduler)) == 1


def test_a_slot_without_a_due_attempt_is_freed_until_the_next_sweep() -> None:
    scheduler, channel = FairScheduler(), make_channel()
    scheduler.add_channels([channel], 0.0)
    ((host, _),) = choose_all(scheduler)
    scheduler.release_unused(host, channel, 0.0)
    assert choose_all(scheduler) == []
    scheduler.add_channels([channel], 1.0)
    assert len(choose_all(scheduler, 1.0)) == 1


def test_a_channel_whose_url_changes_goes_to_the_new_host() -> None:
    scheduler, channel = FairScheduler(), make_channel()
    scheduler.add_channels([channel], 0.0)
    held = choose_all(scheduler)
    moved = Channel(channel.id, channel.account_id, "https://other.example/")
    scheduler.add_channels([moved], 0.0)
    assert [channel for _, channel in choose_all(scheduler)] == [moved]
    end_all(scheduler, held)
    assert choose_all(scheduler) == []


def test_no_more_hosts_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_scheduler, "MAX_KNOWN_HOSTS", 1)
    scheduler = FairScheduler()
    channels = silent_account(1, 3)
    scheduler.add_channels(channels, 0.0)
    end_all(scheduler, choose_all(scheduler))
    for host, sent in choose_all(scheduler):
        scheduler.release_unused(host, sent, 0.0)
    scheduler.add_channels(channels, 0.0)
    # The one that is remembered gets two at a time.
    assert sorted(Counter(channel for _, channel in choose_all(scheduler)).values()) == [1, 1, 2]


def test_no_slot_is_lost_after_any_failure() -> None:
    draw = random.Random(1)
    scheduler = FairScheduler(slots=40)
    channels = [channel for account in range(5) for channel in silent_account(account, 4)]
    held: Chosen = []
    now = 0.0
    for _ in range(3_000):
        now += draw.random()
        scheduler.add_channels(draw.sample(channels, draw.randrange(len(channels))), now)
        held += scheduler.choose(now)
        draw.shuffle(held)
        for host, sent in [held.pop() for _ in range(draw.randrange(len(held) + 1))]:
            if draw.random() < 0.2:
                scheduler.release_unused(host, sent, now)
            else:
                result = draw.choice([SUCCESS, REJECTED, SILENT])
                scheduler.record_result(host, **result, seconds=draw.choice([0.1, 9.0]), now=now)
    for host, sent in held:
        scheduler.release_unused(host, sent, now)
    now += MAX_BACKOFF_SECONDS
    for host, sent in choose_all(scheduler, now):
        scheduler.release_unused(host, sent, now)
    others = [channel for account in range(100, 200) for channel in silent_account(account, 1)]
    scheduler.add_channels(others, now)
    fresh = FairScheduler(slots=40)
    fresh.add_channels(others, 0.0)
    assert len(choose_all(scheduler, now)) == len(choose_all(fresh)) > 30


def waits(bad: int, seconds: float) -> Iterator[float]:
    """Yield how long each attempt for a healthy host of a new account waits, in simulated time.

    Silent hosts have more to send than there is time for; the deliverer looks once a second.
    """
    scheduler = FairScheduler()
    silent = [channel for account in range(bad) for channel in silent_account(account)]
    ends: list[tuple[float, int, Host, Channel]] = []
    written: dict[Channel, float] = {}
    now, look_at = 0.0, 0.0
    while now < seconds:
        if now >= look_at:
            healthy = make_channel(account=10**6 + int(now))
            written[healthy] = now - 1.0  # just after the last look
            scheduler.add_channels([*silent, *written], now)
            look_at += 1.0
        for host, sent in choose_all(scheduler, now):
            if sent in written:
                yield now - written.pop(sent)
                took = 0.1
            elif sent.account_id < bad:
                took = DEADLINE_SECONDS
            else:
                scheduler.release_unused(host, sent, now)
                continue
            heapq.heappush(ends, (now + took, next(_ids), host, sent))
        now = min(look_at, *(end for end, *_ in ends[:1]), seconds)
        while ends and ends[0][0] <= now:
            ended, _, host, sent = heapq.heappop(ends)
            is_silent = sent.account_id < bad
            result = SILENT if is_silent else SUCCESS
            took = DEADLINE_SECONDS if is_silent else 0.1
            scheduler.record_result(host, **result, seconds=took, now=ended)


@pytest.mark.parametrize("bad", [1, 50, 100])
def test_an_attempt_begins_within_one_sweep_beside_silent_hosts(bad: int) -> None:
    waited = [*waits(bad, 30.0)]
    assert len(waited) == 30
    assert max(waited) == 1.0
