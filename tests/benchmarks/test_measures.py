"""The measures of the benchmarks, by hand."""

import numpy as np
import pytest

from app.forecasting.backtest.measures import naive_scale
from benchmarks.measures import coverage, mase, mean_pinball, msis, smape


def test_smape_is_symmetric_and_zero_where_both_are_zero() -> None:
    forecast, actual = np.array([110.0, 0.0]), np.array([90.0, 0.0])
    assert smape(forecast, actual) == pytest.approx(200 * (20 / 200) / 2)
    assert smape(actual, forecast) == smape(forecast, actual)


def test_mase_of_the_seasonal_naive_error_is_one() -> None:
    values = np.array([1.0, 5.0, 2.0, 7.0, 3.0, 9.0])
    scale = naive_scale(values, 2)
    assert scale == pytest.approx((1 + 2 + 1 + 2) / 4)
    assert mase(np.array([0.0, 0.0]), np.array([1.5, -1.5]), scale) == pytest.approx(1.0)


def test_interval_score_penalizes_a_miss_by_its_distance() -> None:
    lower, upper = np.array([0.0, 0.0]), np.array([10.0, 10.0])
    actual = np.array([5.0, 12.0])
    assert msis(lower, upper, actual, 1.0, 0.95) == pytest.approx((10 + 10 + 2 / 0.05 * 2) / 2)


def test_coverage_counts_the_bounds_as_inside() -> None:
    lower, upper = np.zeros(4), np.ones(4)
    assert coverage(lower, upper, np.array([0.0, 1.0, 0.5, 1.1])) == pytest.approx(75.0)


def test_pinball_weighs_a_miss_by_the_side_that_its_quantile_fears() -> None:
    actual, median = np.array([10.0]), np.array([8.0])
    bounds = {0.8: (np.array([4.0]), np.array([9.0]))}
    # 2 below at 50 %, 6 below at 10 %, 1 below at 90 %; in units of 2.
    expected = (0.5 * 2 + 0.1 * 6 + 0.9 * 1) / 3 / 2
    assert mean_pinball(actual, median, bounds, 2.0) == pytest.approx(expected)
