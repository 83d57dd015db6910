"""The bounds of a series: 0, 100 %, a capacity, a price that is never exceeded."""

import numpy as np

from app.timeseries.types import FloatArray

_MIN_RUNS = 3  # of the largest value, with other values between them
# The largest value's frequency is compared with those of this many next smaller values.
_NEIGHBOUR_VALUES = 3


def floor_of(values: FloatArray) -> float:
    """Return the lowest possible forecast: 0 if no value is negative, else minus infinity."""
    return 0.0 if values.min() >= 0 else -np.inf


def find_upper_bound(
    values: FloatArray, min_square_ratio: float, min_spread: float = 0.0
) -> float | None:
    """Return the value that a series has often reached and never passed, None without one.

    Counts reach their largest value often, too, but others below it more often: frequencies fall
    towards the largest value of a series without a bound.

    Args:
        values: Shape (n,), n > 0.
        min_square_ratio: How many times the highest frequency of its neighbours the squared
            frequency of the bound must be. Squared, as a Poisson count differs from its neighbours
            by its square root.
        min_spread: The fraction of the series that must lie between the first run and the last.
    """
    distinct, counts = np.unique(values, return_counts=True)
    is_largest = values == distinct[-1]
    run_starts = np.flatnonzero(is_largest & ~np.concatenate([[False], is_largest[:-1]]))
    if len(distinct) == 1 or len(run_starts) < _MIN_RUNS:
        return None
    if run_starts[-1] - run_starts[0] < min_spread * len(values):
        return None
    highest_neighbour_count = counts[-1 - _NEIGHBOUR_VALUES : -1].max()
    is_bound = counts[-1] ** 2 >= min_square_ratio * highest_neighbour_count
    return float(distinct[-1]) if is_bound else None
