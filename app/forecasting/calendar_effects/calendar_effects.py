"""The effects of holidays and shopping days, and the values at the same time of near weeks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.forecasting.effects import Effects
from app.forecasting.types import ForecastDistribution
from app.timeseries.seconds import DAYS_PER_WEEK
from app.timeseries.types import BoolArray, FloatArray

# Weights of values by their distance in weeks.
_WEEK_WEIGHTS = {1: 1.0, 2: 0.7, 3: 0.5}
_MIN_WEIGHT = min(_WEEK_WEIGHTS.values())


@dataclass(frozen=True)
class CalendarEffects(Effects):
    """Effects of holidays or of shopping days.

    Attributes:
        learned_count: Holidays of the history, from which the effects were learned.
        upcoming_count: Holidays among the steps to come.
        is_closed: The steps to come that are 0 at any level, shape (h,).
        notices: Short sentences about these holidays.
        shopping_days: The names of the shopping days whose effects they are.
    """

    learned_count: int
    upcoming_count: int
    is_closed: BoolArray
    notices: tuple[str, ...] = ()
    shopping_days: tuple[str, ...] = ()

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution with the effects to come, and 0 on closed days."""
        added = super().add_to(distribution, floor)
        before = 0.0 if added.effects is None else added.effects
        effects = before - np.where(self.is_closed, added.median, 0.0)
        closed = added.map_values(lambda values: values * ~self.is_closed, effects=effects)
        provenance = closed.provenance
        return closed.with_provenance(
            holiday_notices=(*self.notices, *provenance.holiday_notices),
            shopping_days=(*self.shopping_days, *provenance.shopping_days),
        )


class _NearWeek(NamedTuple):
    """The values of a history that are some weeks before or after its steps."""

    weeks: int
    weight: float
    side: int  # 0: the values are before the steps, 1: after them
    steps: slice
    source: slice  # the values


def baseline_values(values: FloatArray, is_ordinary: BoolArray, week: int) -> FloatArray:
    """Return the weighted mean of the same time of the weeks around each step, without the step.

    Args:
        values: The history, shape (n,).
        is_ordinary: Which values count, shape (n,).
        week: Steps in a week.

    Returns:
        Shape (n,); NaN where no value within three weeks is ordinary.
    """
    total, weight = np.zeros(len(values)), np.zeros(len(values))
    ordinary = np.where(is_ordinary, values, 0.0)
    for near in _weeks_around(len(values), week):
        total[near.steps] += near.weight * ordinary[near.source]
        weight[near.steps] += near.weight * is_ordinary[near.source]
    with np.errstate(invalid="ignore"):
        return np.where(weight > 0, total / np.maximum(weight, _MIN_WEIGHT), np.nan)


def interpolate_weeks(values: FloatArray, is_ordinary: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return a line between the weeks before and after each day, and the variance of these weeks.

    Both have shape (n,), NaN where a side has no ordinary value within three weeks. The arguments
    are as in ``baseline_values``, in days.
    """
    weight, distance, total, squares = np.zeros((4, 2, len(values)))
    ordinary = np.where(is_ordinary, values, 0.0)
    for near in _weeks_around(len(values), DAYS_PER_WEEK):
        side_steps, source = (near.side, near.steps), near.source
        weight[side_steps] += near.weight * is_ordinary[source]
        distance[side_steps] += near.weight * near.weeks * is_ordinary[source]
        total[side_steps] += near.weight * ordinary[source]
        squares[side_steps] += near.weight * ordinary[source] ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        (before, after), (far_before, far_after) = total / weight, distance / weight
        line = (before * far_after + after * far_before) / (far_before + far_after)
        mean = total.sum(axis=0) / weight.sum(axis=0)
        variance = squares.sum(axis=0) / weight.sum(axis=0) - mean**2
    return line, np.where(np.isfinite(line), variance, np.nan)


def _weeks_around(points: int, week: int) -> Iterator[_NearWeek]:
    """Yield the weeks before and after the steps of a history, the nearest first."""
    for weeks, weight in _WEEK_WEIGHTS.items():
        lag = weeks * week
        if lag < points:
            yield _NearWeek(weeks, weight, 0, steps=slice(lag, None), source=slice(-lag))
            yield _NearWeek(weeks, weight, 1, steps=slice(-lag), source=slice(lag, None))
