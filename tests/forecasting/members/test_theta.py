"""Dynamic theta: the published recursion, its season and its standard error."""

import numpy as np
import pytest

from app.forecasting.members import theta
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def yearly_history(values):
    return History(np.asarray(values, dtype=float), (), Frequency.YEARLY)


def reference_forecast(values, smoothing, initial_level, line_weight, horizon):
    """Forecast by equations 11 to 16 of Fiorucci et al. (2016), one point after the other."""
    known = list(values)
    level, mean, intercept, slope = initial_level, 0.0, 0.0, 0.0
    forecasts = []
    for count in range(1, len(values) + horizon + 1):
        decay = (1.0 - smoothing) ** (count - 1)
        line = decay * intercept + (1.0 - decay * (1.0 - smoothing)) / smoothing * slope
        forecast = level + line_weight * line
        if count > len(values):
            forecasts.append(forecast)
            known.append(forecast)
        value = known[count - 1]
        level = smoothing * value + (1.0 - smoothing) * level
        if count > 1:
            slope = ((count - 2) * slope + 6.0 / count * (value - mean)) / (count + 1)
        mean = ((count - 1) * mean + value) / count
        intercept = mean - (count + 1) / 2.0 * slope
    return np.array(forecasts)


def test_each_parameter_set_follows_the_published_recursion() -> None:
    values = np.cumsum(np.random.default_rng(4).normal(size=30)) + 20.0
    fit = theta.fit_theta(values)
    rolled = theta.roll_theta(fit, np.array([30]), 8, len(fit.smoothing))[0]
    for column, smoothing in enumerate(fit.smoothing):
        initial_level = fit.levels[0, column]
        expected = reference_forecast(values, smoothing, initial_level, fit.line_weight[column], 8)
        np.testing.assert_allclose(rolled[:, column], expected, rtol=1e-9)


def test_rolling_from_a_past_origin_uses_only_the_past() -> None:
    values = np.cumsum(np.random.default_rng(5).normal(size=30)) + 20.0
    fit = theta.fit_theta(values)
    rolled = theta.roll_theta(fit, np.array([20]), 5, 1)[0, :, 0]
    expected = reference_forecast(
        values[:20], fit.smoothing[0], fit.levels[0, 0], fit.line_weight[0], 5
    )
    np.testing.assert_allclose(rolled, expected, rtol=1e-9)


def test_a_straight_line_continues() -> None:
    values = 50.0 + 3.0 * np.arange(25)
    forecast = theta.dynamic_theta(yearly_history(values), 5)
    np.testing.assert_allclose(forecast.median, 50.0 + 3.0 * np.arange(25, 30), rtol=1e-3)


@pytest.mark.parametrize("multiplicative", [True, False])
def test_the_season_comes_back_after_the_adjustment(multiplicative) -> None:
    pattern = np.array([120.0, 80.0, 90.0, 110.0])
    values = np.tile(pattern, 8)
    history = History(values, (4,), Frequency.QUARTERLY)
    forecast = theta.dynamic_theta(history, 6, is_multiplicative=multiplicative)
    np.testing.assert_allclose(forecast.median, pattern[[0, 1, 2, 3, 0, 1]], rtol=0.02)


def test_the_standard_error_grows_like_that_of_a_random_walk() -> None:
    walk = np.cumsum(np.random.default_rng(6).normal(size=500))
    width = theta.dynamic_theta(yearly_history(walk), 16).standard_error
    assert width[0] == pytest.approx(1.0, rel=0.15)
    assert 2.5 < width[15] / width[0] < 6.0
    assert np.all(np.diff(width) >= 0)
