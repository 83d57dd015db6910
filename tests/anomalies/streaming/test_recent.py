"""What recent values say of the next: the ring and its tail."""

import itertools

import numpy as np
import pytest

from app.anomalies.streaming.recent import LENGTH, RecentTail, Ring
from app.anomalies.tail import LEAST_P, fit_tail


def filled(values: np.ndarray) -> Ring:
    ring = Ring()
    for value in values.tolist():
        ring.add(value)
    return ring


def fitted(values: np.ndarray) -> RecentTail:
    tail = RecentTail()
    tail.fit(filled(values))
    return tail


def drawn(length: int) -> np.ndarray:
    return np.random.default_rng(0).exponential(1.0, length).astype(np.float32)


def test_a_full_ring_keeps_the_latest_values_in_order() -> None:
    ring = filled(np.arange(LENGTH + 10.0))
    assert ring.latest(3).tolist() == [LENGTH + 7, LENGTH + 8, LENGTH + 9]
    assert ring.back(1) == LENGTH + 9
    assert sorted(ring.kept()) == list(range(10, LENGTH + 10))


def test_a_ring_that_is_not_full_has_no_more_than_was_added() -> None:
    assert filled(np.array([4.0, 5.0])).latest(10).tolist() == [4.0, 5.0]


def test_its_p_values_are_those_of_the_tail_of_a_sample() -> None:
    values = drawn(1000).astype(np.float64)
    tail, whole = fitted(values), fit_tail(values)
    for value in (-1.0, 0.0, 0.3, 1.0, 2.5, float(whole.knots[-1])):
        assert tail.p_value(value) == pytest.approx(float(whole.p_value(np.array(value))))


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.01, 0.001, 1e-6])
def test_the_limit_of_a_rate_is_where_the_p_value_is_that_rate(rate: float) -> None:
    tail = fitted(drawn(2000))
    assert tail.p_value(tail.limit(rate)) == pytest.approx(rate)


def test_nothing_is_held_for_impossible() -> None:
    tail = fitted(np.random.default_rng(0).random(2000).astype(np.float32))
    assert tail.p_value(1.05) > 1e-6
    assert tail.p_value(1e30) == LEAST_P


def test_a_tail_is_fitted_seldom_once_much_was_seen() -> None:
    ring, tail, fits = Ring(), RecentTail(), []
    for i, value in enumerate(drawn(3000).tolist()):
        ring.add(value)
        if tail.is_stale(ring.count):
            tail.fit(ring)
            fits.append(i + 1)
    assert fits[0] == 20
    assert len(fits) < 40
    assert max(b / a for a, b in itertools.pairwise(fits)) <= 1.25


def test_before_the_first_fit_nothing_is_improbable() -> None:
    assert RecentTail().p_value(1e9) == 1.0
