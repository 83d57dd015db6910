"""Runs of one value in a series that varies, and of other values in an idle series."""

import math
from dataclasses import dataclass

import numpy as np

from app.anomalies.results import MIN_LEVEL_POINTS, AnomalousSegment, EventKind
from app.anomalies.units import MIN_IDLE_FRACTION
from app.timeseries.types import FloatArray

# The minimum number of equal values in a run.
_MIN_RUN_POINTS = 8
# The probability of such a run in a clean series, given how often neighbours are equal.
_MAX_P_VALUE = 1e-4
# If this many runs are half as long, such runs are normal for the series.
_MIN_NORMAL_RUNS = 3
# In an idle series: the minimum number of points of a run of other values. A run of more than this
# fraction of the series is a level.
_MIN_ACTIVE_POINTS, _MAX_ACTIVE_FRACTION = 5, 0.1

# A run in a stream is stuck if it has this many points, and is this many times as long as the
# longest so far. Before this many points of the stream, the usual lengths are unknown.
_MIN_STUCK_POINTS, _MIN_STUCK_LENGTH_RATIO, _MIN_POINTS_BEFORE_STUCK = 12, 3, 50
# After this many points a stuck value becomes the normal one.
_MAX_STUCK_POINTS = 300


def find_flat_runs(values: FloatArray) -> list[AnomalousSegment]:
    """Return the runs that are too long for chance, oldest first."""
    n = len(values)
    begins = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    lengths = np.diff(np.append(begins, n))
    runs = []
    for at in np.flatnonzero(lengths >= _MIN_RUN_POINTS).tolist():
        begin, length = int(begins[at]), int(lengths[at])
        similar = int((lengths >= length / 2).sum())
        # How often a value equals the previous one elsewhere, by the rule of succession (Laplace).
        elsewhere = n - length
        ties = (elsewhere - (len(lengths) - 1) + 1) / (elsewhere + 2)
        # The number of such runs expected by chance, a bound of the probability of one.
        p_value = n * ties ** (length - 1)
        if similar < _MIN_NORMAL_RUNS and p_value < _MAX_P_VALUE and elsewhere >= length:
            end = begin + length - 1
            runs.append(AnomalousSegment(begin, end, EventKind.FLAT, float(p_value)))
    return runs


def find_active_runs(values: FloatArray) -> list[AnomalousSegment]:
    """Return the runs of other values in an idle series (n,) that are too long for chance.

    They are oldest first. A run at an end may be a new level.
    """
    n, usual = len(values), float(np.median(values))
    is_away = values != usual
    begins, ends = np.flatnonzero(np.diff(is_away, prepend=False, append=False)).reshape(-1, 2).T
    lengths = ends - begins
    runs = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        length = end - begin
        others, others_away = len(begins) - 1, int(is_away.sum()) - length
        away = (others_away + 1) / (n - length + 2)
        # How often a run continues elsewhere, by the rule of succession; without other runs, the
        # fraction of other values.
        ties = max(away, (others_away - others + away) / (others_away + 1))
        p_value = n * ties ** (length - 1)
        is_normal = (
            away > 1 - MIN_IDLE_FRACTION or (lengths >= length / 2).sum() >= _MIN_NORMAL_RUNS
        )
        is_level = length > _MAX_ACTIVE_FRACTION * n or (
            length >= MIN_LEVEL_POINTS and (begin == 0 or end == n)
        )
        if length >= _MIN_ACTIVE_POINTS and p_value < _MAX_P_VALUE and not (is_normal or is_level):
            kind = EventKind.SPIKE if values[begin:end].mean() > usual else EventKind.DIP
            runs.append(AnomalousSegment(begin, end - 1, kind, float(p_value)))
    return runs


@dataclass
class FlatRunTracker:
    """The current run of equal values, and how long such runs usually are."""

    last: float = math.nan  # NaN before the first value
    length: int = 0  # repetitions of ``last``
    longest: int = 0  # the longest run that did not count as stuck
    repeats: int = 0  # repetitions among the ``points`` before the run
    points: int = 0
    is_stuck: bool = False

    def add(self, value: float, rate: float) -> bool:
        """Add the next value; return whether a stuck value becomes the normal one."""
        if value == self.last:
            self.length += 1
        else:
            if not (self.is_stuck or math.isnan(self.last)):
                self.longest = max(self.longest, self.length)
                self.repeats += self.length
                self.points += self.length + 1
            self.last, self.length = value, 0
        becomes_normal = self.is_stuck and self.length >= _MAX_STUCK_POINTS
        self.is_stuck = (
            self.points >= _MIN_POINTS_BEFORE_STUCK
            and _MIN_STUCK_POINTS <= self.length < _MAX_STUCK_POINTS
            and self.length >= _MIN_STUCK_LENGTH_RATIO * self.longest
            # By the rule of succession, as in `find_flat_runs`.
            and self.length * math.log((self.repeats + 1) / (self.points + 2)) < math.log(rate)
        )
        return becomes_normal
