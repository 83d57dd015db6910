"""What a forecast is made of."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from app.forecasting.explanation import explain
from app.forecasting.forecast import forecast
from app.forecasting.model_ids import MODEL_IDS, SEASONAL_NAIVE
from app.forecasting.types import Explanation
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.series import Series
from app.timeseries.types import FloatArray
from tests.support.server import ROOT

MODEL = "forecast-model-2"


def hourly_series(values: FloatArray) -> Series:
    times = np.datetime64("2026-01-05T00", "s") + np.arange(len(values)) * np.timedelta64(3_600)
    return Series(values, fit_calendar(times, Frequency.HOURS), "Z")


def daily_series(values: FloatArray, start: str = "2023-01-01") -> Series:
    times = np.datetime64(start, "s") + np.arange(len(values)) * np.timedelta64(86_400, "s")
    return Series(values, fit_calendar(times, Frequency.DAILY), "Z")


def monthly_series(values: FloatArray) -> Series:
    months = np.datetime64("2015-01", "M") + np.arange(len(values))
    return Series(values, fit_calendar(months.astype("datetime64[s]"), Frequency.MONTHLY))


def assert_adds_up(explanation: Explanation) -> None:
    parts = explanation.level_and_trend, explanation.season, explanation.holidays
    median = explanation.median
    assert np.allclose(sum(parts), median, rtol=1e-12, atol=1e-9 * np.abs(median).max())


@pytest.mark.parametrize("model_id", [*MODEL_IDS, SEASONAL_NAIVE])
def test_the_median_is_that_of_the_forecast_and_the_sum_of_the_parts(model_id: str) -> None:
    rng = np.random.default_rng(1)
    for n, make in ((120, monthly_series), (400, hourly_series), (800, daily_series)):
        values = 50 + np.arange(n) % 12 + rng.normal(0, 2, n)
        explanation = explain(make(values), 30, 0.9, model_id)
        usual = forecast(make(values), 30, 0.9, model_id)
        assert (explanation.median == usual.median).all()
        assert explanation.notices == usual.notices
        assert_adds_up(explanation)


def test_a_line_with_a_season_is_a_line_and_a_season() -> None:
    n, h = 120, 24
    season = 10 * np.sin(np.arange(n + h) * np.pi / 6)
    values = 100 + 0.5 * np.arange(n) + season[:n] + np.random.default_rng(2).normal(0, 0.2, n)
    explanation = explain(monthly_series(values), h, 0.9, MODEL)
    line = 100 + 0.5 * np.arange(n, n + h)
    assert np.abs(explanation.season - season[n:]).max() < 4
    assert np.abs(explanation.level_and_trend - line).max() < 3
    assert not explanation.holidays.any()


def test_a_season_that_grows_with_the_level_leaves_a_level_without_waves() -> None:
    n, h = 120, 24
    level = 100 * 1.01 ** np.arange(n + h)
    factor = 1 + 0.3 * np.sin(np.arange(n + h) * np.pi / 6)
    noise = np.random.default_rng(3).normal(0, 0.005, n)
    explanation = explain(monthly_series(level[:n] * factor[:n] * (1 + noise)), h, 0.9, MODEL)
    assert np.abs(explanation.level_and_trend / level[n:] - 1).max() < 0.08


def test_hours_of_the_day_and_days_of_the_week_are_both_season() -> None:
    n, h = 24 * 7 * 6, 100
    index = np.arange(n + h)
    season = 8 * np.sin(index * np.pi / 12) + np.where(index // 24 % 7 >= 5, -12.0, 0.0)
    values = 100 + season[:n] + np.random.default_rng(4).normal(0, 0.5, n)
    explanation = explain(hourly_series(values), h, 0.9, MODEL)
    level = explanation.level_and_trend
    assert np.ptp(level) < 0.2 * np.ptp(explanation.median)


def test_a_year_of_days_is_season() -> None:
    n, h = 365 * 3, 90
    season = 20 * np.sin(np.arange(n + h) * 2 * np.pi / 365.25)
    values = 100 + season[:n] + np.random.default_rng(5).normal(0, 1, n)
    explanation = explain(daily_series(values), h, 0.9, MODEL)
    assert np.abs(explanation.season - season[n:]).mean() < 4
    assert np.ptp(explanation.level_and_trend) < 12


def test_noise_and_a_walk_have_no_season() -> None:
    rng = np.random.default_rng(6)
    for values in (rng.normal(100, 5, 200), 100 + np.cumsum(rng.normal(0, 1, 200))):
        assert np.abs(explain(monthly_series(values), 12, 0.9, MODEL).season).max() < 3


def test_the_effect_of_christmas_is_on_its_days_only() -> None:
    n = 365 * 4
    days = np.datetime64("2022-01-01") + np.arange(n + 60)
    is_christmas = np.array([str(day)[5:] in ("12-25", "12-26") for day in days])
    week = np.tile([0, 5, 9, 6, 2, -10, -12], n)[: n + 60]
    noise = np.random.default_rng(7).normal(0, 4, n + 60)
    values = 200.0 + week + noise - 90 * is_christmas
    history, ahead = slice(0, n - 20), slice(n - 20, n + 10)
    explanation = explain(daily_series(values[history], "2022-01-01"), 30, 0.9, MODEL)
    assert_adds_up(explanation)
    assert (explanation.holidays[is_christmas[ahead]] < -60).all()
    assert np.abs(explanation.level_and_trend - 200).max() < 10


def test_a_constant_is_only_level() -> None:
    explanation = explain(monthly_series(np.full(48, 7.0)), 6, 0.9, MODEL)
    assert (explanation.level_and_trend == 7).all()
    assert not explanation.season.any()
    assert not explanation.holidays.any()


def test_a_web_process_that_receives_an_explanation_imports_no_model() -> None:
    sent = pickle.dumps(explain(monthly_series(np.arange(30.0)), 3, 0.9, MODEL))
    program = f"import pickle, sys; pickle.loads({sent!r}); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    modules = {*run.stdout.split()}
    assert "app.forecasting.types" in modules
    assert not modules & {"app.forecasting.forecast", "scipy"}
