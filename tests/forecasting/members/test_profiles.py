"""Seasonal profiles, as means of cycles."""

import numpy as np

from app.forecasting.members.profiles import (
    LAST_YEAR_PROFILE,
    levelled_profile,
    mean_profile,
    seasonal_profiles_member,
)
from app.forecasting.preprocessing.seasonality import Seasonality
from tests.forecasting.tasks import DAYS, WEEKS, make_task


def test_one_cycle_is_the_seasonal_naive_method() -> None:
    forecast = mean_profile(make_task([9, 9, 1, 2, 3], 5, (3,)), 3, 1)
    np.testing.assert_array_equal(forecast.forecast, [1, 2, 3, 1, 2])
    np.testing.assert_array_equal(forecast.backtest, [[9, 9, 1, 9, 9]])


def test_several_cycles_are_averaged_as_far_as_they_are_there() -> None:
    forecast = mean_profile(make_task([1, 2, 3, 6, 5, 10], 2, (4,)), 2, 4)
    np.testing.assert_array_equal(forecast.forecast, [3, 6])
    np.testing.assert_array_equal(forecast.backtest, [[2, 4]])


def test_a_levelled_profile_knows_a_season_on_any_level() -> None:
    pattern = np.array([0.0, 3, -1, 2])
    values = np.concatenate([np.tile(pattern, 5), pattern + 100])
    forecast = levelled_profile(make_task(values, 4, (12,)), 4, 1)
    np.testing.assert_allclose(forecast.forecast, pattern + 100)
    np.testing.assert_allclose(forecast.backtest[0], pattern)


def test_each_season_seen_whole_has_a_profile_of_one_and_of_four_cycles() -> None:
    task = make_task(np.arange(60.0), 2, (40,), seasonality=Seasonality(7, 35))
    assert len(seasonal_profiles_member(is_levelled=False).forecast(task)) == 4
    assert len(seasonal_profiles_member(is_levelled=True).forecast(task)) == 6
    task = make_task(np.arange(60.0), 2, (30,), seasonality=Seasonality(7, 35))
    assert len(seasonal_profiles_member(is_levelled=True).forecast(task)) == 3


def test_last_year_takes_part_in_weeks_that_were_seen_for_longer_than_a_year() -> None:
    def is_suitable(origin, seasonality):
        task = make_task(np.arange(120.0), 2, (origin,), seasonality=seasonality)
        return LAST_YEAR_PROFILE.is_suitable(task)

    assert is_suitable(60, WEEKS)
    assert not is_suitable(52, WEEKS)
    assert not is_suitable(60, DAYS)
    assert not is_suitable(60, Seasonality(52, 0))  # of hours
