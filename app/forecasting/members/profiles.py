"""Seasonal profiles: the next cycle repeats the mean of the last few.

With one cycle this is the seasonal naive method (Hyndman and Athanasopoulos, 5.2); with a period of
1 it is the naive method.
"""

import numpy as np

from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.past_origins import BacktestTask
from app.forecasting.seasonality import WEEKS_PER_YEAR
from app.timeseries.types import FloatArray


def seasonal_profiles_member(*, is_levelled: bool) -> HighFrequencyMember:
    """Return the member of profiles of one and of four cycles of each season.

    A season counts if it is complete before the first origin. ``is_levelled`` adds profiles of
    four cycles at the level of the last point.
    """

    def forecast(task: BacktestTask) -> list[BacktestedForecast]:
        forecasts = []
        for period in (task.seasonality.short, task.seasonality.whole_long):
            if period and task.origins[0] >= period:
                forecasts += [mean_profile(task, period, 1), mean_profile(task, period, 4)]
                if is_levelled:
                    forecasts.append(levelled_profile(task, period, 4))
        return forecasts

    return HighFrequencyMember("seasonal profiles", forecast)


NAIVE = HighFrequencyMember("naive", lambda task: [mean_profile(task, 1, 1)])
LAST_YEAR_PROFILE = HighFrequencyMember(
    "last year",
    lambda task: [mean_profile(task, WEEKS_PER_YEAR, 1)],
    lambda task: task.seasonality.is_annual and task.origins[0] > WEEKS_PER_YEAR,
    weight=2,
)


def mean_profile(task: BacktestTask, period: int, cycles: int) -> BacktestedForecast:
    """Return the mean of the last ``cycles`` cycles of ``period`` steps, repeated."""
    starts = np.array([*task.origins, len(task.values)])
    paths = repeat_profile(task.values, period, cycles, task.horizon, starts)
    return BacktestedForecast(forecast=paths[-1], backtest=paths[:-1])


def levelled_profile(task: BacktestTask, period: int, cycles: int) -> BacktestedForecast:
    """Return the mean of the last cycles, moved to the level of the last point.

    The naive method after seasonal adjustment: a random walk with a season.
    """
    starts = np.array([*task.origins, len(task.values)])
    profile = repeat_profile(task.values, period, cycles, max(task.horizon, period), starts)
    shift = task.values[starts - 1] - profile[:, period - 1]
    paths = profile[:, : task.horizon] + shift[:, None]
    return BacktestedForecast(forecast=paths[-1], backtest=paths[:-1])


def repeat_profile(
    values: FloatArray, period: int, cycles: int, horizon: int, starts: FloatArray
) -> FloatArray:
    """Return the mean of the last ``cycles`` cycles before each start, repeated.

    Cycles before the first point are left out; each start needs at least one whole cycle.
    Returns shape (starts, horizon).
    """
    steps = np.arange(horizon) % period
    total = np.zeros((len(starts), horizon))
    used = np.zeros((len(starts), 1))
    for cycle in range(1, cycles + 1):
        first = starts - period * cycle
        exists = first >= 0
        index = np.where(exists, first, 0)[:, None] + steps
        total += np.where(exists[:, None], values[index], 0.0)
        used += exists[:, None]
    return np.asarray(total / used)
