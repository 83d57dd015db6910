"""An upper bound that a series proves: 100 %, a capacity, a price that is never exceeded."""

import numpy as np

from app.timeseries.types import FloatArray

# Runs of the largest value, with others between them.
MIN_VISITS = 3
# The next smaller values, with whose frequencies that of the largest is compared.
NEIGHBOURS = 3


def find_upper_bound(
    values: FloatArray, min_square_ratio: float, min_spread: float = 0.0
) -> float | None:
    """Return the value that a series has often reached and never passed, None without one.

    Counts reach their largest value often, too, but others below it more often: frequencies fall
    towards the largest value of a series without a bound.

    Args:
        values: Shape (n,), n > 0.
        min_square_ratio: How many times the highest frequency of its neighbours the squared
            frequency of the bound must be.
        min_spread: The share of the series that must lie between the first visit and the last.
    """
    distinct, counts = np.unique(values, return_counts=True)
    at_largest = values == distinct[-1]
    visits = np.flatnonzero(at_largest & ~np.concatenate([[False], at_largest[:-1]]))
    if len(distinct) == 1 or len(visits) < MIN_VISITS:
        return None
    if visits[-1] - visits[0] < min_spread * len(values):
        return None
    neighbour = counts[-1 - NEIGHBOURS : -1].max()
    return float(distinct[-1]) if counts[-1] ** 2 >= min_square_ratio * neighbour else None
