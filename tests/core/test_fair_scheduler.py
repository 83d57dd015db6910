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


def channel(account: int = 1, host: str = "hooks.example.com") -> Channel:
    """Return a channel of its own that sends to a host."""
    number = next(_ids)
    return Channel(number, account, f"https://{host}/{number}")


def silent_account(account: int, hosts: int = BAD_HOSTS) -> list[Channel]:
    return [channel(account, f"host{number}.account{account}.example") for number in range(hosts)]


def choose_all(slots: FairScheduler, now: float = 0.0) -> Chosen:
    """Return all that can be sent at a moment."""
    chosen: Chosen = []
    while some := slots.choose(now):
        assert len(some) <= MAX_ATTEMPTS_PER_ROUND
        chosen += some
    return chosen


def accounts_of(chosen: Chosen) -> Counter[int]:
    return Counter(webhook.account_id for _, webhook in chosen)


def end_all(
    slots: FairScheduler,
    chosen: Chosen,
    result: dict[str, bool] = SUCCESS,
    seconds: float = 0.01,
    now: float = 0.0,
) -> None:
    for host, _ in chosen:
        slots.record_result(host, **result, seconds=seconds, now=now)


def succeed(slots: FairScheduler, sent: Channel) -> None:
    """Let an attempt for a channel succeed, which then has no more messages."""
    slots.add_channels([sent], 0.0)
    ((host, _),) = choose_all(slots)
    slots.record_result(host, **SUCCESS, seconds=0.01, now=0.0)
    for host, _ in choose_all(slots):
        slots.release_unused(host, sent, 0.0)


@pytest.mark.parametrize(
    ("bad", "hosts"), [(1, BAD_HOSTS), (50, BAD_HOSTS), (200, BAD_HOSTS), (600, 1)]
)
def test_a_new_account_finds_a_place_beside_any_number_of_silent_hosts(
    bad: int, hosts: int
) -> None:
    slots = FairScheduler()
    silent = [webhook for account in range(bad) for webhook in silent_account(account, hosts)]
    slots.add_channels(silent, 0.0)
    assert len(choose_all(slots)) < MAX_CONCURRENT_ATTEMPTS
    healthy = channel(account=bad)
    slots.add_channels([*silent, healthy], 1.0)
    assert healthy in [webhook for _, webhook in choose_all(slots, 1.0)]


def test_a_host_known_to_be_quick_finds_a_place_beside_a_thousand_accounts() -> None:
    slots = FairScheduler()
    healthy = channel(account=0)
    succeed(slots, healthy)
    bad = [webhook for account in range(1, 1_000) for webhook in silent_account(account, 3)]
    slots.add_channels(bad, 0.0)
    choose_all(slots)
    slots.add_channels([*bad, healthy], 0.0)
    # Two at a time by now.
    assert [webhook for _, webhook in choose_all(slots)] == [healthy, healthy]


def test_a_responsive_host_gets_a_slot_beside_silent_ones_of_its_account() -> None:
    slots = FairScheduler()
    healthy = channel()
    succeed(slots, healthy)
    silent = silent_account(1, 1_000)
    slots.add_channels(silent, 0.0)
    choose_all(slots)
    slots.add_channels([*silent, healthy], 0.0)
    assert [webhook for _, webhook in choose_all(slots)] == [healthy, healthy]


def test_accounts_get_equally_many_slots_however_much_they_send() -> None:
    slots = FairScheduler()
    many, few = silent_account(1, 500), silent_account(2, 100)
    slots.add_channels([*many, *few], 0.0)
    taken = accounts_of(choose_all(slots))
    assert abs(taken[1] - taken[2]) <= 1
    assert sum(taken.values()) > MAX_CONCURRENT_ATTEMPTS / 8


def test_a_host_gets_one_message_until_it_has_taken_one_then_more() -> None:
    slots, webhook = FairScheduler(), channel()
    slots.add_channels([webhook], 0.0)
    counts = []
    for _ in range(MAX_ATTEMPTS_PER_HOST + 2):
        chosen = choose_all(slots)
        counts.append(len(chosen))
        end_all(slots, chosen)
    assert counts[:3] == [1, 2, 4]
    assert counts[-1] == max(counts) == MAX_ATTEMPTS_PER_HOST


def test_other_urls_of_a_host_are_the_same_host_and_its_sources_take_turns() -> None:
    slots = FairScheduler()
    channels = [channel() for _ in range(3)]
    slots.add_channels(channels, 0.0)
    sent = []
    for _ in range(6):
        chosen = slots.choose(0.0)
        sent += [webhook for _, webhook in chosen]
        end_all(slots, chosen, REJECTED)
    assert sent == channels * 2


def test_the_hosts_of_an_account_take_turns() -> None:
    slots = FairScheduler(slots=16)  # of which an account has one
    channels = silent_account(1, 3)
    slots.add_channels(channels, 0.0)
    sent = []
    for _ in range(6):
        chosen = slots.choose(0.0)
        sent += [webhook for _, webhook in chosen]
        end_all(slots, chosen, REJECTED, seconds=2 * QUICK_SECONDS)
        slots.add_channels(channels, 0.0)
    assert {name: sent.count(name) for name in channels} == dict.fromkeys(channels, len(sent) / 3)
    assert sent[: len(channels)] == channels


def test_the_pause_of_an_unavailable_host_grows_until_it_accepts_a_message() -> None:
    slots, webhook = FairScheduler(), channel()
    slots.add_channels([webhook], 0.0)
    now, rests = 0.0, []
    chosen = slots.choose(now)
    for result in [SILENT] * 7 + [SUCCESS, SILENT]:
        end_all(slots, chosen, result, now=now)
        began = now
        while not (chosen := slots.choose(now)):
            now += 0.5
        rests.append(now - began)
    assert rests == [1, 2, 4, 8, 16, MAX_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS, 0, 1]


