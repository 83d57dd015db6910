"""The recipes for Hours, Daily, Weekly, Minutes and Seconds.

Members prove themselves at past origins of the same series; they are averaged with weights by their
error there, and the errors of the average give the interval.
"""

import logging
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.cleaning import clean
from app.forecasting.intervals.conformal import ErrorScale, conformal_interval, measure_errors
from app.forecasting.intervals.end import last_jump, reach_both_ends
from app.forecasting.intervals.reach import within_reach
from app.forecasting.members.adjusted_arima import adjusted_arima
from app.forecasting.members.double_seasonal import double_seasonal
from app.forecasting.members.profiles import levelled_profile, profile
from app.forecasting.members.seasonal_ridge import RidgeDesign, seasonal_ridge
from app.forecasting.past_origins import (
    Scale,
    Task,
    choose_origins,
    combine,
    make_scales,
    targets_after,
)
from app.forecasting.seasonality import (
    Rhythm,
    Waves,
    exact,
    seasonal_lags,
    usable_rhythm,
    yearly_lags,
)
from app.forecasting.types import FloatArray, History, MemberForecast, Prediction

# Members look at this many cycles of the longest season, and at this many points.
CYCLES_KEPT, FEWEST_KEPT, MOST_KEPT = 4, 1_040, 10_000
YEAR_OF_WEEKS = 52
NO_ARIMA = "ARIMA could not be fitted; the other members answered"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recipe:
    """What one kind of series needs.

    ``origins`` past origins, ``step`` apart (in steps; 0: half a short season), or further where
    ``spread_out`` asks for origins all over the second half of the history. ``cleaned``: members on
    the series without outliers take part (holidays in daily data). ``walking``: the season on the
    level of the last point takes part. ``power``: how sharply weights follow the errors.
    """

    origins: int = 28
    step: int = 0
    spread_out: bool = False
    cleaned: bool = False
    walking: bool = True
    power: float = 3.0


RECIPES: dict[Frequency, Recipe] = {
    Frequency.DAILY: Recipe(spread_out=True, cleaned=True, walking=False, power=6.0),
    Frequency.WEEKLY: Recipe(origins=12, step=4),
}
DEFAULT = Recipe()


def cyclic_members(
    task: Task, rhythm: Rhythm, recipe: Recipe, *, light: bool = False
) -> list[MemberForecast]:
    """Return members for a series with a season short enough to be seen many times."""
    short, long = rhythm.short, rhythm.whole_long
    first = task.origins[0]
    lags = seasonal_lags(rhythm, min(len(task.values), 2 * first))
    levels = RidgeDesign(lags, rhythm.dummies, rhythm.waves)
    shorter = tuple(lag for lag in lags if lag + short < first)
    seasonal = replace(levels, lags=shorter, difference=short)
    members = [profile(task, 1, 1)]
    members += double_seasonal(task, short, rhythm.second or 4 * short)
    members += seasonal_ridge(task, levels, (0.1,) if light else (0.03, 0.3))
    members += seasonal_ridge(task, seasonal, (0.3,))
    members += seasonal_ridge(task, replace(levels, lags=shorter, difference=1), (0.3,))
    if not light:
        walk = RidgeDesign((1, 2, 3), rhythm.dummies, difference=1)
        members += seasonal_ridge(task, walk, (3.0,))
        if recipe.cleaned:
            calm = without_outliers(task, rhythm)
            members += seasonal_ridge(calm, levels, (0.3,)) + seasonal_ridge(calm, seasonal, (0.3,))
            members += double_seasonal(calm, short, rhythm.second or 4 * short)
        if long and first > 1.6 * long:
            near = tuple(lag for lag in lags if lag < min(long - 1, 0.9 * first - long))
            design = RidgeDesign(near, rhythm.dummies, difference=long)
            members += seasonal_ridge(task, design, (1.0,))
    for period in (short, long):
        if period and first >= period:
            members += [profile(task, period, 1), profile(task, period, 4)]
            if recipe.walking:
                members.append(levelled_profile(task, period, 4))
    return members


def without_outliers(task: Task, rhythm: Rhythm) -> Task:
    """Return the task with outliers pulled in, on the raw scale alone; targets stay as they are."""
    cleaned = clean(task.values, rhythm.short, rhythm.long, 1)
    calm = cleaned.calm if cleaned.shift == 0 else task.values
    return replace(task, scales=(Scale("calm", calm, task.scales[0].invert),))


