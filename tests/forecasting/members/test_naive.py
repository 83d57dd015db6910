import numpy as np
import pytest

from app.forecasting.frequency import Frequency
from app.forecasting.members.naive import naive, seasonal_naive
from app.forecasting.types import History

QUARTERS = History(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9]), (4,), Frequency.QUARTERLY)


def test_naive_repeats_the_last_value_with_the_width_of_a_walk():
    forecast = naive(QUARTERS, 4)
    np.testing.assert_array_equal(forecast.median, [9, 9, 9, 9])
    np.testing.assert_allclose(forecast.width, np.sqrt([1, 2, 3, 4]))


def test_seasonal_naive_repeats_the_last_cycle_in_phase():
    forecast = seasonal_naive(QUARTERS, 6)
    np.testing.assert_array_equal(forecast.median, [6, 7, 8, 9, 6, 7])
    np.testing.assert_allclose(forecast.width, 4 * np.sqrt([1, 1, 1, 1, 2, 2]))


@pytest.mark.parametrize("member", [naive, seasonal_naive])
def test_backtest_speaks_from_each_origin(member):
    backtest = member(QUARTERS, 2, [5, 8]).backtest
    assert backtest.shape == (2, 2)
    assert backtest[1, 0] == (8.0 if member is naive else 5.0)


def test_a_season_longer_than_the_history_is_no_season():
    short = History(np.arange(10.0), (12,), Frequency.MONTHLY)
    np.testing.assert_array_equal(seasonal_naive(short, 2).median, [9, 9])