def test_failures_of_attempts_at_the_same_time_make_one_rest() -> None:
    slots, webhook = FairScheduler(), channel()
    slots.add_channels([webhook], 0.0)
    for _ in range(4):
        chosen = choose_all(slots)
        end_all(slots, chosen)
    chosen = choose_all(slots)
    assert len(chosen) > 4
    end_all(slots, chosen, SILENT)
    assert choose_all(slots, 0.9) == []
    assert len(choose_all(slots, 1.0)) == 1


def test_a_host_that_rejects_messages_gets_fewer_at_a_time_but_no_rest() -> None:
    slots, webhook = FairScheduler(), channel()
    slots.add_channels([webhook], 0.0)
    for _ in range(5):
        end_all(slots, choose_all(slots))
    end_all(slots, choose_all(slots), REJECTED)
    assert len(choose_all(slots)) == 1


def test_a_slot_without_a_message_is_freed_until_the_next_sweep() -> None:
    slots, webhook = FairScheduler(), channel()
    slots.add_channels([webhook], 0.0)
    ((host, _),) = choose_all(slots)
    slots.release_unused(host, webhook, 0.0)
    assert choose_all(slots) == []
    slots.add_channels([webhook], 1.0)
    assert len(choose_all(slots, 1.0)) == 1


def test_a_source_whose_url_changes_goes_to_the_new_host() -> None:
    slots, webhook = FairScheduler(), channel()
    slots.add_channels([webhook], 0.0)
    held = choose_all(slots)
    moved = Channel(webhook.id, webhook.account_id, "https://other.example/")
    slots.add_channels([moved], 0.0)
    assert [webhook for _, webhook in choose_all(slots)] == [moved]
    end_all(slots, held)
    assert choose_all(slots) == []


def test_no_more_hosts_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_scheduler, "MAX_KNOWN_HOSTS", 1)
    slots = FairScheduler()
    channels = silent_account(1, 3)
    slots.add_channels(channels, 0.0)
    end_all(slots, choose_all(slots))
    for host, sent in choose_all(slots):
        slots.release_unused(host, sent, 0.0)
    slots.add_channels(channels, 0.0)
    # The one that is remembered gets two at a time.
    assert sorted(Counter(webhook for _, webhook in choose_all(slots)).values()) == [1, 1, 2]


def test_no_slot_is_lost_after_any_failure() -> None:
    draw = random.Random(1)
    slots = FairScheduler(slots=40)
    channels = [webhook for account in range(5) for webhook in silent_account(account, 4)]
    held: Chosen = []
    now = 0.0
    for _ in range(3_000):
        now += draw.random()
        slots.add_channels(draw.sample(channels, draw.randrange(len(channels))), now)
        held += slots.choose(now)
        draw.shuffle(held)
        for host, sent in [held.pop() for _ in range(draw.randrange(len(held) + 1))]:
            if draw.random() < 0.2:
                slots.release_unused(host, sent, now)
            else:
                result = draw.choice([SUCCESS, REJECTED, SILENT])
                slots.record_result(host, **result, seconds=draw.choice([0.1, 9.0]), now=now)
    for host, sent in held:
        slots.release_unused(host, sent, now)
    now += MAX_BACKOFF_SECONDS
    for host, sent in choose_all(slots, now):
        slots.release_unused(host, sent, now)
    others = [webhook for account in range(100, 200) for webhook in silent_account(account, 1)]
    slots.add_channels(others, now)
    fresh = FairScheduler(slots=40)
    fresh.add_channels(others, 0.0)
    assert len(choose_all(slots, now)) == len(choose_all(fresh)) > 30


def waits(bad: int, seconds: float) -> Iterator[float]:
    """Yield how long each message to a healthy host of a new account waits, in simulated time.

    Silent hosts have more to send than there is time for; the deliverer looks once a second.
    """
    slots = FairScheduler()
    silent = [webhook for account in range(bad) for webhook in silent_account(account)]
    ends: list[tuple[float, int, Host, Channel]] = []
    written: dict[Channel, float] = {}
    now, look_at = 0.0, 0.0
    while now < seconds:
        if now >= look_at:
            healthy = channel(account=10**6 + int(now))
            written[healthy] = now - 1.0  # just after the last look
            slots.add_channels([*silent, *written], now)
            look_at += 1.0
        for host, sent in choose_all(slots, now):
            if sent in written:
                yield now - written.pop(sent)
                took = 0.1
            elif sent.account_id < bad:
                took = DEADLINE_SECONDS
            else:
                slots.release_unused(host, sent, now)
                continue
            heapq.heappush(ends, (now + took, next(_ids), host, sent))
        now = min(look_at, *(end for end, *_ in ends[:1]), seconds)
        while ends and ends[0][0] <= now:
            ended, _, host, sent = heapq.heappop(ends)
            is_silent = sent.account_id < bad
            result = SILENT if is_silent else SUCCESS
            took = DEADLINE_SECONDS if is_silent else 0.1
            slots.record_result(host, **result, seconds=took, now=ended)


@pytest.mark.parametrize("bad", [1, 50, 100])
def test_a_message_is_sent_within_one_sweep_beside_silent_hosts(bad: int) -> None:
    waited = [*waits(bad, 30.0)]
    assert len(waited) == 30
    assert max(waited) == 1.0
