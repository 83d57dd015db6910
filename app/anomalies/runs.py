"""Runs of one value in a series that varies, and of other values in an idle series."""

import math

import numpy as np

from app.anomalies.results import MIN_LEVEL_POINTS, AnomalousSegment, EventKind
from app.anomalies.tail import count_gross_outliers
from app.anomalies.units import MIN_IDLE_FRACTION
from app.timeseries.types import FloatArray, IntArray

_MIN_RUN_POINTS = 8  # equal values
# The probability of such a run in a clean series, given how often neighbours are equal.
_MAX_RUN_P_VALUE = 1e-4
_MIN_NORMAL_RUNS = 3  # this many runs, at least half as long, are normal for the series
_MIN_ACTIVE_POINTS = 5  # of a run of other values that is too long
_MIN_GROSS_RATIO = 3.0  # the distance of a run that is too large, as a multiple of the typical one
_MAX_ACTIVE_FRACTION = 0.1  # of the series: a longer run is a level


def find_flat_runs(values: FloatArray) -> list[AnomalousSegment]:
    """Return the runs of one value that are too long for chance, oldest first."""
    n = len(values)
    begins = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    lengths = np.diff(np.append(begins, n))
    runs = []
    for index in np.flatnonzero(lengths >= _MIN_RUN_POINTS).tolist():
        begin, length = int(begins[index]), int(lengths[index])
        similar = int((lengths >= length / 2).sum())
        # How often a value equals the previous one elsewhere, by the rule of succession (Laplace).
        elsewhere = n - length
        repeat_probability = (elsewhere - (len(lengths) - 1) + 1) / (elsewhere + 2)
        # The number of such runs expected by chance, a bound of the probability of one.
        p_value = n * repeat_probability ** (length - 1)
        if similar < _MIN_NORMAL_RUNS and p_value < _MAX_RUN_P_VALUE and elsewhere >= length:
            end = begin + length - 1
            runs.append(AnomalousSegment(begin, end, EventKind.FLAT, float(p_value)))
    return runs


def find_active_runs(values: FloatArray, periods: tuple[int, ...]) -> list[AnomalousSegment]:
    """Return the runs of other values in an idle series (n,) that are too long or large for chance.

    They are oldest first. A run at an end may be a new level; one as large a period of the season
    before or after is normal.
    """
    n, centre = len(values), float(np.median(values))
    distance = np.abs(values - centre)
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
    for index in np.flatnonzero((lengths > 1) & ~is_level).tolist():
        begin, end = int(begins[index]), int(ends[index])
        p_value = _active_run_p_value(lengths, index, n)
        is_too_large = is_gross[index] and not _is_recurring(distance, begin, end, periods)
        if is_too_large or p_value < _MAX_RUN_P_VALUE:
            kind = EventKind.SPIKE if values[begin:end].mean() > centre else EventKind.DIP
            runs.append(AnomalousSegment(begin, end - 1, kind, p_value))
    return runs


def _is_recurring(distance: FloatArray, begin: int, end: int, periods: tuple[int, ...]) -> bool:
    """Return whether a run is about as far out a period before or after, give or take a step."""
    min_distance = distance[begin:end].max() / 2
    starts = [begin + shift for period in periods for shift in (-period, period)]
    return any(
        bool((distance[max(0, start - 1) : max(0, start + end - begin + 1)] >= min_distance).any())
        for start in starts
    )


def _min_gross_peak(peaks: FloatArray, idle_points: int) -> float:
    """Return the smallest peak of a run that is a gross outlier, infinity if none is.

    ``peaks``, shape (runs,), are the distances of the farthest point of each run: a run counts
    once, however many points it has.
    """
    sample = np.sort(np.concatenate([np.zeros(idle_points), peaks]))
    gross = count_gross_outliers(sample)
    if not gross:
        return math.inf
    others = sample[idle_points:-gross]
    typical = float(np.median(others)) if len(others) else 0.0
    return max(float(sample[-gross]), _MIN_GROSS_RATIO * typical)


def _active_run_p_value(lengths: IntArray, run: int, n: int) -> float:
    """Return the probability of a run as long as the one with the index ``run``.

    1 where the run is short, or such runs are normal.
    """
    length, others = int(lengths[run]), len(lengths) - 1
    if length < _MIN_ACTIVE_POINTS or (lengths >= length / 2).sum() >= _MIN_NORMAL_RUNS:
        return 1.0
    other_points = int(lengths.sum()) - length
    other_fraction = (other_points + 1) / (n - length + 2)
    # How often a run continues elsewhere, by the rule of succession; without other runs, the
    # fraction of other values.
    elsewhere = (other_points - others + other_fraction) / (other_points + 1)
    return float(min(1.0, n * max(other_fraction, elsewhere) ** (length - 1)))
