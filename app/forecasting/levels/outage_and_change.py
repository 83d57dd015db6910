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
    set_aside_notice,
)
from app.forecasting.types import ForecastDistribution
from app.timeseries.history import History
from app.timeseries.types import FloatArray

_MIN_LEVEL_RATIO = 2.0  # of the smallest of all other values to the largest one of an outage
_MIN_POINTS_AFTER = 3  # fewer points may be a part of the outage, unless it is certain
_MIN_CERTAIN_POINTS = 3  # points of a certain outage
_MAX_OUTAGE_POINTS = 1_000  # as each is forecast: more take seconds
# One value after a certain outage is at least this fraction of what was expected: less may be the
# end of a failure of the meter, or a part of it.
_MIN_RETURN_FRACTION = 0.1


@dataclass(frozen=True)
class OutageAndChange:
    """An outage, and the level that followed it or may have done so.

    A new level may also have begun before the outage.
    """

    outage: Interruption
    change: LevelChange | UnclearEnd

    def remove_from(self, history: History) -> History:
        return self.change.remove_from(self.outage.remove_from(history))

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution with the outage and the change, one notice for what is unused."""
        change, outage = self.change, self.outage
        added = change.add_to(outage.add_to(distribution, floor), floor)
        if isinstance(change, LevelChange) or change.weight:
            return added
        notice = set_aside_notice(len(outage.expected) + len(change.expected))
        return added.with_provenance(notices=(notice, *distribution.provenance.notices))


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
    before = replace(history, values=history.values[: steps.start])
    since = history.values[steps.start :]
    expected = forecast(before, len(since))
    is_certain = history.frequency in LEVEL_FREQUENCIES and _is_certain(len(steps), since, expected)
    if not is_certain and len(history.values) - steps.stop < _MIN_POINTS_AFTER:
        return None
    outage = Interruption(steps.start, expected.median[: len(steps)])
    rest = outage.remove_from(history)
    change = find_level_change(rest, forecast) or find_interruption(rest, forecast)
    is_of_outage = isinstance(change, UnclearEnd) and change.index < steps.stop
    if is_of_outage or not isinstance(change, LevelChange | UnclearEnd):
        return outage if is_certain else None
    return OutageAndChange(outage, change)


def _is_certain(points: int, since: FloatArray, expected: ForecastDistribution) -> bool:
    """Return whether the first ``points`` of the values ``since`` are 0, unexpectedly, and over.

    ``since`` and ``expected`` have the same steps.
    """
    has_returned = since > _MIN_RETURN_FRACTION * expected.median
    if since[:points].any() or points < _MIN_CERTAIN_POINTS or not has_returned[points:].any():
        return False
    distances, _ = distances_from(expected, since)
    return bool(np.median(distances[:points]) <= -MIN_UNUSUAL_HALF_WIDTHS)


def _outage_steps(values: FloatArray) -> range | None:
    """Return the steps of a recent outage that is over, None without one.

    Its values are 0, or at most twice the smallest one, and all others are more than twice the
    largest of them: a shop that closes each Sunday has no outage. Longer ones are a level.
    """
    if values.min() < 0:
        return None
    is_low = values <= _MIN_LEVEL_RATIO * values.min()
    low, others = np.flatnonzero(is_low), values[~is_low]
    start, stop = int(low[0]), int(low[-1]) + 1
    if (
        len(low) < stop - start
        or start < 2 * LEVEL_POINTS
        or stop - start > min(start, _MAX_OUTAGE_POINTS)  # longer than what shows the usual values
        or not 0 < len(values) - stop <= max_points_since(len(values))
        or others.min() <= _MIN_LEVEL_RATIO * values[low].max()
    ):
        return None
    return range(start, stop)
