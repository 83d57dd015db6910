"""The forecasts that need no fit: of constant series, and of few points."""

import numpy as np
import pytest

from app.forecasting.fallback import fit_constant, fit_naive
from app.forecasting.jobs.window_forecasts import fit_short_history
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def test_a_constant_series_has_an_interval_of_zero_width() -> None:
    prediction = fit_constant(3.5, 4).at(0.9)
    for array in (prediction.lower, prediction.median, prediction.upper):
        np.testing.assert_array_equal(array, np.full(4, 3.5))


def test_the_naive_interval_is_that_of_a_seasonal_random_walk() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 5.0, 6.0])
    prediction = fit_naive(History(values, (4,), Frequency.QUARTERLY), 5).at(0.95)
    np.testing.assert_array_equal(prediction.median, [3, 4, 5, 6, 3])
    assert prediction.upper[0] - 3.0 == pytest.approx(1.959964 * 2.0)
    assert prediction.upper[4] - 3.0 == pytest.approx(1.959964 * 2.0 * np.sqrt(2))


@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("walks", [True, False])
def test_the_interval_of_few_points_covers_what_it_promises_of_walks_and_of_noise(points, walks):
    draws = np.random.default_rng(points).normal(size=(4_000, points + 3))
    series = draws.cumsum(axis=1) if walks else draws
    series *= -np.sign(series[:, :1])  # of series that were negative no bound is cut at 0
    inside = [
        (lower <= row[points:]) & (row[points:] <= upper)
        for row in series
        for lower, upper in [fit_short_history(row[:points], 3).interval(0.9)]
    ]
    assert np.mean(inside) >= 0.88


@pytest.mark.parametrize("values", [[7.0], [7.0, 7.0], [6.0, 7.0]])
def test_few_points_are_forecast_as_the_last_within_bounds_that_widen(values) -> None:
    fitted = fit_short_history(np.array(values), 3)
    lower, upper = fitted.interval(0.8)
    assert fitted.median.tolist() == [7.0] * 3
    assert (lower >= 0).all()
    assert (np.diff([7.0, *upper]) > 0).all()
    assert (fitted.interval(0.95)[1] > upper).all()
