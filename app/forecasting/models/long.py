"""How a recipe for Hours, Daily, Weekly, Minutes or Seconds makes a forecast.

Members are measured at past origins of the same series and averaged with weights by their error
there, and the errors of the average give the interval.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.combination import (
    CombinedForecast,
    combine_by_backtest,
    failure_notices,
    run_long,
)
from app.forecasting.intervals.conformal import (
    MAX_SMOOTHED_LEADS,
    ErrorScale,
    learned_factors,
    measure_errors,
)
from app.forecasting.intervals.end_jump import find_end_jump, widen_to_both_levels
from app.forecasting.intervals.learned import LEARNED, interpolate_levels
from app.forecasting.intervals.width_cap import cap_width, widest_bounds
from app.forecasting.members.types import BacktestedForecast, LongMember
from app.forecasting.past_origins import Task, choose_origins, targets_after
from app.forecasting.seasonality import Seasonality, find_seasonality, is_year_of_weeks
from app.forecasting.transformations import transform
from app.forecasting.types import MAX_HORIZON, Bounds, Fit
from app.timeseries.types import FloatArray, History

# Members use this many cycles of the longest season, and at this many points.
KEPT_CYCLES, MIN_KEPT_POINTS, MAX_KEPT_POINTS = 4, 1_040, 10_000


@dataclass(frozen=True)
class LongRecipe:
    """What one model needs for one frequency.

    Attributes:
        seasonal: The members for a season short enough to recur many times.
        plain: Those without a season, or for a year of weeks.
        origins: The number of past origins.
        step: Steps between them; 0: half a short season.
        spread_out: Whether origins spread over the second half of the history.
        power: The exponent of the errors in the weights.
        pooled_leads: The number of first steps whose errors are pooled.
    """

    seasonal: tuple[LongMember, ...]
    plain: tuple[LongMember, ...]
    origins: int = 28
    step: int = 0
    spread_out: bool = False
    power: float = 3.0
    pooled_leads: int = 24

    def members(self, seasonality: Seasonality) -> tuple[LongMember, ...]:
        """Return the members that suit the seasonality."""
        is_frequent = seasonality.short and not is_year_of_weeks(seasonality)
        return self.seasonal if is_frequent else self.plain


def make_task(
    values: FloatArray, seasonality: Seasonality, horizon: int, recipe: LongRecipe
) -> Task:
    """Choose the past origins of a series: the same for any horizon.

    More steps are forecast than are asked for: errors are smoothed over some to either side, and
    looked at over the usual ones.
    """
    leads = max(horizon, recipe.pooled_leads) + MAX_SMOOTHED_LEADS
    length = len(values)
    short, long = seasonality.short, seasonality.long
    earliest = max(length // 2, min(max(short, long) + short, length * 3 // 4))
    step = recipe.step or max(1, short // 2)
    if recipe.spread_out or not short:
        step = max(step, (length - earliest) // recipe.origins)
    origins = choose_origins(
        length,
        furthest=max(recipe.pooled_leads, min(MAX_HORIZON, length // 4 - step * recipe.origins)),
        step=step,
        count=recipe.origins,
        earliest=earliest,
    )
    targets = targets_after(values, origins, leads, recipe.origins)
    pooled_leads = recipe.pooled_leads
    return Task(
        values, seasonality, leads, pooled_leads, origins, targets, transform(values, short)
    )


def select_recent(values: FloatArray, periods: tuple[int, ...]) -> tuple[FloatArray, Seasonality]:
    """Return the last points, as many as members use, and the seasons that they show."""
    seasonality = find_seasonality(len(values), periods)
    wanted = KEPT_CYCLES * max(seasonality.short, seasonality.long)
    values = values[-max(MIN_KEPT_POINTS, min(wanted, MAX_KEPT_POINTS)) :]
    return values, find_seasonality(len(values), periods)


def error_scale(forecast: BacktestedForecast, task: Task) -> ErrorScale:
    """Return how large the errors of a combined forecast are."""
    season = max(1, task.seasonality.short)
    return measure_errors(
        forecast, task.targets, task.origins, task.values, season, task.pooled_leads
    )


@dataclass(frozen=True)
class LongForecast:
    """A combined forecast, the task at whose origins its members were weighted, and the members
    that failed."""

    task: Task
    combined: CombinedForecast
    failed: tuple[str, ...]


def combine_long(history: History, horizon: int, recipe: LongRecipe) -> LongForecast:
    """Weight the recipe's members by their errors at past origins; at least 10 points."""
    values, seasonality = select_recent(history.values, history.periods)
    task = make_task(values, seasonality, horizon, recipe)
    forecasts, failed = run_long(recipe.members(seasonality), task)
    combined = combine_by_backtest(forecasts, task.targets, task.pooled_leads, recipe.power)
    return LongForecast(task, combined, failed)


def fit_long(history: History, horizon: int, recipe: LongRecipe) -> Fit:
    """Combine members by their errors at past origins; their errors there give the interval."""
    result = combine_long(history, horizon, recipe)
    mean, values, median = result.combined.mean.median, result.task.values, result.combined.median
    scale = error_scale(result.combined.mean, result.task)
    factors = learned_factors(scale, LEARNED.weighed[history.frequency])
    furthest, jump = widest_bounds(mean, values), find_end_jump(values)
    least = 0.0 if history.values.min() >= 0 else -np.inf

    def interval(confidence: float) -> Bounds:
        half = interpolate_levels(factors, confidence) * scale.ahead
        bounds = cap_width((mean - half, mean + half), furthest)
        lower, upper = widen_to_both_levels(bounds, mean, jump, confidence)
        lower, upper = np.minimum(lower, median), np.maximum(upper, median)
        return np.maximum(lower, least), np.maximum(upper, least)

    return Fit(
        np.maximum(median, least),
        interval,
        failure_notices(result.failed),
        step_error=float(scale.ahead[0]),
    ).first(horizon)