def plain_members(task: Task, waves: Waves = (), *, light: bool = False) -> list[MemberForecast]:
    """Return members for a series without a season, or with one of a year of weeks."""
    first = task.origins[0]
    lags = yearly_lags(first) if waves else tuple(k for k in (1, 2, 3, 4, 5) if k < 0.3 * first)
    lags = lags or (1,)
    members = [profile(task, 1, 1)]
    penalties = (0.3,) if light else (0.1, 1.0)
    members += seasonal_ridge(task, RidgeDesign(lags, waves=waves), penalties)
    members += seasonal_ridge(task, RidgeDesign(lags, waves=waves, difference=1), penalties)
    members += seasonal_ridge(task, RidgeDesign(lags[:5], difference=1), (0.3,))
    if waves:
        forgetting = RidgeDesign(lags, waves=waves, difference=1, half_life=104)
        members += seasonal_ridge(task, forgetting, (0.3,))
        if first > YEAR_OF_WEEKS:
            members.append(profile(task, YEAR_OF_WEEKS, 1))
            members.append(levelled_profile(task, YEAR_OF_WEEKS, 1))
    return members


def make_task(values: FloatArray, rhythm: Rhythm, horizon: int, recipe: Recipe) -> Task:
    """Choose the past origins of a series."""
    length = len(values)
    short, long = rhythm.short, rhythm.long
    earliest = max(length // 2, min(max(short, long) + short, length * 3 // 4))
    step = recipe.step or max(1, short // 2)
    if recipe.spread_out or not short:
        step = max(step, (length - horizon - earliest) // recipe.origins)
    origins = choose_origins(length, horizon, step=step, count=recipe.origins, earliest=earliest)
    targets = targets_after(values, origins, horizon)
    return Task(values, (short, long), horizon, origins, targets, make_scales(values, short))


def keep_recent(values: FloatArray, periods: tuple[int, ...]) -> tuple[FloatArray, Rhythm]:
    """Return the last points, as many as members look at, and the seasons those show."""
    rhythm = usable_rhythm(len(values), periods)
    wanted = CYCLES_KEPT * max(rhythm.short, rhythm.long)
    values = values[-max(FEWEST_KEPT, min(wanted, MOST_KEPT)) :]
    return values, usable_rhythm(len(values), periods)


def find_members(
    task: Task, rhythm: Rhythm, recipe: Recipe, *, light: bool = False
) -> list[MemberForecast]:
    """Return the members that suit the rhythm."""
    if rhythm.short == YEAR_OF_WEEKS:
        pairs = 4 if len(task.values) > 160 else 2
        return plain_members(task, ((exact(YEAR_OF_WEEKS), pairs),), light=light)
    if rhythm.short:
        return cyclic_members(task, rhythm, recipe, light=light)
    return plain_members(task, light=light)


@dataclass(frozen=True)
class Validated:
    """A combined forecast and the past origins at which its members were weighed."""

    task: Task
    rhythm: Rhythm
    combined: MemberForecast
    notices: tuple[str, ...] = ()

    def error_scale(self) -> ErrorScale:
        """Return how large its errors are."""
        return measure_errors(
            self.combined,
            self.task.targets,
            self.task.origins,
            self.task.values,
            max(1, self.rhythm.short),
        )


def combine_validated(
    history: History, horizon: int, *, with_arima: bool, light: bool
) -> Validated:
    """Weigh members by their errors at past origins.

    Args:
        history: at least 10 points.
        horizon: steps to forecast.
        with_arima: let pmdarima's ARIMA take part.
        light: leave out the members that cost most.
    """
    recipe = RECIPES.get(history.frequency, DEFAULT)
    values, rhythm = keep_recent(history.values, history.periods)
    task = make_task(values, rhythm, horizon, recipe)
    members = find_members(task, rhythm, recipe, light=light)
    notices: tuple[str, ...] = ()
    # A history whose recent part does not vary leaves ARIMA nothing to fit.
    if with_arima and np.ptp(values) > 0:
        try:
            members.append(adjusted_arima(task, rhythm.second or rhythm.short))
        except Exception:
            # pmdarima raises whatever its optimiser meets; the other members stand without it.
            logger.info("ARIMA could not be fitted", exc_info=True)
            notices = (NO_ARIMA,)
    combined, _ = combine(members, task.targets, recipe.power)
    return Validated(task, rhythm, combined, notices)


def forecast_validated(
    history: History, horizon: int, confidence: float, *, with_arima: bool, light: bool
) -> Prediction:
    """Combine members by their errors at past origins; their errors there give the interval."""
    validated = combine_validated(history, horizon, with_arima=with_arima, light=light)
    median = validated.combined.median
    values = validated.task.values
    bounds = conformal_interval(median, validated.error_scale(), confidence)
    bounds = within_reach(bounds, median, values)
    lower, upper = reach_both_ends(bounds, median, last_jump(values), confidence)
    if history.values.min() >= 0:
        lower, median, upper = (np.maximum(bound, 0.0) for bound in (lower, median, upper))
    return Prediction(lower, median, upper, validated.notices)


def forecast_long(
    history: History, horizon: int, confidence: float, *, with_arima: bool
) -> Prediction:
    """Return the recipe of models 1 (with ARIMA) and 2 (without) for these frequencies."""
    return forecast_validated(
        history, horizon, confidence, with_arima=with_arima, light=not with_arima
    )
