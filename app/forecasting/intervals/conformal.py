"""Prediction intervals from the errors at past origins.

The errors of the combined forecast at past origins show how large errors are at each step and each
phase of the season. The half-width of an interval is that expected error times a factor (normalized
conformal scores: Papadopoulos et al. 2008). The factor was learned by quantile regression over many
series. It depends on how heavy the tails of the series' own errors are, and on how many of them are
independent: errors of overlapping forecasts are correlated, and their plain quantiles too narrow.

If the forecast is hardly better than the naive one, errors are as large as the changes of the
series. The factor then also depends on the ratio of the changes in the whole history to those after
the past origins, which may be untypical.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS, HighFrequencyWidths
from app.forecasting.intervals.level_factors import level_factors
from app.forecasting.intervals.normal import normal_half_widths
from app.forecasting.intervals.short_history import SeasonShortfall
from app.forecasting.intervals.yearly_volatility import yearly_volatility
from app.forecasting.members.types import BacktestedForecast
from app.forecasting.past_origins import BacktestTask
from app.timeseries.numbers import TINY
from app.timeseries.phases import shrunk_phase_means
from app.timeseries.types import FloatArray, IntArray

# The weight of the prior "all phases have the same error", in observations.
_PHASE_PRIOR = 20.0
_MIN_PHASE_ORIGINS = 7
_MAX_LOG_RATIO = 2.0
_TAIL_PRIOR = 100.0  # the weight of the prior "errors have normal tails", in scores
_COMPARED_STEPS = 6  # leads at which changes are compared
_MAX_LOG_VOLATILITY = 1.5  # the maximum of the logarithm of their ratio
# The weight of that ratio grows from 0 to 1 between these errors, over those of the naive forecast.
_NAIVE_ERROR_RATIOS = (0.5, 0.9)
MAX_SMOOTHED_LEADS = 12  # steps to either side over which errors are smoothed
_SIDE_LIMITS = (0.1, 2.0)  # of one side's half-width, in half-widths of a symmetric interval
_MEDIAN_WEIGHT = 0.5  # the median moves by this fraction of the median past error


@dataclass(frozen=True)
class ErrorScale:
    """The size of errors, and the past errors in units of it.

    Attributes:
        expected_errors: The expected absolute error at each step of the forecast, shape (h,).
        scores: The past errors of the pooled leads over the error expected there, shape (m,).
        independent_forecasts: How many forecasts without a common step the past origins allow at
            each step, shape (h,); at most the number of origins.
        log_volatility: From `log_volatility_ratio`.
        shortfall: By how much the history is too short.
    """

    expected_errors: FloatArray
    scores: FloatArray
    independent_forecasts: FloatArray
    log_volatility: float
    shortfall: SeasonShortfall


def measure_errors(forecast: BacktestedForecast, task: BacktestTask) -> ErrorScale:
    """Measure the past errors of a combined forecast by lead, phase, part of the year and level.

    Only the scores of the task's pooled leads are used.
    """
    values, targets, period = task.values, task.targets, task.seasonality.period
    errors = targets - forecast.backtest
    past_steps = np.asarray(task.origins)[:, None] + np.arange(task.horizon)
    next_steps = len(values) + np.arange(task.horizon)
    volatility = np.ones(len(values) + task.horizon)
    if task.seasonality.year:
        volatility = yearly_volatility(values, task.seasonality, task.horizon)
    relative = errors / (level_factors(forecast.backtest, values, period) * volatility[past_steps])
    mean_errors = step_scale(relative, period)
    expected_errors = (
        mean_errors * level_factors(forecast.forecast, values, period) * volatility[next_steps]
    )
    pooled = slice(task.pooled_leads)
    scores = relative[:, pooled] / np.maximum(mean_errors[pooled], TINY)
    if period == 1:
        expected_errors = np.maximum.accumulate(expected_errors)
    elif len(task.origins) >= _MIN_PHASE_ORIGINS:
        phases = past_steps[:, pooled] % period
        factors = phase_error_ratios(np.abs(scores), phases, period)
        scores = scores / factors[phases]
        expected_errors = expected_errors * factors[next_steps % period]
    mean_error = float(np.nanmean(np.abs(errors)[:, pooled]))
    return ErrorScale(
        expected_errors=expected_errors,
        scores=scores[np.isfinite(scores)],
        independent_forecasts=_independent_forecasts(task),
        log_volatility=log_volatility_ratio(values, task.origins, targets[:, pooled], mean_error),
        shortfall=SeasonShortfall.of(len(values), period),
    )


def step_scale(errors: FloatArray, period: int) -> FloatArray:
    """Return the mean absolute error at each step, shape (h,), smoothed and never decreasing.

    Beyond the last step with errors it grows as that of a random walk.

    Args:
        errors: Shape (origins, h), NaN without a value.
        period: Shortest seasonal period in steps, 1 for none.
    """
    horizon = errors.shape[1]
    is_known = np.isfinite(errors)
    counts = is_known.sum(axis=0)
    sums = np.where(is_known, np.abs(errors), 0.0).sum(axis=0)
    observed = int((counts > 0).sum())
    # The window is symmetric, so that the first step, whose errors are smallest, is not smoothed.
    lead = np.arange(observed)
    half = np.minimum(np.minimum(lead, observed - 1 - lead), min(period // 2, MAX_SMOOTHED_LEADS))
    total = np.concatenate([[0.0], np.cumsum(sums[:observed] / counts[:observed])])
    smooth = (total[lead + half + 1] - total[lead - half]) / (2 * half + 1)
    smooth = np.maximum.accumulate(smooth)
    beyond = np.arange(observed, horizon) + 1.0
    return np.concatenate([smooth, smooth[-1] * np.sqrt(beyond / observed)])


def _independent_forecasts(task: BacktestTask) -> FloatArray:
    """Return how many forecasts without a common step the past origins allow, shape (h,)."""
    first, last = task.origins[0], task.origins[-1]
    observed = int(np.isfinite(task.targets).any(axis=0).sum())
    leads = np.arange(1, task.horizon + 1)
    leads = np.clip(leads, min(task.pooled_leads, observed), observed)
    return np.asarray(np.minimum(len(task.origins), (last - first + 1.0) / leads + 1.0))


def phase_error_ratios(relative: FloatArray, phases: IntArray, period: int) -> FloatArray:
    """Return the mean relative error of each phase, shrunk towards 1, shape (period,).

    ``relative`` and ``phases`` have one shape; ``relative`` is NaN where unknown.
    """
    is_known = np.isfinite(relative)
    return shrunk_phase_means(relative[is_known], phases[is_known], period, 1.0, _PHASE_PRIOR)


def log_volatility_ratio(
    values: FloatArray, origins: tuple[int, ...], targets: FloatArray, error: float
) -> float:
    """Return the log of the ratio of mean changes: in the history over after the past origins.

    Args:
        values: The history, shape (n,).
        origins: Index of the first step of each row of ``targets``.
        targets: The values after each origin, shape (origins, h).
        error: Mean absolute error of the forecast there. The smaller it is relative to that of the
            naive forecast, the less changes say about errors; the logarithm is weighted by that.
    """
    longest = min(targets.shape[1], max(1, len(values) // 2 - 1))
    steps = np.arange(1, longest + 1)[:: max(1, longest // _COMPARED_STEPS)]
    changes = np.abs(targets - values[np.asarray(origins) - 1][:, None])
    naive = float(np.nanmean(changes))
    recent = float(np.nanmean(changes[:, steps - 1]))
    overall = float(np.mean([np.abs(values[step:] - values[:-step]).mean() for step in steps]))
    if min(recent, overall, naive) <= 0.0:
        return 0.0
    no_effect, full_effect = _NAIVE_ERROR_RATIOS
    weight = np.clip((error / naive - no_effect) / (full_effect - no_effect), 0.0, 1.0)
    return float(
        weight * np.clip(np.log(overall / recent), -_MAX_LOG_VOLATILITY, _MAX_LOG_VOLATILITY)
    )


def scale_from_changes(
    scale: ErrorScale, values: FloatArray, period: int, forecast: FloatArray
) -> ErrorScale:
    """Return a scale from the changes between seasons, for past errors that are all 0.

    Cleaning can move all values of a short history onto their season, so that no error remains. A
    season that repeats exactly keeps a scale of 0.
    """
    changes = values[period:] - values[:-period]
    mean_change = float(np.abs(changes).mean()) if len(changes) else 0.0
    if mean_change == 0:
        return scale
    expected_errors = mean_change * level_factors(forecast, values, period)
    return replace(scale, expected_errors=expected_errors, scores=changes / mean_change)


@dataclass(frozen=True)
class SkewedWidths:
    """The shift of the median for skewed errors, and the half-widths below and above it.

    The half-widths are at ``CONFIDENCE_LEVELS``, shape (levels, h). The unit is the expected error.
    """

    median_shift: float
    below: FloatArray
    above: FloatArray


def skewed_half_widths(scale: ErrorScale, widths: HighFrequencyWidths) -> SkewedWidths:
    """Return half-widths scaled on each side, around a median moved by the median past error.

    A side is scaled by its quantile of the errors over the quantile of the absolute errors.
    """
    median_shift = _MEDIAN_WEIGHT * float(np.median(scale.scores))
    centred = replace(scale, scores=scale.scores - median_shift)
    half = learned_half_widths(centred, widths)
    tails = (1 - np.array(CONFIDENCE_LEVELS)) / 2
    symmetric = np.maximum(np.quantile(np.abs(centred.scores), CONFIDENCE_LEVELS), TINY)
    below = np.clip(-np.quantile(centred.scores, tails) / symmetric, *_SIDE_LIMITS)
    above = np.clip(np.quantile(centred.scores, 1 - tails) / symmetric, *_SIDE_LIMITS)
    return SkewedWidths(median_shift, half * below[:, None], half * above[:, None])


def learned_half_widths(scale: ErrorScale, widths: HighFrequencyWidths) -> FloatArray:
    """Return the half-widths at ``CONFIDENCE_LEVELS``, ascending, shape (levels, h).

    They are in units of the expected error.
    """
    logs = (interval_features(scale) * widths.factors).sum(axis=-1)
    factors = np.maximum.accumulate(np.exp(logs), axis=1)
    return np.asarray((factors * scale.shortfall.widening_factors(widths.exponents)).T)


def interval_features(scale: ErrorScale) -> FloatArray:
    """Return the regressors of the learned factors, shape (h, levels, 4).

    They are 1, 1 / sqrt(independent forecasts), the log ratio of tails and the log volatility.
    """
    # The ratio is to the tails of a normal distribution, shrunk towards 1 if there are few scores.
    normal = normal_half_widths(CONFIDENCE_LEVELS) * np.sqrt(np.pi / 2)
    quantiles = np.maximum(np.quantile(np.abs(scale.scores), CONFIDENCE_LEVELS), TINY)
    logs = np.clip(np.log(quantiles / normal), -_MAX_LOG_RATIO, _MAX_LOG_RATIO)
    logs *= len(scale.scores) / (len(scale.scores) + _TAIL_PRIOR)
    by_independence = 1 / np.sqrt(scale.independent_forecasts)[:, None]
    return np.stack(np.broadcast_arrays(1.0, by_independence, logs, scale.log_volatility), axis=-1)
