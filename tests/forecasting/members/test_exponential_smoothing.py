"""Exponential smoothing equals the library's, with and without a season."""

import numpy as np
import pytest
from statsmodels.tsa.exponential_smoothing.ets import ETSModel

from app.forecasting.members import exponential_smoothing as smoothing
from app.forecasting.preprocessing.decomposition import additive_indices
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def one_set(level, trend, season, damping):
    return smoothing.SmoothingGrid(
        *(np.array([weight]) for weight in (level, trend, season, damping))
    )


def forecasts_of(states, length, horizon):
    origin = slice(length, length + 1)
    steps = range(1, horizon + 1)
    return np.array([states.forecast(origin, step)[0, 0] for step in steps])


def test_damped_holt_winters_equals_the_librarys() -> None:
    rng = np.random.default_rng(8)
    values = np.tile([2.0, -1.0, -3.0, 2.0], 10) + 0.3 * np.arange(40) + rng.normal(size=40)
    states = smoothing.run_smoothing(values, 4, one_set(0.4, 0.12, 0.3, 0.95), 9)
    model = ETSModel(
        values,
        error="add",
        trend="add",
        damped_trend=True,
        seasonal="add",
        seasonal_periods=4,
        initialization_method="known",
        initial_level=states.level[0, 0],
        initial_trend=states.trend[0, 0],
        initial_seasonal=additive_indices(values, 4),
    )
    by_name = {
        "smoothing_level": 0.4,
        "smoothing_trend": 0.4 * 0.12,
        "smoothing_seasonal": 0.3 * 0.6,
        "damping_trend": 0.95,
    }
    reference = model.smooth([by_name[name] for name in model.param_names[:4]])
    np.testing.assert_allclose(forecasts_of(states, 40, 9), reference.forecast(9), rtol=1e-6)


def test_simple_smoothing_is_the_geometric_average() -> None:
    values = np.random.default_rng(9).normal(size=30)
    states = smoothing.run_smoothing(values, 1, one_set(0.3, 0.0, 0.0, 0.0), 3)
    level = values[:8][:3].mean()
    for value in values:
        level = 0.3 * value + 0.7 * level
    np.testing.assert_allclose(forecasts_of(states, 30, 3), level)


def test_forecast_from_a_past_origin_equals_that_of_a_run_that_ends_there() -> None:
    values = np.tile([1.0, 5.0, 2.0], 12) + np.random.default_rng(10).normal(size=36)
    grid = one_set(0.2, 0.03, 0.1, 1.0)
    states = smoothing.run_smoothing(values, 3, grid, 5)
    level, trend, season = states.level[0, 0], states.trend[0, 0], list(states.season[:3, 0])
    for now in range(25):
        error = values[now] - level - trend - season[now]
        level, trend = level + trend + 0.2 * error, trend + 0.2 * 0.03 * error
        season.append(season[now] + 0.1 * 0.8 * error)
    expected = [level + step * trend + season[25 + (step - 1) % 3] for step in range(1, 6)]
    origin = slice(25, 26)
    forecast = [states.forecast(origin, step)[0, 0] for step in range(1, 6)]
    np.testing.assert_allclose(forecast, expected)


def test_a_season_on_a_trend_continues() -> None:
    pattern = np.array([10.0, -5.0, -8.0, 3.0])
    time = np.arange(40)
    values = 100.0 + 2.0 * time + pattern[time % 4]
    forecast = smoothing.grid_smoothing(History(values, (4,), Frequency.QUARTERLY), 8)
    future = np.arange(40, 48)
    np.testing.assert_allclose(
        forecast.median, 100.0 + 2.0 * future + pattern[future % 4], rtol=1e-6
    )


def test_grid_holds_simple_and_damped_smoothing_but_no_damped_fixed_trend() -> None:
    grid = smoothing._PLAIN_GRID
    assert np.any(grid.damping == 0.0)
    assert np.any((grid.damping == 0.85) & (grid.trend > 0))
    assert not np.any((grid.trend == 0) & (grid.damping > 0) & (grid.damping < 1))


@pytest.mark.parametrize("loss_steps", [1, 6])
def test_short_history_with_a_long_season_is_still_fitted(loss_steps) -> None:
    values = np.random.default_rng(11).normal(size=10)
    history = History(values, (168,), Frequency.HOURS)
    forecast = smoothing.grid_smoothing(history, 100, loss_steps=loss_steps)
    assert forecast.median.shape == forecast.standard_error.shape == (100,)
    assert np.all(np.isfinite(forecast.median))


def test_noise_is_not_smoothed_as_a_season() -> None:
    noise = np.random.default_rng(13).normal(size=60)
    with_period = smoothing.grid_smoothing(History(noise, (12,), Frequency.MONTHLY), 12)
    without = smoothing.grid_smoothing(History(noise, (), Frequency.MONTHLY), 12)
    np.testing.assert_array_equal(with_period.median, without.median)
