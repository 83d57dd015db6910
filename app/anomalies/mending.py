"""A history without its spikes, which would lead a forecast and its errors astray."""

from dataclasses import dataclass, replace

import numpy as np

from app.anomalies.detect import detect
from app.anomalies.results import BoolArray, Detection, EventKind
from app.forecasting.types import History

# A point is mended where it is so improbable that one clean series of ten has such a point, between
# these rates: long series keep their tail, and short ones cannot show smaller rates.
_POINTS_A_SERIES, _LEAST_RATE, _GREATEST_RATE = 0.1, 1e-4, 1e-3
# Where more than so many points stick out, and more than this share, that is how the series is.
_MOST_SPIKES, _MOST_SHARE = 2, 0.02
# Several flagged points that reach so close to the end may be a new level.
_END = 6
# No new level is further from what was expected than so many ranges of all other points.
_GROSS = 10.0


@dataclass(frozen=True)
class Mended:
    """A history with its isolated spikes and dips replaced by what was expected there.

    Attributes:
        history: The mended history; its periods are those that show, where it suggested others.
        new_level: The same with the last point as it was, where that may be the first one of a new
            level: it alone sticks out, and nothing follows that would tell.
        spikes: How many points were replaced.
        periods: The seasonal periods that the history shows, in steps, shortest first.
    """

    history: History
    new_level: History | None
    spikes: int
    periods: tuple[int, ...]


def mend_spikes(history: History, period: int | None) -> Mended:
    """Replace isolated spikes and dips; level shifts, bursts and the start of either stay.

    Args:
        history: 11 points or more.
        period: as in ``detect``.
    """
    rate = min(max(_POINTS_A_SERIES / len(history.values), _LEAST_RATE), _GREATEST_RATE)
    found = detect(history, rate, period=period)
    spikes = _isolated(found)
    values = np.where(spikes, found.expected, history.values)
    suggests_them = set(found.periods) <= set(history.periods)
    periods = history.periods if suggests_them else found.periods
    mended = replace(history, values=values, periods=periods)
    new_level = None
    last = float(history.values[-1])
    # Quarters, because the range of the largest numbers overflows.
    if spikes[-1] and abs(last / 4 - values[-1] / 4) <= _GROSS * float(np.ptp(values / 4)):
        new_level = replace(mended, values=np.append(values[:-1], last))
    return Mended(mended, new_level, int(spikes.sum()), found.periods)


def _isolated(found: Detection) -> BoolArray:
    """Whether each point is flagged and belongs to a spike or a dip, of which there are few."""
    n = len(found.is_anomaly)
    isolated = np.zeros(n, dtype=bool)
    for event in found.events:
        inside = slice(event.start, event.end + 1)
        alone = int(found.is_anomaly[inside].sum()) == 1
        if event.kind in {EventKind.SPIKE, EventKind.DIP} and (alone or event.end < n - _END):
            isolated[inside] = found.is_anomaly[inside]
    if isolated.sum() > max(_MOST_SPIKES, _MOST_SHARE * n):
        return np.zeros(n, dtype=bool)
    return isolated
