"""Runs of one value in a series that varies, and of other values in an idle series."""

import math
from dataclasses import dataclass

import numpy as np

from app.anomalies.results import (
    HALF_SEVERITY_EVIDENCE,
    MIN_LEVEL_POINTS,
    AnomalousSegment,
    EventKind,
)
from app.anomalies.tail import count_gross_outliers
from app.anomalies.units import MIN_IDLE_FRACTION
from app.timeseries.types import FloatArray, IntArray

# The minimum number of equal values in a run.
_MIN_RUN_POINTS = 8
# The probability of such a run in a clean series, given how often neighbours are equal.
_MAX_P_VALUE = 1e-4
# If this many runs are half as long, such runs are normal for the series.
_MIN_NORMAL_RUNS = 3
# In an idle series: the minimum number of points of a run of other values that is too long, and the
# minimum distance of one that is too large, as a multiple of the usual one. A run of more than this
# fraction of the series is a level.
_MIN_ACTIVE_POINTS, _MIN_GROSS_RATIO, _MAX_ACTIVE_FRACTION = 5, 3.0, 0.1

# A run in a stream is stuck if it has this many points, and is this many times as long as the
# longest so far. Before this many points of the stream, the usual lengths are unknown.
_MIN_STUCK_POINTS, _MIN_STUCK_LENGTH_RATIO, _MIN_POINTS_BEFORE_STUCK = 12, 3, 50
# A run is certainly stuck, with severity 50, if it has this many points and is this many times as
# long as the longest: at the turn of a smooth rounded wave it is at most 4.9 times as long as those
# before.
_MIN_CERTAIN_POINTS, _CERTAIN_LENGTH_RATIO = 15, 5
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


def find_active_runs(values: FloatArray, periods: tuple[int, ...]) -> list[AnomalousSegment]:
    """Return the runs of other values in an idle series (n,) that are too long or large for chance.

    They are oldest first. A run at an end may be a new level; one as large a period of the season
    before or after is normal.
    """
    n, usual = len(values), float(np.median(values))
    distance = np.abs(values - usual)
    is_away = distance > 0
    if not 0 < is_away.mean() <= 1 - MIN_IDLE_FRACTION:
        return []
    begins, ends = np.flatnonzero(np.diff(is_away, prepend=False, append=False)).reshape(-1, 2).T
    lengths, peaks = ends - begins, np.maximum.reduceat(distance, begins)
    is_gross = peaks >= _min_gross_peak(peaks, n - int(lengths.sum()))
    is_level = (lengths > _MAX_ACTIVE_FRACTION * n) | (
        (lengths >= MIN_LEVEL_POINTS) & ((begins == 0) | (ends == n))
    )
    runs = []
    for at in np.flatnonzero((lengths > 1) & ~is_level).tolist():
        begin, end = int(begins[at]), int(ends[at])
        p_value = _active_run_p_value(lengths, at, n)
        is_too_large = is_gross[at] and not _is_recurring(distance, begin, end, periods)
        if is_too_large or p_value < _MAX_P_VALUE:
            kind = EventKind.SPIKE if values[begin:end].mean() > usual else EventKind.DIP
            runs.append(AnomalousSegment(begin, end - 1, kind, p_value))
    return runs


def _is_recurring(distance: FloatArray, begin: int, end: int, periods: tuple[int, ...]) -> bool:
    """Return whether a run is about as far out a period before or after, give or take a step."""
    enough = distance[begin:end].max() / 2
    starts = [begin + shift for period in periods for shift in (-period, period)]
    return any(
        bool((distance[max(0, start - 1) : max(0, start + end - begin + 1)] >= enough).any())
        for start in starts
    )


def _min_gross_peak(peaks: FloatArray, idle_points: int) -> float:
    """Return the peak from which on runs are gross outliers, infinity if none is.

    ``peaks``, shape (runs,), are the distances of the farthest point of each run: a run counts
    once, however many points it has.
    """
    sample = np.sort(np.concatenate([np.zeros(idle_points), peaks]))
    gross = count_gross_outliers(sample)
    if not gross:
        return math.inf
    others = sample[idle_points:-gross]
    usual = float(np.median(others)) if len(others) else 0.0
    return max(float(sample[-gross]), _MIN_GROSS_RATIO * usual)


def _active_run_p_value(lengths: IntArray, at: int, n: int) -> float:
    """Return the probability of a run as long as the one ``at`` its place among ``lengths``.

    1 where the run is short, or such runs are normal.
    """
    length, others = int(lengths[at]), len(lengths) - 1
    if length < _MIN_ACTIVE_POINTS or (lengths >= length / 2).sum() >= _MIN_NORMAL_RUNS:
        return 1.0
    others_away = int(lengths.sum()) - length
    away = (others_away + 1) / (n - length + 2)
    # How often a run continues elsewhere, by the rule of succession; without other runs, the
    # fraction of other values.
    ties = max(away, (others_away - others + away) / (others_away + 1))
    return float(min(1.0, n * ties ** (length - 1)))


@dataclass
class FlatRunTracker:
    """The current run of equal values, and how long such runs usually are."""

    last: float = math.nan  # NaN before the first value
    length: int = 0  # repetitions of ``last``
    longest: int = 0  # the longest run that did not count as stuck
    longest_stuck: int = 0  # the longest one that did
    repeats: int = 0  # repetitions among the ``points`` before the run
    points: int = 0
    is_stuck: bool = False

    def add(self, value: float, rate: float) -> bool:
        """Add the next value; return whether a stuck value becomes the normal one."""
        if value == self.last:
            self.length += 1
        else:
            if self.is_stuck:
                self.longest_stuck = max(self.longest_stuck, self.length)
            elif not math.isnan(self.last):
                self.longest = max(self.longest, self.length)
                self.repeats += self.length
                self.points += self.length + 1
            self.last, self.length = value, 0
        becomes_normal = self.is_stuck and self.length >= _MAX_STUCK_POINTS
        self.is_stuck = (
            self.points >= _MIN_POINTS_BEFORE_STUCK
            and _MIN_STUCK_POINTS <= self.length < _MAX_STUCK_POINTS
            and self.length >= _MIN_STUCK_LENGTH_RATIO * self.longest
            and self._improbability > -math.log10(rate)
        )
        return becomes_normal

    @property
    def evidence(self) -> float:
        """The evidence that the value is stuck, 0 if it is not.

        Half of the improbability, as other events need two statistics, and no more than the length
        shows beside the longest run.
        """
        if not self.is_stuck:
            return 0.0
        # After a stuck run, the next one as long is less surprising.
        longest = max(self.longest, self.longest_stuck // _MIN_STUCK_LENGTH_RATIO)
        certain = max(_MIN_CERTAIN_POINTS, _CERTAIN_LENGTH_RATIO * longest)
        return min(self._improbability / 2, HALF_SEVERITY_EVIDENCE * self.length / certain)

    @property
    def _improbability(self) -> float:
        """-log10 of the probability of the run, by the rule of succession."""
        return -self.length * math.log10((self.repeats + 1) / (self.points + 2))
