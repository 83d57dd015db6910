import numpy as np
import pytest

from app.anomalies.band import Tails, is_outside_band, reconcile_p_values
from app.anomalies.results import Direction
from app.anomalies.tail import fit_tail


def tails_of(scaled):
    return Tails(fit_tail(scaled), fit_tail(-scaled))


def test_two_sides_share_the_rate_and_one_side_has_all_of_it() -> None:
    scaled = np.random.default_rng(1).exponential(1.0, 5000) - 0.7
    tails = tails_of(scaled)
    for direction in Direction:
        below, above = tails.limits(0.05, direction)
        flagged = is_outside_band(scaled, np.full(5000, -below), np.full(5000, above), direction)
        assert flagged.mean() == pytest.approx(0.05, abs=0.004)
        np.testing.assert_array_equal(flagged, tails.p_value(scaled, direction) < 0.05)


def test_a_side_without_a_tail_takes_no_share() -> None:
    rng = np.random.default_rng(2)
    scaled = (rng.random(4000) < 0.2) * rng.exponential(1.0, 4000)
    below, above = tails_of(scaled).limits(0.05, Direction.BOTH)
    assert below == pytest.approx(0, abs=1e-9)
    assert (scaled > above).mean() == pytest.approx(0.05, abs=0.005)


def test_limits_enclose_the_expectation_of_a_series_that_never_reaches_it() -> None:
    below, above = tails_of(np.full(100, -1.0)).limits(0.01, Direction.BOTH)
    assert min(below, above) >= 0


def test_rounded_p_values_follow_the_flag() -> None:
    flags = np.array([True, False, True, False])
    agreed = reconcile_p_values(np.array([0.01, 0.0099, 0.001, 0.5]), flags, 0.01)
    np.testing.assert_array_equal(agreed < 0.01, flags)
    assert agreed[3] == 0.5
