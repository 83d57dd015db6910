"""Probabilities of a value beyond a limit, read from the intervals of a forecast."""

import numpy as np
import pytest
from scipy.stats import norm

from app.forecasting.jobs.limit_forecasts import CONFIDENCES, quantiles_of
from app.forecasting.jobs.limits import first_step, probability_above
from app.forecasting.types import ForecastDistribution

SIGMA = np.array([1.0, 2.0, 4.0])
MEDIAN = np.array([10.0, 12.0, 14.0])


def normal_interval(confidence):
    half = norm.ppf(0.5 + confidence / 2) * SIGMA
    return MEDIAN - half, MEDIAN + half


NORMAL = quantiles_of(ForecastDistribution(MEDIAN, normal_interval))


@pytest.mark.parametrize("limit", [3.0, 9.0, 10.0, 12.5, 15.0, 19.0, 30.0])
def test_the_probability_is_that_of_the_distribution_behind_the_intervals(limit) -> None:
    assert probability_above(*NORMAL, limit) == pytest.approx(
        norm.sf(limit, MEDIAN, SIGMA), abs=0.012
    )


def test_a_probability_falls_as_the_limit_rises_and_has_no_jump() -> None:
    limits = np.linspace(-40, 60, 4_001)
    result = np.array([probability_above(*NORMAL, limit) for limit in limits])
    assert (np.diff(result, axis=0) <= 1e-15).all()
    assert np.abs(np.diff(result, axis=0)).max() < 0.015
    assert result[0] == pytest.approx(1, abs=1e-4)
    assert result[-1] == pytest.approx(0, abs=1e-4)


def test_a_value_at_the_limit_is_not_beyond_it() -> None:
    levels, _ = NORMAL
    constant = np.full((len(levels), 1), 5.0)
    assert probability_above(levels, constant, 5.0) == 0
    assert probability_above(levels, constant, 4.999) == 1


def test_intervals_that_cross_still_give_one_distribution() -> None:
    def crossing(confidence):
        half = np.full(1, 2.0 if confidence == CONFIDENCES[3] else confidence)
        return -half, half

    levels, quantiles = quantiles_of(ForecastDistribution(np.zeros(1), crossing))
    assert (np.diff(quantiles, axis=0) >= 0).all()
    assert (np.diff(levels) > 0).all()
    assert levels == pytest.approx(1 - levels[::-1])


def test_a_metric_that_cannot_be_negative_is_never_below_zero() -> None:
    def cut_interval(confidence):
        lower, upper = normal_interval(confidence)
        return np.maximum(lower - 9, 0), upper - 9

    levels, quantiles = quantiles_of(ForecastDistribution(MEDIAN - 9, cut_interval))
    assert (probability_above(levels, -quantiles[::-1], -0.0) == 0).all()


def test_the_first_step_is_found_and_none_where_there_is_none() -> None:
    assert first_step(np.array([0.1, 0.5, 0.4, 0.9]), 0.5) == 1
    assert first_step(np.array([0.1, 0.5]), 0.6) is None
