"""Runs of one value where a series used to move, as a stuck sensor gives them."""

import numpy as np

from app.forecasting.types import FloatArray

# A run has at least so many equal values.
_SHORTEST = 8
# The probability of such a run anywhere in a clean series, by how often its neighbours are equal.
_LEVEL = 1e-4
# A series in which so many runs are half as long rests like that by habit.
_HABIT = 3


def find_flat(values: FloatArray) -> tuple[tuple[int, int, float], ...]:
    """Return first index, last index and p-value of each run that is too long, oldest first."""
    n = len(values)
    begins = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    lengths = np.diff(np.append(begins, n))
    found = []
    for at in np.flatnonzero(lengths >= _SHORTEST).tolist():
        length = int(lengths[at])
        similar = int((lengths >= length / 2).sum())
        # How often a value equals the one before, elsewhere.
        elsewhere = n - length
        ties = (elsewhere - (len(lengths) - 1) + 1) / (elsewhere + 2)
        p_value = n * ties ** (length - 1)
        if similar < _HABIT and p_value < _LEVEL and elsewhere >= length:
            begin = int(begins[at])
            found.append((begin, begin + length - 1, float(p_value)))
    return tuple(found)
