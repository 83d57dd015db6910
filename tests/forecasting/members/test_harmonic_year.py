"""The member of days by weekday, waves over the year and dates that stand out."""

import numpy as np
import pytest

from app.forecasting.members.harmonic_year import (
    CalendarTerms,
    harmonic_year,
    has_full_year,
    outlier_effects,
    repeated_days,
)
from app.forecasting.preprocessing.seasonality import Seasonality
from tests.forecasting.tasks import BUSINESS_DAYS, DAYS, WEEKS, disturb_after, make_task

POINTS, ORIGINS = 900, (420, 560, 700)


def days(points=POINTS + 60, seed=1):
    steps = np.arange(points)
    week = np.array([0.0, 1, 1, 1, 1, -4, -6])[steps % 7]
    year = 10 * np.cos(2 * np.pi * steps / 365.25)
    return 100 + week + year + np.random.default_rng(seed).normal(0, 0.5, points)


def year_of(values, horizon=60, origins=ORIGINS):
    (forecast,) = harmonic_year(make_task(values, horizon, origins, seasonality=DAYS, raw=True))
    return forecast


def test_weekdays_and_the_turn_of_the_year_are_forecast() -> None:
    values = days()
    forecast = year_of(values[:POINTS])
    np.testing.assert_allclose(forecast.forecast, values[POINTS:], atol=3.0)
    np.testing.assert_allclose(forecast.backtest[2], values[700:760], atol=4.0)


def test_a_level_that_moved_is_followed_to_where_it_is() -> None:
    values = days()
    values[820:] += 8.0
    forecast = year_of(values[:POINTS])
    assert np.mean(forecast.forecast - values[POINTS:]) == pytest.approx(0.0, abs=2.5)


def test_a_date_that_stood_out_in_two_years_is_repeated() -> None:
    values = days()
    values[[190, 555]] -= 20.0
    effect = year_of(values[:POINTS]).forecast - year_of(days()[:POINTS]).forecast
    assert effect[555 + 365 - POINTS] == pytest.approx(-40 / 3, abs=3.0)
    assert np.abs(np.delete(effect, 555 + 365 - POINTS)).max() < 2.0


@pytest.mark.parametrize("leap", [0, 1])
def test_a_date_comes_back_with_a_leap_day_between_its_earlier_years(leap) -> None:
    residuals = np.random.default_rng(2).normal(0, 0.1, 1_130)
    residuals[[50, 50 + 365 + leap, 50 + 730 + leap]] = 5.0
    effects = repeated_days(residuals, 1_200, 365)
    assert np.flatnonzero(effects[1_000:]).tolist() == [50 + 1_095 + leap - 1_000]
    assert effects[50 + 1_095 + leap] == pytest.approx(15 / 4, abs=0.2)


def test_a_day_that_stood_out_once_is_not_expected_again() -> None:
    residuals = np.random.default_rng(2).normal(0, 0.1, 800)
    residuals[100] = 5.0
    assert np.flatnonzero(outlier_effects(residuals)).tolist() == [100]
    assert not repeated_days(residuals, 900, 365).any()


def test_waves_do_not_follow_a_level_that_moved() -> None:
    values = days(730)
    moved = values + np.where(np.arange(730) > 400, 8.0, 0.0)
    calendar = CalendarTerms.of(DAYS, 800)
    usual, after_move = (calendar.fit(series[:, None] / 7)[:, 0] * 7 for series in (values, moved))
    assert np.abs((after_move - after_move.mean()) - (usual - usual.mean())).max() < 3.0


def test_a_past_forecast_knows_nothing_of_its_future() -> None:
    values = days(POINTS)
    disturbed = disturb_after(values, 700, np.random.default_rng(7))
    first, second = (year_of(series).backtest for series in (values, disturbed))
    # The range that forecasts are kept in may move; within it nothing does.
    np.testing.assert_allclose(first, second, rtol=1e-9)


@pytest.mark.parametrize(
    ("seasonality", "origin", "suits"),
    [
        (DAYS, 420, True),
        (BUSINESS_DAYS, 300, True),
        (DAYS, 300, False),
        (Seasonality(7, 0), 420, False),
        (Seasonality(24, 168), 420, False),
        (Seasonality(60, 3_600), 4_000, False),
        (WEEKS, 420, False),
    ],
)
def test_only_a_calendar_year_that_was_seen_suits(seasonality, origin, suits) -> None:
    values = np.arange(origin + 100.0)
    assert has_full_year(make_task(values, 2, (origin,), seasonality=seasonality)) is suits
