"""A recent outage that a new level followed, as when a meter fails and is replaced.

Without a rule for both, neither is recognized: the points since the outage began are far from each
other, and the last ones are not usual again. So the outage is removed before a new level is
searched for. An outage of zeros is certain, and removed whatever follows: together with what
follows, it would be one run of unusual values, most of which are 0.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.levels.recent_change import LevelChange, find_level_change, max_points_since
from app.forecasting.levels.recent_interruption import (
    LEVEL_FREQUENCIES,
    LEVEL_POINTS,
    MIN_UNUSUAL_HALF_WIDTHS,
    ForecastFunction,
    Interruption,
    UnclearEnd,
    distances_from,
    find_interruption,
)
from app.forecasting.types import ForecastDistribution
from app.timeseries.history import History
from app.timeseries.types import FloatArray

_MIN_LEVEL_RATIO = 2.0  # of the smallest of all other values to the largest one of an outage
_MIN_POINTS_AFTER = 3  # fewer points may be a part of the outage, unless it is certain
_MIN_CERTAIN_POINTS = 3  # points of a certain outage


@dataclass(frozen=True)
class OutageAndChange:
    """An outage, and the level that followed it or may have done so."""

    outage: Interruption
    change: LevelChange | UnclearEnd

    def remove_from(self, history: History) -> History:
        return self.change.remove_from(self.outage.remove_from(history))

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        return self.change.add_to(self.outage.add_to(distribution, floor), floor)


def find_outage_and_change(
    history: History, forecast: ForecastFunction
) -> OutageAndChange | Interruption | None:
    """Return the outage and the change after it, None if there are not both.

    A certain outage is returned without a change after it, too.

    Args:
        history: Its values are not all equal.
        forecast: Forecasts a history over a horizon, with intervals.
    """
    steps = _outage_steps(history.values)
    if steps is None:
        return None
    values = history.values[steps.start : steps.stop]
    before = replace(history, values=history.values[: steps.start])
    expected = forecast(before, len(steps))
    is_certain = history.frequency in LEVEL_FREQUENCIES and _are_unexpected_zeros(values, expected)
    if not is_certain and len(history.values) - steps.stop < _MIN_POINTS_AFTER:
        return None
    outage = Interruption(steps.start, expected.median)
    rest = outage.remove_from(history)
    change = find_level_change(rest, forecast) or find_interruption(rest, forecast)
    if not isinstance(change, LevelChange | UnclearEnd) or change.index < steps.stop:
        return outage if is_certain else None
    return OutageAndChange(outage, change)


def _are_unexpected_zeros(values: FloatArray, expected: ForecastDistribution) -> bool:
    if values.any() or len(values) < _MIN_CERTAIN_POINTS:
        return False
    distances, _ = distances_from(expected, values)
    return bool(np.median(distances) <= -MIN_UNUSUAL_HALF_WIDTHS)


def _outage_steps(values: FloatArray) -> range | None:
    """Return the steps of a recent outage that is over, None without one.

    Its values are near 0, and no other ones are: a shop that closes each Sunday has no outage.
    """
    if values.min() < 0:
        return None
    is_low = values <= _MIN_LEVEL_RATIO * values.min()
    low, others = np.flatnonzero(is_low), values[~is_low]
    start, stop = int(low[0]), int(low[-1]) + 1
    if (
        len(low) < stop - start
        or start < 2 * LEVEL_POINTS
        or not 0 < len(values) - stop <= max_points_since(len(values))
        or others.min() <= _MIN_LEVEL_RATIO * values[low].max()
    ):
        return None
    return range(start, stop)
