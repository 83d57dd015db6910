"""How model 4 forecasts Hours, Daily, Weekly, Minutes and Seconds: metrics of high variance.

The history before a level shift is moved to the new level, and outliers are clipped. Members learn
from the clipped values, but their errors are measured on the moved ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.combination import combine_by_backtest, failure_notices, run_high_frequency
from app.forecasting.intervals.conformal import (
    ErrorScale,
    measure_errors,
    scale_from_changes,
    skewed_half_widths,
)
from app.forecasting.intervals.end_jump import find_end_jump
from app.forecasting.intervals.interval_widths import IntervalWidths
from app.forecasting.intervals.learned import LEARNED
from app.forecasting.members.ramps import has_ramps
from app.forecasting.members.types import BacktestedForecast
from app.forecasting.models.high_frequency import (
    HighFrequencyRecipe,
    fit_high_frequency,
    make_task,
    select_recent,
)
from app.forecasting.past_origins import BacktestTask, targets_after
from app.forecasting.preprocessing.cleaning import CleanedSeries
from app.forecasting.preprocessing.transformations import transformations_of
from app.forecasting.types import ForecastDistribution, Provenance
from app.timeseries.bounds import floor_of
from app.timeseries.history import History
from app.timeseries.robust import weighted_median
from app.timeseries.types import FloatArray, IntArray

# Half-lives of the robust levels, in steps and in short seasons.
_HALF_LIVES = (1.0, 4.0, 12.0)
_HALF_LIVES_IN_SEASONS = (2.0, 7.0)
# The window of a weighted median, in half-lives: beyond it weights are below 1/32.
_WINDOW_HALF_LIVES = 5
# A jump at the end may be more than an outlier if it is this many times larger than any before.
_MIN_LARGE_JUMP_RATIO = 1e3


@dataclass(frozen=True)
class RobustForecast:
    """The last points as they were, the forecast, its error scale, and the members that failed."""

    values: FloatArray
    combined: BacktestedForecast
    scale: ErrorScale
    failed: tuple[str, ...]


def combine_robust(history: History, horizon: int, recipe: HighFrequencyRecipe) -> RobustForecast:
    """Run the recipe's members on the cleaned series, and the robust levels."""
    values, seasonality = select_recent(history)
    short = seasonality.short
    half_lives = _HALF_LIVES + tuple(cycles * short for cycles in _HALF_LIVES_IN_SEASONS if short)
    raw_task = make_task(values, seasonality, horizon, recipe)
    cleaned = raw_task.cleaned
    targets = targets_after(cleaned.moved, raw_task.origins, raw_task.horizon, recipe.origin_count)
    task = replace(raw_task, values=cleaned.moved, targets=targets)
    clipped_task = _clipped_task(task, cleaned.clipped)
    forecasts, failed = run_high_frequency(recipe.members(seasonality), clipped_task)
    forecasts += robust_levels(task, cleaned, half_lives)
    combined = combine_by_backtest(forecasts, targets, task.pooled_leads, recipe.power).mean
    scale = measure_errors(combined, task)
    if scale.expected_errors.max() == 0:
        scale = scale_from_changes(scale, values, seasonality.period, combined.forecast)
    return RobustForecast(values, combined, scale, failed)


def robust_levels(
    task: BacktestTask, cleaned: CleanedSeries, half_lives: Sequence[float]
) -> list[BacktestedForecast]:
    """Return a robust level of recent values, plus the season, for each half-life in steps.

    The level is the exponentially weighted median of the deseasonalized values (a median form of
    simple exponential smoothing). ``task.values`` are ``cleaned.moved``.
    """
    deseasonalized = cleaned.clipped - cleaned.season
    season = np.concatenate([cleaned.season, cleaned.season_ahead])
    season_ahead = season[task.starts[:, None] + np.arange(task.horizon)]
    forecasts = []
    for half_life in half_lives:
        levels = forgetting_medians(deseasonalized, half_life, task.starts)
        paths = np.maximum(levels[:, None] + season_ahead, floor_of(task.values))
        forecasts.append(BacktestedForecast.of_paths(paths))
    return forecasts


def forgetting_medians(values: FloatArray, half_life: float, starts: IntArray) -> FloatArray:
    """Return the weighted median of the points before each start, shape (starts,).

    Args:
        values: Shape (n,).
        half_life: Steps after which a point has half the weight.
        starts: Each at least 1.
    """
    window = int(_WINDOW_HALF_LIVES * half_life) + 2
    index = starts[:, None] + np.arange(-window, 0)
    weights = np.where(index >= 0, 0.5 ** (np.arange(window)[::-1] / half_life), 0.0)
    return weighted_median(values[np.maximum(index, 0)].T, weights.T)


def _clipped_task(task: BacktestTask, clipped: FloatArray) -> BacktestTask:
    """Return the task of members that learn from ``clipped`` values; the targets are the same."""
    transformed = transformations_of(clipped, task.seasonality.period)
    return replace(task, values=clipped, transformed=transformed)


def fit_robust(history: History, horizon: int, recipe: HighFrequencyRecipe) -> ForecastDistribution:
    """Combine members on the cleaned series; their errors there give a skewed interval.

    The arguments are as in ``fit_high_frequency``. Cleaning would take the ends of ramps for
    outliers or shifts, so a series of ramps is forecast as it is.
    """
    if has_ramps(select_recent(history)[0]):
        return fit_high_frequency(history, horizon, recipe)
    result = combine_robust(history, horizon, recipe)
    values, scale = result.values, result.scale
    sides = skewed_half_widths(scale, LEARNED.robust[history.frequency])
    median = result.combined.forecast + sides.median_shift * scale.expected_errors
    widths = IntervalWidths(
        centre=median,
        below=sides.below,
        above=sides.above,
        expected_errors=scale.expected_errors,
        values=values,
        jump=find_end_jump(values, _MIN_LARGE_JUMP_RATIO),
    )
    provenance = Provenance(notices=failure_notices(result.failed))
    return widths.to_distribution(median, floor_of(values), provenance).first_steps(horizon)
