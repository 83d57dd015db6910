"""Dynamic theta: exponential smoothing of the level, plus a line that is refitted at each point.

The dynamic optimized theta model of Fiorucci, Pellegrini, Louzada, Petropoulos and Koehler (2016),
"Models for optimising the theta method and their relationship to state space models", equations
11 to 16. Instead of a numerical search over three parameters, there is a grid of smoothing weights.
For each of them the initial level and the weight of the line are solved by least squares, as the
one-step forecast is linear in both. The forecasts of the best weights are averaged.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.signal import lfilter

from app.forecasting.error_ranking import loss_weights, rank_errors
from app.forecasting.members.log_transform import can_use_logs, on_logs
from app.forecasting.members.types import LowFrequencyMember, MemberForecast
from app.forecasting.preprocessing.decomposition import (
    additive_indices,
    is_seasonal,
    multiplicative_indices,
)
from app.forecasting.step_errors import MAX_MEASURED_STEPS, SHORT_HISTORY_POINTS, measured_errors
from app.timeseries.history import History
from app.timeseries.types import FloatArray, IntArray

_MAX_POINTS = 600  # the newest points, to which theta is fitted: older ones only take time

_SMOOTHING = np.concatenate([[0.02, 0.05], np.arange(0.1, 1.0, 0.06), [0.98]])
_AVERAGED_SETS = 6  # the best
# Those of them whose forecasts inside the history are rolled for the width of the interval, which
# takes most of the time.
_AVERAGED_FOR_WIDTHS = 3
# The first origin of forecasts inside the history: after a third of a short one, or a quarter.
_MIN_ORIGIN_POINTS = 3
# Added to the squares of the decays, all about 0 for a weight near 1.
_MIN_SQUARES = 1e-9
# The determinant of the two equations over the product of their squares: with less, the line is
# proportional to the decay, and its weight is unknown.
_MIN_DETERMINANT_RATIO = 1e-10


@dataclass(frozen=True)
class _RunningLine:
    """Mean, intercept and slope of the line through the first t = 1 ... n points, each (n,)."""

    mean: FloatArray
    intercept: FloatArray
    slope: FloatArray


@dataclass(frozen=True)
class ThetaFit:
    """The averaged parameter sets, best first; all arrays have the sets as last axis.

    ``levels`` (n + 1, sets) are the smoothed levels before each point and after the last one,
    ``weights`` those of the sets in the average.
    """

    smoothing: FloatArray
    line_weight: FloatArray
    levels: FloatArray
    line: _RunningLine
    weights: FloatArray


def dynamic_theta(
    history: History, horizon: int, *, is_multiplicative: bool = True
) -> MemberForecast:
    """Forecast by theta from the last 600 points, seasonally adjusted by the shortest period.

    The adjustment is multiplicative if ``is_multiplicative`` and all values are positive. The
    standard error is the root mean square error of forecasts inside the history.
    """
    values = history.values[-_MAX_POINTS:]
    scale = float(values.std())
    if scale <= 0:
        return MemberForecast(np.full(horizon, values[-1]), np.zeros(horizon))
    period = history.period
    season = np.arange(len(values) + horizon) % period
    adjusted = values
    factors = np.ones(horizon)
    offsets = np.zeros(horizon)
    if is_seasonal(values, period):
        indices = multiplicative_indices(values, period) if is_multiplicative else None
        if indices is not None:
            adjusted = values / indices[season[:-horizon]]
            factors = indices[season[-horizon:]]
        else:
            indices = additive_indices(values, period)
            adjusted = values - indices[season[:-horizon]]
            offsets = indices[season[-horizon:]]
    standardized = adjusted / scale
    fit = fit_theta(standardized)
    origin = np.array([len(values)])
    median = roll_theta(fit, origin, horizon, len(fit.smoothing))[0] @ fit.weights
    errors = _step_errors(standardized, fit, horizon)
    return MemberForecast(median * scale * factors + offsets, errors * scale * factors)


THETA = LowFrequencyMember("theta", dynamic_theta)
THETA_ON_LOGS = on_logs(replace(THETA, forecast=partial(dynamic_theta, is_multiplicative=False)))
THETA_WITHOUT_LOGS = replace(THETA, is_suitable=lambda values: not can_use_logs(values))


def fit_theta(values: FloatArray) -> ThetaFit:
    """Fit all smoothing weights to a standardized, deseasonalized series of shape (n,)."""
    length = len(values)
    line = _running_line(values)
    level_from_zero = np.zeros((length + 1, len(_SMOOTHING)))
    for column, weight in enumerate(_SMOOTHING):
        level_from_zero[1:, column] = lfilter([weight], [1.0, weight - 1.0], values)
    level_decay = (1.0 - _SMOOTHING) ** np.arange(length + 1)[:, None]

    # One-step error = target - decay * initial level - term * line weight. The first forecasts are
    # left out: their line is through one point.
    skipped = 2 if length > 6 else 1
    decays = level_decay[skipped:-1]
    points = slice(skipped - 1, -1)
    terms = _line_term(_SMOOTHING, decays, line.intercept[points, None], line.slope[points, None])
    targets = values[skipped:, None] - level_from_zero[skipped:-1]
    initial_level, line_weight = _solve_errors(decays, terms, targets)
    margin = 2 * values.std()
    initial_level = np.clip(initial_level, values.min() - margin, values.max() + margin)
    errors = targets - decays * initial_level - line_weight * terms
    losses = np.sqrt((errors**2).mean(0))
    best = rank_errors(losses)[:_AVERAGED_SETS]
    levels = level_from_zero[:, best] + level_decay[:, best] * initial_level[best]
    return ThetaFit(_SMOOTHING[best], line_weight[best], levels, line, loss_weights(losses[best]))


def _running_line(values: FloatArray) -> _RunningLine:
    count = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / count
    spread = count * (count**2 - 1) / 12.0
    covariation = np.cumsum(count * values) - (count + 1) / 2 * count * mean
    slope = np.where(count > 1, covariation / np.maximum(spread, 1.0), 0.0)
    return _RunningLine(mean, mean - (count + 1) / 2 * slope, slope)


def _line_term(
    smoothing: FloatArray, decay: FloatArray, intercept: FloatArray, slope: FloatArray
) -> FloatArray:
    """Return the part of the line through t points in the next forecast (equation 12).

    ``decay`` is (1 - smoothing) to the power of t.
    """
    return decay * intercept + (1.0 - decay * (1.0 - smoothing)) / smoothing * slope


def _solve_errors(
    decays: FloatArray, terms: FloatArray, targets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the initial level and the weight of the line, 0 to 1, by least squares for each set.

    The arguments have shape (errors, sets).
    """
    decay_square = (decays**2).sum(0) + _MIN_SQUARES
    decay_term, term_square = (decays * terms).sum(0), (terms**2).sum(0)
    decay_target, term_target = (decays * targets).sum(0), (terms * targets).sum(0)
    determinant = decay_square * term_square - decay_term**2
    is_solvable = np.abs(determinant) > _MIN_DETERMINANT_RATIO * decay_square * term_square
    solution = (decay_square * term_target - decay_term * decay_target) / np.where(
        is_solvable, determinant, 1.0
    )
    line_weight = np.clip(np.where(is_solvable, solution, 0.5), 0.0, 1.0)
    return (decay_target - line_weight * decay_term) / decay_square, line_weight


