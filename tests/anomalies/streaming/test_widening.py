"""The widening: the width of the band follows the rate seen."""

import math

import numpy as np
import pytest

from app.anomalies.streaming.widening import Widening


def normal_log_p(surprise: float) -> float:
    return math.log(math.erfc(abs(surprise) / math.sqrt(2)) + 1e-300)


def widened(size: float, points: int = 4000) -> Widening:
    """Return it after errors of ``size`` times what the p-values promise."""
    widening = Widening()
    for error in size * np.random.default_rng(1).standard_normal(points):
        near = normal_log_p(error * math.exp(-widening.near))
        log_p = widening.solve(near, lambda times, error=error: normal_log_p(error / times))
        widening.learn(near, log_p)
    return widening


def test_a_band_that_is_right_stays_as_it_is() -> None:
    assert abs(widened(1.0).log_factor(math.log(0.05))) < 0.2


@pytest.mark.parametrize(("size", "p"), [(1.5, 0.05), (0.8, 0.05), (1.5, 0.01)])
def test_the_width_follows_the_rate_seen(size: float, p: float) -> None:
    assert widened(size).log_factor(math.log(p)) == pytest.approx(math.log(size), abs=0.25)


@pytest.mark.parametrize("size", [0.0, 1e-3, 1e3, 1e9])
def test_the_width_stays_within_limits_whatever_comes(size: float) -> None:
    widening = widened(size)
    assert -0.5 <= widening.log_factor(math.log(1e-4)) <= 1.2
    assert -0.4 <= widening.near <= 0.7


def test_the_tail_is_widened_further_than_the_middle() -> None:
    widening = Widening()
    widening.near, widening.far = 0.1, 0.4
    assert widening.log_factor(0.0) == widening.log_factor(math.log(0.05)) == 0.1
    assert widening.log_factor(math.log(0.01)) == pytest.approx(0.5)
    assert widening.log_factor(math.log(1e-6)) == pytest.approx(0.5)
    assert 0.1 < widening.log_factor(math.log(0.02)) < 0.5


def test_the_p_value_found_has_the_width_of_its_own_probability() -> None:
    widening = Widening()
    widening.near, widening.far = 0.1, 0.4
    near = normal_log_p(6.0 * math.exp(-0.1))
    found = widening.solve(near, lambda times: normal_log_p(6.0 / times))
    assert found == pytest.approx(normal_log_p(6.0 / math.exp(0.5)))
