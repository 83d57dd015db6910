"""Long members on the series without its outliers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.forecasting.members.kinds import BacktestedForecast, LongMember
from app.forecasting.members.profiles import NAIVE, seasonal_profiles
from app.forecasting.past_origins import Task
from app.forecasting.transformations import Transformed
from app.forecasting.types import FloatArray

# A series is disturbed where cleaning moves it by at least this share of its absolute deviation.
LEAST_CLEANED = 0.05
_PROFILES = seasonal_profiles(levelled=True)


def without_outliers(task: Task) -> Task:
    """Return the task with outliers pulled in, untransformed; targets stay unchanged."""
    cleaned = task.cleaned
    calm = cleaned.calm if cleaned.shift == 0 else task.values
    return replace(task, transformed=(Transformed("calm", calm, task.transformed[0].invert),))


def on_calm(*members: LongMember) -> LongMember:
    """Return ``members``, all of which must suit, as one on the series without outliers."""

    def forecast(task: Task) -> Sequence[BacktestedForecast]:
        calm = without_outliers(task)
        return [said for member in members for said in member.forecast(calm)]

    return LongMember("members without outliers", forecast)


def _calm_values(task: Task) -> FloatArray:
    """The values with outliers pulled in, and levels where they were; shape (n,)."""
    cleaned = task.cleaned
    calm = cleaned.calm + task.values - cleaned.moved
    return np.maximum(calm, 0.0) if task.values.min() >= 0 else calm


def _is_disturbed(task: Task) -> bool:
    cleaned = task.cleaned
    taken = np.abs(cleaned.calm - cleaned.moved).sum()
    deviation = np.abs(cleaned.moved - np.median(cleaned.moved)).sum()
    return bool(taken >= LEAST_CLEANED * deviation > 0)


def _calm_profiles(task: Task) -> Sequence[BacktestedForecast]:
    calm = replace(task, values=_calm_values(task))
    return [*NAIVE.forecast(calm), *_PROFILES.forecast(calm)]


# Bursts make the last value and the last cycles poor forecasts, and distort every fitted member.
CALM_PROFILES = LongMember("profiles without outliers", _calm_profiles, _is_disturbed)