def _step_errors(values: FloatArray, fit: ThetaFit, horizon: int) -> FloatArray:
    """Return the root mean square errors of the rolled forecasts, never falling with the step."""
    length = len(values)
    is_short = length < SHORT_HISTORY_POINTS
    first_origin = max(_MIN_ORIGIN_POINTS, length // 3) if is_short else length // 4
    origins = np.arange(first_origin, length)
    forecasts = roll_theta(
        fit, origins, min(length, MAX_MEASURED_STEPS), _AVERAGED_FOR_WIDTHS
    ).mean(2)
    errors_by_step = (
        values[first_origin + step :] - forecasts[: len(origins) - step, step]
        for step in range(forecasts.shape[1])
    )
    return measured_errors(errors_by_step, length, horizon, float(np.std(np.diff(values))))


def roll_theta(fit: ThetaFit, origins: IntArray, horizon: int, sets: int) -> FloatArray:
    """Return forecasts, shape (origins, horizon, sets); each one is the next value of its path."""
    smoothing, line_weight = fit.smoothing[:sets], fit.line_weight[:sets]
    level = fit.levels[origins, :sets]
    mean = np.repeat(fit.line.mean[origins - 1, None], sets, axis=1)
    slope = np.repeat(fit.line.slope[origins - 1, None], sets, axis=1)
    # Points before each step, (horizon, origins, 1). The intercept of a line is its mean less its
    # slope times the mean time, so the line adds multiples of its mean and of its slope.
    count = (origins + np.arange(horizon)[:, None])[..., None].astype(np.float64)
    decay = (1.0 - smoothing) ** count
    mean_weight = line_weight * _line_term(smoothing, decay, np.ones(1), np.zeros(1))
    slope_weight = line_weight * _line_term(smoothing, decay, -(count + 1.0) / 2.0, np.ones(1))
    next_count = count + 1.0
    slope_decay, slope_gain = (next_count - 2.0) / (next_count + 1.0), 6.0 / (next_count + 1.0)
    forecasts = np.empty((len(origins), horizon, sets))
    for step in range(horizon):
        line = mean_weight[step] * mean + slope_weight[step] * slope
        forecast = level + line
        forecasts[:, step] = forecast
        level = level + smoothing * line
        moved = (forecast - mean) / next_count[step]
        mean = mean + moved
        slope = slope_decay[step] * slope + slope_gain[step] * moved
    return forecasts
