"""The recipes for Hours, Daily, Weekly, Minutes and Seconds.

Members prove themselves at past origins of the same series; they are averaged with weights by their
error there, and the errors of the average give the interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.forecasting.frequency import Frequency
from app.forecasting.intervals.conformal import conformal_interval, measure_errors
from app.forecasting.members.double_seasonal import double_seasonal
from app.forecasting.members.profiles import levelled_profile, profile
from app.forecasting.members.seasonal_ridge import RidgeDesign, seasonal_ridge
from app.forecasting.types import FloatArray, History, MemberForecast, Prediction
from app.forecasting.validation import (
    Task,
    choose_origins,
    combine,
    make_scales,
    targets_after,
)

# A season longer than this is described by waves in place of one indicator a phase.
LONGEST_DUMMIES = 48
WEEKS_IN_YEAR = 365.25 / 7


@dataclass(frozen=True)
class Rhythm:
    """The seasonal periods that a history is long enough to show: 0 where there is none."""

    short: int
    long: int


def usable_rhythm(length: int, periods: Sequence[int]) -> Rhythm:
    """Return the two shortest periods that fit at least twice into ``length`` points."""
    usable = sorted(period for period in periods if 2 <= period <= length // 2)
    return Rhythm(usable[0] if usable else 0, usable[1] if len(usable) > 1 else 0)


def longest_history(rhythm: Rhythm) -> int:
    """Return how many of the last points members look at."""
    return max(1_040, min(4 * max(rhythm.short, rhythm.long), 10_000))


def seasonal_lags(rhythm: Rhythm, length: int) -> tuple[int, ...]:
    """Return the last three steps, whole cycles and their neighbours, as far as they fit."""
    short, long = rhythm.short, rhythm.long
    lags = {1, 2, 3}
    if short:
        lags |= {short * k for k in range(1, 8)} | {short - 1, short + 1}
    if long:
        lags |= {long - 1, long, long + 1}
        if length > 3.2 * long:
            lags.add(2 * long)
    return tuple(sorted(lag for lag in lags if 0 < lag < 0.45 * length))


def weekly_lags(length: int) -> tuple[int, ...]:
    """Return a month of weeks, the quarter and the year, as far as they fit."""
    lags = [1, 2, 3, 4]
    lags += [8, 13] if length > 150 else []
    lags += [26, 51, 52, 53] if length > 170 else []
    lags += [104] if length > 330 else []
    return tuple(lag for lag in lags if lag < max(2.0, 0.3 * length))


def cyclic_members(task: Task, rhythm: Rhythm, *, light: bool) -> list[MemberForecast]:
    """Return members for a series with a season short enough to be seen many times."""
    length = len(task.values)
    short, long = rhythm.short, rhythm.long
    lags = seasonal_lags(rhythm, min(length, 2 * task.origins[0]))
    dummies = short if short <= LONGEST_DUMMIES else 0
    waves: tuple[tuple[float, int], ...] = () if dummies else ((float(short), 10),)
    if long and long > 7 * short:
        waves = (*waves, (float(long), 3))
    second = long if long and long % short == 0 else 4 * short
    members = double_seasonal(task, short, second)
    penalties = (0.1,) if light else (0.03, 0.3)
    members += seasonal_ridge(task, RidgeDesign(lags, dummies, waves), penalties)
    shorter = tuple(lag for lag in lags if lag + short < task.origins[0])
    members += seasonal_ridge(task, RidgeDesign(shorter, dummies, waves, difference=short), (0.3,))
    for period in (short, long):
        if period and task.origins[0] >= period:
            members += [profile(task, period, 1), profile(task, period, 4)]
    return members


def plain_members(task: Task, waves: tuple[tuple[float, int], ...] = ()) -> list[MemberForecast]:
    """Return members for a series without a season, or with one of a year of weeks."""
    first = task.origins[0]
    lags = weekly_lags(first) if waves else tuple(k for k in (1, 2, 3, 4, 5) if k < 0.3 * first)
    lags = lags or (1,)
    members = [profile(task, 1, 1)]
    members += seasonal_ridge(task, RidgeDesign(lags, waves=waves), (0.1, 1.0))
    members += seasonal_ridge(task, RidgeDesign(lags, waves=waves, difference=1), (0.1, 1.0))
    members += seasonal_ridge(task, RidgeDesign(lags[:5], difference=1), (0.3,))
    if waves and first > 52:
        members += [profile(task, 52, 1), levelled_profile(task, 52)]
    return members


def make_task(values: FloatArray, rhythm: Rhythm, horizon: int, frequency: Frequency) -> Task:
    """Choose the past origins of a series."""
    length = len(values)
    short, long = rhythm.short, rhythm.long
    earliest = max(length // 2, min(max(short, long) + short, length * 3 // 4))
    if frequency == Frequency.WEEKLY:
        step, count = 4, 12
    elif short:
        step, count = max(1, short // 2), 28
    else:
        step, count = 4, 28
    origins = choose_origins(length, horizon, step=step, count=count, earliest=earliest)
    return Task(
        values,
        (short, long),
        horizon,
        origins,
        targets_after(values, origins, horizon),
        make_scales(values),
    )


def forecast_long(
    history: History, horizon: int, confidence: float, *, with_arima: bool
) -> Prediction:
    """Return the recipe of models 1 (with ARIMA) and 2 (without) for these frequencies."""
    return forecast_validated(history, horizon, confidence, power=4.0, light=not with_arima)


def forecast_validated(
    history: History, horizon: int, confidence: float, *, power: float, light: bool
) -> Prediction:
    """Combine members by their errors at past origins."""
    rhythm = usable_rhythm(len(history.values), history.periods)
    values = history.values[-longest_history(rhythm) :]
    task = make_task(values, rhythm, horizon, history.frequency)
    if history.frequency == Frequency.WEEKLY and rhythm.short == 52:
        pairs = 4 if len(values) > 160 else 2
        members = plain_members(task, ((WEEKS_IN_YEAR, pairs),))
    elif rhythm.short:
        members = cyclic_members(task, rhythm, light=light)
    else:
        members = plain_members(task)
    combined, _ = combine(members, task.targets, power)
    assert combined.backtest is not None
    scale = measure_errors(
        task.targets - combined.backtest, task.origins, len(values), max(1, rhythm.short)
    )
    lower, upper = conformal_interval(combined.median, scale, confidence)
    if values.min() >= 0:
        lower = np.maximum(lower, 0.0)
    return Prediction(lower, combined.median, np.maximum(upper, combined.median))
