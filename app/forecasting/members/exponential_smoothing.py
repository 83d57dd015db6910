"""Additive exponential smoothing over a grid of parameters, averaged over the best.

Holt-Winters with damped trend in error-correction form (Gardner 2006, "Exponential smoothing: the
state of the art - part II", table 1, with the seasonal and level errors corrected together). All
parameter sets are columns of one array and start from the classical decomposition. They are ranked
by their absolute error several steps ahead. The mean of the best is steadier than the one optimum
(Kolassa 2011, "Combining exponential smoothing forecasts using Akaike weights").
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.forecasting.error_ranking import loss_weights, rank_errors
from app.forecasting.members.types import ErrorPart, LowFrequencyMember, MemberForecast
from app.forecasting.preprocessing.decomposition import additive_indices, is_seasonal
from app.forecasting.step_errors import MAX_MEASURED_STEPS, measured_errors
from app.timeseries.history import History
from app.timeseries.least_squares import line_slope
from app.timeseries.types import FloatArray, IntArray

_MAX_POINTS = 600  # the newest points: older ones only take time
_ROLLED_SETS = 4
# The initial level and trend are of the line through the first two cycles, or this many points.
_MIN_LINE_POINTS = 8
# The initial level without a trend is the mean of the first cycle, or of this many points.
_MIN_LEVEL_POINTS = 3
# The first errors do not count, as states adapt: those of a cycle, at least this many, unless they
# are more than a third of the history.
_IGNORED_ERRORS = 4
_NO_TREND = 0.0  # the damping of a series without a trend


@dataclass(frozen=True)
class SmoothingGrid:
    """Parameter sets: the smoothing of level, trend and season, and the damping, (sets,) each.

    The smoothing of the trend is relative to that of the level. A damping of ``_NO_TREND`` is
    simple exponential smoothing.
    """

    level: FloatArray
    trend: FloatArray
    season: FloatArray
    damping: FloatArray


def _parameter_grid(
    levels: Sequence[float], trends: Sequence[float], seasons: Sequence[float]
) -> SmoothingGrid:
    sets = []
    for level, trend, season in itertools.product(levels, trends, seasons):
        # A trend that is not smoothed is not damped either.
        dampings = (1.0, 0.95, 0.85) if trend else (1.0, _NO_TREND)
        sets += [(level, trend, season, damping) for damping in dampings]
    return SmoothingGrid(*np.array(sets).T)


_SEASONAL_GRID = _parameter_grid((0.05, 0.2, 0.4, 0.7, 0.95), (0.0, 0.03, 0.12), (0.02, 0.1, 0.3))
_PLAIN_GRID = _parameter_grid((0.1, 0.3, 0.5, 0.7, 0.9, 1.0), (0.0, 0.05, 0.15, 0.4), (0.0,))


@dataclass(frozen=True)
class SmoothingStates:
    """Level and trend before each point and after the last one, (n + 1, sets).

    Row t of ``season`` (n + m, sets) is the seasonal index of point t, ``damping_sums[h]`` the sum
    of the first h powers of the damping.
    """

    level: FloatArray
    trend: FloatArray
    season: FloatArray
    period: int
    damping_sums: FloatArray

    def forecast(self, origins: slice, step: int) -> FloatArray:
        """Return the forecast ``step`` steps ahead from each origin, shape (origins, sets)."""
        forecast: FloatArray = self.damping_sums[step] * self.trend[origins]
        forecast += self.level[origins]
        if self.period > 1:
            # The seasonal index is the latest one of that phase before the origin.
            shift = (step - 1) % self.period
            forecast += self.season[origins.start + shift : origins.stop + shift]
        return forecast

    def of(self, sets: IntArray) -> "SmoothingStates":
        """Return the states of some of the parameter sets."""
        return SmoothingStates(
            self.level[:, sets],
            self.trend[:, sets],
            self.season[:, sets],
            self.period,
            self.damping_sums[:, sets],
        )


def smoothing(loss_steps: int, averaged: int) -> LowFrequencyMember:
    """Return the member with these settings of ``grid_smoothing``."""
    forecast = partial(grid_smoothing, loss_steps=loss_steps, averaged=averaged)
    return LowFrequencyMember("exponential smoothing", forecast, ErrorPart.SMOOTHING)


def grid_smoothing(
    history: History, horizon: int, *, loss_steps: int = 1, averaged: int = 8
) -> MemberForecast:
    """Forecast by the mean of the parameter sets with the smallest absolute error.

    They see the last 600 points, and the shortest seasonal period if the series is seasonal. The
    standard error is the root mean square error of forecasts inside the history.

    Args:
        history: Its values are not all equal.
        horizon: Steps to forecast.
        loss_steps: The error is that of 1 to this many steps ahead.
        averaged: The number of parameter sets.
    """
    values = history.values[-_MAX_POINTS:]
    location, scale = float(values.mean()), float(values.std())
    if scale <= 0:
        return MemberForecast(np.full(horizon, values[-1]), np.zeros(horizon))
    standardized = (values - location) / scale
    period = history.period
    if not is_seasonal(values, period):
        period = 1
    grid = _SEASONAL_GRID if period > 1 else _PLAIN_GRID
    states = run_smoothing(standardized, period, grid, max(horizon, loss_steps, MAX_MEASURED_STEPS))
    start = max(period if period > 1 else 0, min(_IGNORED_ERRORS, len(values) // 3))
    losses = _losses(standardized, states, loss_steps, start)
    best = rank_errors(losses)[:averaged]
    chosen = states.of(best)
    forecasts = chosen.level[-1] + chosen.damping_sums[1 : horizon + 1] * chosen.trend[-1]
    if period > 1:
        forecasts += chosen.season[len(values) + np.arange(horizon) % period]
    median = forecasts @ loss_weights(losses[best]) * scale + location
    errors = _step_errors(standardized, states.of(best[:_ROLLED_SETS]), start, horizon)
    return MemberForecast(median, errors * scale)


def run_smoothing(
    values: FloatArray, period: int, grid: SmoothingGrid, steps: int
) -> SmoothingStates:
    """Filter a standardized series of shape (n,) through every parameter set."""
    length = len(values)
    sets = len(grid.level)
    has_season = period > 1
    indices = additive_indices(values, period) if has_season else np.zeros(1)
    adjusted = values - indices[np.arange(length) % period]
    head = min(length, max(2 * period, _MIN_LINE_POINTS))
    slope = line_slope(adjusted[:head])
    start = float(adjusted[:head].mean()) - slope * (head - 1) / 2
    is_flat = grid.damping == _NO_TREND
    level, trend = np.empty((length + 1, sets)), np.empty((length + 1, sets))
    level[0] = np.where(
        is_flat, adjusted[: max(_MIN_LEVEL_POINTS, min(period, head))].mean(), start - slope
    )
    trend[0] = np.where(is_flat, 0.0, slope)
    season = np.zeros((length + period, sets))
    season[:period] = indices[:, None]
    # How much one unit of error adds to level, trend and season.
    gains = np.stack([grid.level, grid.level * grid.trend, grid.season * (1.0 - grid.level)])
    corrections = np.empty_like(gains)
    to_level, to_trend, to_season = corrections
    error = np.empty(sets)
    # Nearly all time is in this loop: rows are lists of views, and changed in place.
    levels, trends, seasons = list(level), list(trend), list(season)
    for now, value in enumerate(values.tolist()):
        expected, damped = levels[now + 1], trends[now + 1]
        np.multiply(grid.damping, trends[now], out=damped)
        np.add(levels[now], damped, out=expected)
        np.subtract(value, expected, out=error)
        if has_season:
            error -= seasons[now]
        np.multiply(gains, error, out=corrections)
        expected += to_level
        damped += to_trend
        if has_season:
            np.add(seasons[now], to_season, out=seasons[now + period])
    damping_sums = np.zeros((steps + 1, sets))
    np.cumsum(grid.damping ** np.arange(1, steps + 1)[:, None], axis=0, out=damping_sums[1:])
    return SmoothingStates(level, trend, season, period, damping_sums)


def _losses(values: FloatArray, states: SmoothingStates, loss_steps: int, start: int) -> FloatArray:
    """Return each set's mean absolute error, summed over 1 ... ``loss_steps`` steps ahead."""
    length = len(values)
    losses = np.zeros(states.level.shape[1])
    for step in range(1, loss_steps + 1):
        origins = slice(start, length - step + 1)
        if origins.stop - origins.start < 3:
            break
        errors = values[start + step - 1 :, None] - states.forecast(origins, step)
        losses += np.abs(errors, out=errors).mean(0)
    return losses


def _step_errors(
    values: FloatArray, states: SmoothingStates, start: int, horizon: int
) -> FloatArray:
    """Return the root mean square errors of the sets' mean, never narrowing with the horizon."""
    length = len(values)
    sets = states.level.shape[1]
    # The mean over sets is taken first: every later step is linear.
    level, season = states.level.mean(1), states.season.mean(1)
    trends = states.trend @ states.damping_sums[: MAX_MEASURED_STEPS + 1].T / sets

    def errors_of(step: int) -> FloatArray:
        stop = length - step + 1
        errors = values[start + step - 1 :] - level[start:stop] - trends[start:stop, step]
        if states.period > 1:
            shift = (step - 1) % states.period
            errors -= season[start + shift : stop + shift]
        return np.asarray(errors)

    steps = range(1, min(length - start, MAX_MEASURED_STEPS) + 1)
    return measured_errors(map(errors_of, steps), length, horizon, default=1.0)
