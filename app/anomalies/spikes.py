"""Remove spikes from a history, which would distort a forecast and its errors."""

from dataclasses import dataclass, replace

import numpy as np

from app.anomalies.detect import detect
from app.anomalies.results import Detection, EventKind
from app.timeseries.history import History
from app.timeseries.types import BoolArray

_FALSE_SPIKES_PER_SERIES = 0.1  # clean series with a point as improbable as one that is replaced
# Bounds of its rate: long series keep their tail, and short ones cannot resolve smaller rates.
_MIN_RATE, _MAX_RATE = 1e-4, 1e-3
# If more than this many points, and more than this fraction, stand out, this is normal.
_MAX_SPIKES, _MAX_SPIKE_FRACTION = 2, 0.02
# Several flagged points this close to the end may be a new level.
_END_POINTS = 6
# A new level is at most this many ranges of all other points from the expected value.
_MAX_LEVEL_RANGES = 10.0


@dataclass(frozen=True)
class ImputedHistory:
    """A history with isolated spikes and dips replaced by their expected values."""

    history: History  # imputed, with the suggested periods unless others were detected
    # The same with the original last point, if that may be the first one of a new level: only this
    # point is an outlier, and no later point can decide.
    new_level: History | None
    spikes: int  # points replaced
    periods: tuple[int, ...]  # the detected seasonal periods in steps, shortest first


def impute_spikes(history: History, period: int | None) -> ImputedHistory:
    """Replace isolated spikes and dips; keep level shifts, bursts and their starts.

    ``history`` has at least 11 points; ``period`` is as in ``detect``.
    """
    rate = min(max(_FALSE_SPIKES_PER_SERIES / len(history.values), _MIN_RATE), _MAX_RATE)
    detection = detect(history, rate, period=period)
    spikes = _isolated_spikes(detection)
    values = np.where(spikes, detection.expected, history.values)
    are_known = set(detection.periods) <= set(history.periods)
    periods = history.periods if are_known else detection.periods
    imputed = replace(history, values=values, periods=periods)
    last = float(history.values[-1])
    # Quarters, because the range of the largest numbers overflows.
    max_jump = _MAX_LEVEL_RANGES * float(np.ptp(values / 4))
    new_level = None
    if spikes[-1] and abs(last / 4 - values[-1] / 4) <= max_jump:
        new_level = replace(imputed, values=np.append(values[:-1], last))
    return ImputedHistory(imputed, new_level, int(spikes.sum()), detection.periods)


def _isolated_spikes(detection: Detection) -> BoolArray:
    """Return whether each point is flagged and in one of a few spikes or dips."""
    n = len(detection.is_anomaly)
    isolated = np.zeros(n, dtype=bool)
    for event in detection.events:
        inside = slice(event.start, event.end + 1)
        flagged = detection.is_anomaly[inside]
        is_decided = flagged.sum() == 1 or event.end < n - _END_POINTS
        if is_decided and event.kind in (EventKind.SPIKE, EventKind.DIP):
            isolated[inside] = flagged
    is_few = isolated.sum() <= max(_MAX_SPIKES, _MAX_SPIKE_FRACTION * n)
    return isolated if is_few else np.zeros(n, dtype=bool)
