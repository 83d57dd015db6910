"""When a large call is rejected, by the spread of the times of its parts."""

import numpy as np
import pytest

from app.api.computing.batch_parts import SMALL_PARTS, BatchParts

ITEMS, SECONDS = 4_000, 50.0
Costs = np.ndarray


def uneven_costs(spread: float, seed: int) -> Costs:
    """Return random costs of items with a mean of 1."""
    costs = np.random.default_rng(seed).lognormal(0, spread, ITEMS)
    return np.asarray(costs / costs.mean())


def rejection_seconds(costs: Costs, needed: float, engines: int = 2) -> float | None:
    """Return when a call is rejected whose items need ``needed`` seconds of idle engines.

    None if it is computed.
    """
    costs = costs * needed * engines / costs.sum()
    parts = BatchParts(np.full(len(costs), 0.03), engines)
    started: list[tuple[float, int, int]] = [(0.0, *parts.next_part()) for _ in range(engines)]
    now = 0.0
    while started:
        first_done = min(started, key=lambda part: part[0] + costs[part[1] : part[2]].sum())
        started.remove(first_done)
        at, first, last = first_done
        taken = float(costs[first:last].sum())
        now = at + taken
        parts.record_result(first, last, None, taken, taken)
        if parts.reachable_fraction(now, SECONDS) < 1:
            return now
        if (part := parts.next_part()) is not None:
            started.append((now, *part))
    assert now < 1.1 * needed
    return None


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0])
def test_calls_that_are_just_in_time_are_computed_whatever_their_items_take(
    spread: float, seed: int
) -> None:
    assert rejection_seconds(uneven_costs(spread, seed), needed=0.97 * SECONDS) is None


@pytest.mark.parametrize(("excess", "within_seconds"), [(1.3, 5.0), (2.0, 1.5), (5.0, 1.5)])
def test_the_longer_a_call_needs_the_earlier_it_is_rejected(
    excess: float, within_seconds: float
) -> None:
    for seed in range(5):
        rejected = rejection_seconds(uneven_costs(0.5, seed), needed=excess * SECONDS)
        assert rejected is not None
        assert rejected < within_seconds


@pytest.mark.parametrize("order", [1, -1])
def test_an_estimate_is_not_biased_by_costly_items_at_one_end(order: int) -> None:
    costs = np.sort(uneven_costs(1.0, 1))[::order]
    assert rejection_seconds(costs, needed=0.9 * SECONDS) is None
    rejected = rejection_seconds(costs, needed=2.0 * SECONDS)
    assert rejected is not None
    assert rejected < 0.4 * SECONDS


def test_the_first_parts_are_spread_and_all_items_are_computed_once() -> None:
    parts = BatchParts(np.full(1_000, 0.01), 2)
    fraction = []
    while (part := parts.next_part()) is not None:
        fraction.append(part)
        parts.record_result(*part, [*range(*part)], 0.01 * (part[1] - part[0]), 0.1)
    firsts = sorted(first for first, _ in fraction[:SMALL_PARTS])
    assert max(np.diff([*firsts, 1_000])) < 300
    results = parts.ordered_results()
    assert results is not None
    assert [item for result in results for item in result] == [*range(1_000)]


@pytest.mark.parametrize("count", [1, 2, 3, 11])
def test_a_few_costly_items_are_parts_by_themselves(count: int) -> None:
    parts = BatchParts(np.full(count, 5.0), 2)
    fraction = []
    while (part := parts.next_part()) is not None:
        fraction.append(part)
        parts.record_result(*part, None, 5.0, 5.0)
    assert sorted(fraction) == [(item, item + 1) for item in range(count)]
