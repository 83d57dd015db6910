"""Forecasts compared with limits."""

import numpy as np
import pytest

from app.forecasting.forecast import forecast
from app.forecasting.jobs.limit_forecasts import forecast_with_limits
from app.forecasting.jobs.limits import first_step
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.series import Series

POINTS = 200
TIMES = np.datetime64("2026-01-01T00", "s") + np.arange(POINTS) * np.timedelta64(3_600, "s")
CALENDAR = fit_calendar(TIMES, Frequency.HOURS)
FILLING = 40 + 0.25 * np.arange(POINTS) + np.random.default_rng(1).normal(0, 0.5, POINTS)


def test_the_forecast_is_that_of_the_forecast_endpoint() -> None:
    series = Series(FILLING, CALENDAR, "Z")
    limit_forecast = forecast_with_limits(series, 24, None, None, 0.8)
    usual = forecast(series, 24, 0.8, "forecast-model-1")
    assert limit_forecast.forecast.timestamps == usual.timestamps
    assert (limit_forecast.forecast.median == usual.median).all()
    assert (limit_forecast.forecast.upper == usual.upper).all()
    assert limit_forecast.above is None
    assert limit_forecast.below is None


def test_a_series_that_rises_steadily_passes_an_upper_limit_and_not_a_lower_one() -> None:
    forecasts = forecast_with_limits(Series(FILLING, CALENDAR, "Z"), 48, 95.0, 20.0)
    assert first_step(forecasts.above, 0.5) == pytest.approx(20, abs=2)  # 40 + .25 * 220
    assert forecasts.above[-1] > 0.99
    assert forecasts.below.max() < 0.01


def test_missing_points_are_filled() -> None:
    values = FILLING.copy()
    values[50:60] = np.nan
    forecasts = forecast_with_limits(Series(values, CALENDAR, "Z"), 48, 95.0, None)
    assert first_step(forecasts.above, 0.5) == pytest.approx(20, abs=2)
    assert np.isfinite(forecasts.forecast.median).all()
