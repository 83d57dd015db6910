"""The naive and the seasonal naive forecast."""

from dataclasses import replace

import numpy as np

from app.forecasting.members.naive import seasonal_naive
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

QUARTERS = History(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9]), (4,), Frequency.QUARTERLY)


def test_the_naive_forecast_has_the_standard_error_of_a_random_walk() -> None:
    median, errors = seasonal_naive(replace(QUARTERS, periods=()), 4)
    np.testing.assert_array_equal(median, [9, 9, 9, 9])
    np.testing.assert_allclose(errors, np.sqrt([1, 2, 3, 4]))


def test_seasonal_naive_repeats_the_last_cycle_in_phase() -> None:
    median, errors = seasonal_naive(QUARTERS, 6)
    np.testing.assert_array_equal(median, [6, 7, 8, 9, 6, 7])
    np.testing.assert_allclose(errors, 4 * np.sqrt([1, 1, 1, 1, 2, 2]))


def test_a_season_longer_than_the_history_is_not_a_season() -> None:
    short = History(np.arange(10.0), (12,), Frequency.MONTHLY)
    np.testing.assert_array_equal(seasonal_naive(short, 2)[0], [9, 9])
