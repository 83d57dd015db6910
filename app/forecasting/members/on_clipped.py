"""High-frequency members on the series with clipped outliers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.forecasting.members.profiles import NAIVE, seasonal_profiles_member
from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.past_origins import BacktestTask
from app.timeseries.bounds import floor_of
from app.timeseries.types import FloatArray

# A series is disturbed if cleaning moves it by at least this fraction of its absolute deviation.
_MIN_CLEANED_FRACTION = 0.05
LEVELLED_PROFILES = seasonal_profiles_member(is_levelled=True)


def on_clipped(*members: HighFrequencyMember) -> HighFrequencyMember:
    """Return one member for ``members``, which must suit any task, on the clipped series."""

    def forecast(task: BacktestTask) -> Sequence[BacktestedForecast]:
        clipped = clip_outliers(task)
        return [
            member_forecast for member in members for member_forecast in member.forecast(clipped)
        ]

    return HighFrequencyMember("members without outliers", forecast)


def clip_outliers(task: BacktestTask) -> BacktestTask:
    """Return the task with clipped outliers and without transformations; its targets stay."""
    cleaned = task.cleaned
    clipped = cleaned.clipped if cleaned.shift == 0 else task.values
    return replace(task, transformed=(replace(task.transformed[0], values=clipped),))


def _clipped_profiles(task: BacktestTask) -> Sequence[BacktestedForecast]:
    clipped = replace(task, values=_clipped_values(task))
    return [*NAIVE.forecast(clipped), *LEVELLED_PROFILES.forecast(clipped)]


def _is_disturbed(task: BacktestTask) -> bool:
    cleaned = task.cleaned
    removed = np.abs(cleaned.clipped - cleaned.moved).sum()
    deviation = np.abs(cleaned.moved - np.median(cleaned.moved)).sum()
    return bool(removed >= _MIN_CLEANED_FRACTION * deviation > 0)


# Bursts near the end make the last value and the last cycles poor forecasts.
CLIPPED_PROFILES = HighFrequencyMember(
    "profiles without outliers", _clipped_profiles, _is_disturbed
)


def _clipped_values(task: BacktestTask) -> FloatArray:
    """Return the values with clipped outliers, but at their own levels, shape (n,)."""
    cleaned = task.cleaned
    clipped = cleaned.clipped + task.values - cleaned.moved
    return np.maximum(clipped, floor_of(task.values))
