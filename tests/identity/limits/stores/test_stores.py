"""One suite for every store of counters: SQLite, PostgreSQL, Redis and memory."""

import itertools
import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.identity.limits.budget import Budget, OwnerCounts
from tests.identity.limits.racing import are_apart, race, race_on
from tests.support.databases import POSTGRESQL
from tests.support.services import wait_until

REDIS = pytest.param("redis", marks=pytest.mark.services)
OWNER = "account:1"
MINUTE_AND_HOUR = ((60, 3), (3_600, 5))


def budget(*windows, owner=OWNER):
    return Budget(owner, windows)


def used_count(state):
    return [window.used for window in state.windows]


def wait_for_end(store, state) -> None:
    """Wait until the first window of ``state`` has ended by the store's own clock."""
    end = state.windows[0].resets_at
    wait_until(lambda: store.read(budget((60, 1))).now > end + 0.01, "the end of the window")


def test_exactly_the_limit_is_let_through(store) -> None:
    states = [store.acquire(budget((60, 3), (3_600, 100))) for _ in range(6)]
    assert [state.rejected_by is None for state in states] == [True] * 3 + [False] * 3
    assert [state.tightest.remaining for state in states] == [2, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("numbers", [(10, 2, 10), (2, 10, 10)])
def test_a_rejection_consumes_nothing_of_any_window_smaller_or_larger(store, numbers) -> None:
    key_budget = budget(*zip((60, 3_600, 86_400), numbers, strict=True))
    for _ in range(8):
        store.acquire(key_budget)
    assert used_count(store.read(key_budget)) == [2, 2, 2]


def test_a_rejection_starts_no_window(store) -> None:
    store.acquire(budget((60, 1)))
    assert store.acquire(budget((60, 1), (3_600, 5))).rejected_by.seconds == 60
    assert used_count(store.read(budget((60, 1), (3_600, 5)))) == [1, 0]


def test_windows_start_with_the_first_request_counted_in_them(store) -> None:
    before = time.time()
    first = store.acquire(budget((60, 5), (3_600, 5)))
    after = time.time()
    spans = [window.resets_at - first.now for window in first.windows]
    assert spans == pytest.approx([60, 3_600], abs=0.1)
    assert before - 0.01 <= first.now <= after + 0.01
    second = store.acquire(budget((60, 5), (3_600, 5)))
    ends = [[window.resets_at for window in state.windows] for state in (first, second)]
    assert ends[0] == pytest.approx(ends[1], abs=0.01)


def test_a_window_that_has_ended_starts_again_and_a_longer_one_continues(store) -> None:
    key_budget = budget((1, 1), (60, 5))
    first = store.acquire(key_budget)
    wait_for_end(store, first)
    assert used_count(store.read(key_budget)) == [0, 1]
    second = store.acquire(key_budget)
    assert second.rejected_by is None
    assert used_count(second) == [1, 2]
    assert second.windows[0].resets_at == pytest.approx(second.now + 1, abs=0.1)


def test_a_rejected_window_opens_when_its_time_is_up(store) -> None:
    key_budget = budget((2, 1))
    first, rejected = store.acquire(key_budget), store.acquire(key_budget)
    while rejected.rejected_by is None:  # the machine has paused for a whole window
        assert rejected.now >= first.windows[0].resets_at - 0.01
        first, rejected = rejected, store.acquire(key_budget)
    assert rejected.rejected_by.resets_at == pytest.approx(first.windows[0].resets_at, abs=0.01)
    wait_for_end(store, rejected)
    assert store.acquire(key_budget).rejected_by is None


def test_the_last_to_reset_of_several_rejecting_windows_is_named(store) -> None:
    key_budget = budget((60, 2), (3_600, 2), (86_400, 9))
    store.acquire(key_budget)
    store.acquire(key_budget)
    assert store.acquire(key_budget).rejected_by.seconds == 3_600


def test_reading_consumes_nothing(store) -> None:
    key_budget = budget(*MINUTE_AND_HOUR)
    for _ in range(5):
        assert used_count(store.read(key_budget)) == [0, 0]
    store.acquire(key_budget)
    assert used_count(store.read(key_budget)) == [1, 1]


def test_counts_survive_a_change_of_the_numbers(store) -> None:
    for _ in range(2):
        store.acquire(budget((60, 10), (3_600, 100)))
    assert used_count(store.acquire(budget((60, 500), (3_600, 5_000)))) == [3, 3]
    lowered = store.acquire(budget((60, 2), (3_600, 100)))
    assert lowered.rejected_by.seconds == 60
    assert lowered.tightest.remaining == 0


def test_a_costly_request_is_counted_in_full_in_every_window_or_not_at_all(store) -> None:
    key_budget = budget((60, 10), (3_600, 12))
    assert used_count(store.acquire(key_budget, 4)) == [4, 4]
    assert used_count(store.acquire(key_budget, 5)) == [9, 9]
    rejected = store.acquire(key_budget, 4)
    assert (rejected.rejected_by.seconds, used_count(rejected)) == (3_600, [9, 9])
    assert store.acquire(key_budget, 2).rejected_by.seconds == 60
    assert used_count(store.acquire(key_budget, 1)) == [10, 10]


def test_a_request_that_costs_more_than_a_window_allows_starts_none(store) -> None:
    key_budget = budget((60, 3), (3_600, 100))
    rejected = store.acquire(key_budget, 4)
    assert (rejected.rejected_by.seconds, used_count(rejected)) == (60, [0, 0])
    assert used_count(store.read(key_budget)) == [0, 0]


def test_the_cost_of_a_request_is_counted_for_its_mirror_too(store) -> None:
    key_budget = Budget("key:a", ((60, 9), (3_600, 9)), mirror="account:1")
    store.acquire(key_budget, 5)
    store.acquire(key_budget, 5)
    assert used_count(store.read(budget((60, 9), (3_600, 9), owner="account:1"))) == [5, 5]


def test_a_window_that_has_ended_starts_again_with_what_a_request_costs(store) -> None:
    key_budget = budget((1, 5), (60, 50))
    wait_for_end(store, store.acquire(key_budget, 4))
    assert used_count(store.acquire(key_budget, 5)) == [5, 9]


def test_owners_have_separate_counts(store) -> None:
    mine, other = budget((60, 1)), budget((60, 1), owner="account:11")
    assert store.acquire(mine).rejected_by is None
    assert store.acquire(mine).rejected_by is not None
    assert store.acquire(other).rejected_by is None


@pytest.mark.parametrize("owner", ["address:2001:db8::/64", "key:' OR 1=1 --", "key:{a}*%\\"])
def test_owners_with_special_characters_are_counted_separately(store, owner) -> None:
    key_budget = budget((60, 2), owner=owner)
    store.acquire(key_budget)
    assert used_count(store.read(key_budget)) == [1]
    assert used_count(store.read(budget((60, 2), owner="key:"))) == [0]


@pytest.mark.parametrize(("cost", "passing"), [(1, 40), (3, 13)])
def test_threads_that_race_for_a_limit_let_exactly_that_many_through(store, cost, passing) -> None:
    key_budget = budget((60, 40), (3_600, 90))
    with ThreadPoolExecutor(4) as pool:
        states = list(pool.map(store.acquire, [key_budget] * 80, [cost] * 80))
    assert sum(state.rejected_by is None for state in states) == passing
    assert used_count(store.read(key_budget)) == [cost * passing] * 2


@pytest.mark.parametrize(("cost", "passing"), [(1, 50), (7, 7)])
@pytest.mark.parametrize("store_kind", ["sqlite", POSTGRESQL, REDIS], indirect=True)
def test_four_processes_that_race_for_a_limit_let_exactly_that_many_through(
    storage_uri, cost, passing
) -> None:
    windows = ((60, 50), (3_600, 70))
    owners = ["account:1", "account:2"]
    orders = [owners, owners[::-1]] * 2
    work = [(storage_uri, order, windows, 30, cost) for order in orders]
    with multiprocessing.get_context("fork").Pool(4) as pool:
        passed = pool.starmap(race, work)
    assert sum(passed) == 2 * passing


@pytest.mark.parametrize("store_kind", ["sqlite", POSTGRESQL, REDIS], indirect=True)
def test_concurrent_requests_at_a_windows_end_get_exactly_the_limit(storage_uri):
    limit = 7
    work = [(storage_uri, OWNER, ((1, limit), (3_600, 1_000)), 3)] * 4
    with multiprocessing.get_context("fork").Pool(4) as pool:
        responses = sorted(itertools.chain(*pool.starmap(race_on, work)))
    ends = [end for end, _let_through in responses]
    starts = [0, *(at for at, pair in enumerate(itertools.pairwise(ends), 1) if are_apart(*pair))]
    outcomes = [
        [let_through for _end, let_through in responses[start:stop]]
        for start, stop in itertools.pairwise([*starts, len(responses)])
    ]
    rejecting = [of_window for of_window in outcomes if not all(of_window)]
    assert len(rejecting) >= 3
    assert {sum(of_window) for of_window in rejecting} == {limit}
    assert all(sum(of_window) <= limit for of_window in outcomes)  # after a pause some remain


def test_a_change_of_tier_causes_no_deadlock(store) -> None:
    windows = ((60, 10_000),)
    before = Budget("key:a", windows, mirror="account:1")
    after = Budget("account:1", windows, mirror="key:a")
    with ThreadPoolExecutor(6) as pool:
        assert len(list(pool.map(store.acquire, [before, after] * 300))) == 600
    assert used_count(store.read(before)) == used_count(store.read(after)) == [600]


def test_a_rejected_request_counts_for_no_mirror_either(store) -> None:
    key_budget = Budget("key:a", ((60, 2), (3_600, 9)), mirror="account:1")
    for _ in range(5):
        store.acquire(key_budget)
    assert used_count(store.read(budget((60, 2), (3_600, 9), owner="account:1"))) == [2, 2]


def spent_budget(*windows, owner=OWNER):
    return OwnerCounts(owner, windows)


def test_requests_counted_elsewhere_are_added_to_a_window_without_moving_its_end(store) -> None:
    key_budget = budget((60, 9), (3_600, 9))
    ends = [window.resets_at for window in store.acquire(key_budget).windows]
    store.add(spent_budget((60, 2, 5.0), (3_600, 4, 9.0)))
    after = store.read(key_budget)
    assert used_count(after) == [3, 5]
    assert [window.resets_at for window in after.windows] == pytest.approx(ends, abs=0.01)


def test_requests_counted_elsewhere_open_a_window_with_their_end(store) -> None:
    store.add(spent_budget((60, 0, 0.0), (3_600, 4, 900.0)))
    state = store.read(budget((60, 9), (3_600, 9)))
    assert used_count(state) == [0, 4]
    assert state.windows[1].resets_at - state.now == pytest.approx(900, abs=1)


def test_a_released_request_is_counted_in_no_window(store) -> None:
    key_budget = budget(*MINUTE_AND_HOUR)
    store.acquire(key_budget)
    store.release(key_budget, store.acquire(key_budget))
    assert used_count(store.read(key_budget)) == [1, 1]
    assert [store.acquire(key_budget).rejected_by is None for _ in range(3)] == [True, True, False]


def test_a_window_that_has_begun_since_keeps_its_count(store) -> None:
    key_budget = budget((1, 5), (60, 5))
    ended = store.acquire(key_budget)
    wait_for_end(store, ended)
    store.acquire(key_budget)
    store.release(key_budget, ended)
    assert used_count(store.read(key_budget)) == [1, 1]


def test_a_request_of_another_owner_or_store_cannot_be_released(store) -> None:
    other = budget(*MINUTE_AND_HOUR, owner="account:2")
    taken = store.acquire(other)
    store.release(budget(*MINUTE_AND_HOUR), taken)
    assert used_count(store.read(budget(*MINUTE_AND_HOUR))) == [0, 0]
    assert used_count(store.read(other)) == [1, 1]


def test_more_than_the_limit_can_be_added_and_then_nothing_fits(store) -> None:
    key_budget = budget((60, 3))
    store.add(spent_budget((60, 5, 50.0)))
    rejected = store.acquire(key_budget)
    assert (rejected.rejected_by.seconds, used_count(rejected)) == (60, [5])
