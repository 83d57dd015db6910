"""A recent outage that a new level followed, as when a meter fails and is replaced.

Without a rule for both, neither is recognized: the points since the outage began are far from each
other, and the last ones are not usual again. So the outage is removed before a new level is
searched for.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.levels.recent_change import LevelChange, find_level_change, max_points_since
from app.forecasting.levels.recent_interruption import (
    LEVEL_POINTS,
    ForecastFunction,
    Interruption,
    UnclearEnd,
    find_interruption,
)
from app.forecasting.types import ForecastDistribution
from app.timeseries.history import History
from app.timeseries.types import FloatArray

_MIN_LEVEL_RATIO = 2.0  # of the smallest of all other values to the largest one of an outage
_MIN_POINTS_AFTER = 3  # fewer points may be a part of the outage


@dataclass(frozen=True)
class OutageAndChange:
    """An outage, and the level that followed it or may have done so."""

    outage: Interruption
    change: LevelChange | UnclearEnd

    def remove_from(self, history: History) -> History:
        return self.change.remove_from(self.outage.remove_from(history))

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        return self.change.add_to(self.outage.add_to(distribution, floor), floor)


def find_outage_and_change(history: History, forecast: ForecastFunction) -> OutageAndChange | None:
    """Return the outage and the change after it, None if there are not both.

    Args:
        history: Its values are not all equal.
        forecast: Forecasts a history over a horizon, with intervals.
    """
    steps = _outage_steps(history.values)
    if steps is None:
        return None
    before = replace(history, values=history.values[: steps.start])
    outage = Interruption(steps.start, forecast(before, len(steps)).median)
    rest = outage.remove_from(history)
    change = find_level_change(rest, forecast) or find_interruption(rest, forecast)
    if not isinstance(change, LevelChange | UnclearEnd) or change.index < steps.stop:
        return None
    return OutageAndChange(outage, change)


def _outage_steps(values: FloatArray) -> range | None:
    """Return the steps of a recent outage that is over, None without one.

    Its values are near 0, and no other ones are: a shop that closes each Sunday has no outage.
    """
    if values.min() < 0:
        return None
    is_low = values <= _MIN_LEVEL_RATIO * values.min()
    low, others = np.flatnonzero(is_low), values[~is_low]
    start, stop = int(low[0]), int(low[-1]) + 1
    points_after = len(values) - stop
    if (
        len(low) < stop - start
        or start < 2 * LEVEL_POINTS
        or not _MIN_POINTS_AFTER <= points_after <= max_points_since(len(values))
        or others.min() <= _MIN_LEVEL_RATIO * values[low].max()
    ):
        return None
    return range(start, stop)
