"""Forecasts by a recipe for Hours, Daily, Weekly, Minutes or Seconds.

Members are weighted by their errors at past origins of the same series. The errors of their mean
give the interval.
"""

from dataclasses import dataclass

from app.forecasting.combination import (
    CombinedForecast,
    combine_by_backtest,
    failure_notices,
    run_high_frequency,
)
from app.forecasting.intervals.conformal import (
    MAX_SMOOTHED_LEADS,
    learned_half_widths,
    measure_errors,
)
from app.forecasting.intervals.end_jump import find_end_jump
from app.forecasting.intervals.interval_widths import IntervalWidths
from app.forecasting.intervals.learned import LEARNED
from app.forecasting.members.types import HighFrequencyMember
from app.forecasting.past_origins import BacktestTask, choose_origins, targets_after
from app.forecasting.preprocessing.seasonality import Seasonality, find_seasonality
from app.forecasting.preprocessing.transformations import transformations_of
from app.forecasting.types import MAX_HORIZON, ForecastDistribution, Provenance
from app.timeseries.bounds import floor_of
from app.timeseries.history import History
from app.timeseries.types import FloatArray

_KEPT_CYCLES = 4  # the last cycles of the longest season, which members use
MIN_KEPT_POINTS, MAX_KEPT_POINTS = 1_040, 10_000


@dataclass(frozen=True)
class HighFrequencyRecipe:
    """What one model needs for one frequency.

    Attributes:
        seasonal: The members for series with a season that recurs many times.
        plain: The members for other series, also for weeks with an annual season.
        origin_count: The number of past origins.
        origin_distance: Steps between them; 0: half a short season.
        has_spread_origins: Whether origins spread over the second half of the history.
        power: The exponent of the errors in the weights.
        pooled_leads: The number of first steps whose errors are pooled.
    """

    seasonal: tuple[HighFrequencyMember, ...]
    plain: tuple[HighFrequencyMember, ...]
    origin_count: int = 28
    origin_distance: int = 0
    has_spread_origins: bool = False
    power: float = 3.0
    pooled_leads: int = 24

    def members(self, seasonality: Seasonality) -> tuple[HighFrequencyMember, ...]:
        has_many_cycles = seasonality.short and not seasonality.is_year_of_weeks
        return self.seasonal if has_many_cycles else self.plain


@dataclass(frozen=True)
class HighFrequencyForecast:
    """A combined forecast.

    Attributes:
        task: The task at whose past origins the members were weighted.
        combined: The members as one forecast.
        failed: The names of members that failed.
    """

    task: BacktestTask
    combined: CombinedForecast
    failed: tuple[str, ...]


def fit_high_frequency(
    history: History, horizon: int, recipe: HighFrequencyRecipe
) -> ForecastDistribution:
    """Combine members by their errors at past origins; the errors of their mean give the interval.

    ``history`` has at least 10 points.
    """
    result = combine_high_frequency(history, horizon, recipe)
    mean, values = result.combined.mean.forecast, result.task.values
    scale = measure_errors(result.combined.mean, result.task)
    factors = learned_half_widths(scale, LEARNED.weighed[history.frequency])
    widths = IntervalWidths(
        centre=mean,
        below=factors,
        above=factors,
        expected_errors=scale.expected_errors,
        values=values,
        jump=find_end_jump(values),
    )
    fitted = widths.to_distribution(
        result.combined.median,
        floor_of(history.values),
        Provenance(notices=failure_notices(result.failed)),
    )
    return fitted.first_steps(horizon)


def combine_high_frequency(
    history: History, horizon: int, recipe: HighFrequencyRecipe
) -> HighFrequencyForecast:
    """Weight the recipe's members by their errors at past origins; see ``fit_high_frequency``."""
    values, seasonality = select_recent(history)
    task = make_task(values, seasonality, horizon, recipe)
    forecasts, failed = run_high_frequency(recipe.members(seasonality), task)
    combined = combine_by_backtest(forecasts, task.targets, task.pooled_leads, recipe.power)
    return HighFrequencyForecast(task, combined, failed)


def make_task(
    values: FloatArray, seasonality: Seasonality, horizon: int, recipe: HighFrequencyRecipe
) -> BacktestTask:
    """Return the task of a series, whose past origins do not depend on the horizon.

    It has more steps than ``horizon``: errors are smoothed over neighbouring steps, and those of
    the first ones are pooled.
    """
    leads = max(horizon, recipe.pooled_leads) + MAX_SMOOTHED_LEADS
    points = len(values)
    short, long = seasonality.short, seasonality.long
    # Members learn from half of the history, or from one long and one short season if a quarter
    # remains for the origins.
    earliest = max(points // 2, min(max(short, long) + short, points * 3 // 4))
    distance = recipe.origin_distance or max(1, short // 2)
    if recipe.has_spread_origins or not short:
        distance = max(distance, (points - earliest) // recipe.origin_count)
    # Each origin measures the pooled leads, and more while all of them fit the last quarter.
    spare_leads = min(MAX_HORIZON, points // 4 - distance * recipe.origin_count)
    origins = choose_origins(
        points,
        max_lead=max(recipe.pooled_leads, spare_leads),
        distance=distance,
        count=recipe.origin_count,
        earliest=earliest,
    )
    return BacktestTask(
        values=values,
        seasonality=seasonality,
        horizon=leads,
        pooled_leads=recipe.pooled_leads,
        origins=origins,
        targets=targets_after(values, origins, leads, recipe.origin_count),
        transformed=transformations_of(values, seasonality.period),
    )


def select_recent(history: History) -> tuple[FloatArray, Seasonality]:
    """Return the last points, which members use, and their seasonality."""
    values, periods, frequency = history.values, history.periods, history.frequency
    seasonality = find_seasonality(len(values), periods, frequency)
    kept = _KEPT_CYCLES * max(seasonality.short, seasonality.long)
    recent = values[-max(MIN_KEPT_POINTS, min(kept, MAX_KEPT_POINTS)) :]
    return recent, find_seasonality(len(recent), periods, frequency)
