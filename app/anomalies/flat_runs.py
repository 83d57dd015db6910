"""Runs of one value in a series that varies."""

import numpy as np

from app.anomalies.results import AnomalousSegment, EventKind
from app.timeseries.types import FloatArray

_MIN_RUN_POINTS = 8  # equal values
# The probability of such a run in a clean series, given how often neighbours are equal.
MAX_RUN_P_VALUE = 1e-4
MIN_NORMAL_RUNS = 3  # this many runs, at least half as long, are normal for the series


def find_flat_runs(values: FloatArray) -> list[AnomalousSegment]:
    """Return the runs that are too long for chance, oldest first."""
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
        if similar < MIN_NORMAL_RUNS and p_value < MAX_RUN_P_VALUE and elsewhere >= length:
            end = begin + length - 1
            runs.append(AnomalousSegment(begin, end, EventKind.FLAT, float(p_value)))
    return runs
