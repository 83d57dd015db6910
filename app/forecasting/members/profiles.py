"""Seasonal profiles: the next cycle repeats the mean of the last few.

With one cycle this is the seasonal naive method (Hyndman and Athanasopoulos, 5.2); with a period of
1 it is the naive method.
"""

import numpy as np

from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.past_origins import BacktestTask
from app.forecasting.preprocessing.seasonality import WEEKS_PER_YEAR
from app.timeseries.types import FloatArray, IntArray


def seasonal_profiles_member(*, is_levelled: bool) -> HighFrequencyMember:
    """Return the member with profiles of one and of four cycles of each season.

    A season counts if it has a complete cycle before the first origin. ``is_levelled`` adds
    profiles of four cycles, moved to the last value.
    """

    def forecast(task: BacktestTask) -> list[BacktestedForecast]:
        forecasts = []
        for period in (task.seasonality.short, task.seasonality.long_in_short_cycles):
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
    lambda task: task.seasonality.is_year_of_weeks and task.origins[0] > WEEKS_PER_YEAR,
    weight=2,
)


def mean_profile(task: BacktestTask, period: int, cycles: int) -> BacktestedForecast:
    """Return the mean of the last ``cycles`` cycles of ``period`` steps, repeated."""
    paths = repeat_profile(task.values, period, cycles, task.horizon, task.starts)
    return BacktestedForecast.of_paths(paths)


def levelled_profile(task: BacktestTask, period: int, cycles: int) -> BacktestedForecast:
    """Return the mean of the last ``cycles`` cycles, moved so that it continues the last value.

    This is the naive method after seasonal adjustment: a random walk with a season.
    """
    profile = repeat_profile(task.values, period, cycles, max(task.horizon, period), task.starts)
    shift = task.values[task.starts - 1] - profile[:, period - 1]
    return BacktestedForecast.of_paths(profile[:, : task.horizon] + shift[:, None])


def repeat_profile(
    values: FloatArray, period: int, cycles: int, horizon: int, starts: IntArray
) -> FloatArray:
    """Return the mean of the last ``cycles`` cycles before each start, repeated: (starts, horizon).

    At least one complete cycle must be before each start; fewer than ``cycles`` may be.
    """
    steps = np.arange(horizon) % period
    total = np.zeros((len(starts), horizon))
    count = np.zeros((len(starts), 1))
    for cycle in range(1, cycles + 1):
        first = starts - period * cycle
        is_there = first >= 0
        index = np.where(is_there, first, 0)[:, None] + steps
        total += np.where(is_there[:, None], values[index], 0.0)
        count += is_there[:, None]
    return np.asarray(total / count)
