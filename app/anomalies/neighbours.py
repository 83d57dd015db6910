"""The expected value of a point, from its neighbours.

The expectation of a point is linear in the means of bands of neighbours on both sides of it, at
distances 1, 2, 3 to 4, 5 to 8, and so on, and of the points one season away. One least-squares fit
finds their weights: white noise gives a wide mean, a random walk the mean of the two neighbours,
a season that changes the weight of the last and the next cycle. The point itself is not among them.
"""

import numpy as np

from app.forecasting.preprocessing.cleaning import steady_slope
from app.timeseries.robust import clip_to_sigmas
from app.timeseries.running_median import clip_to_median
from app.timeseries.types import FloatArray

# The widest band ends at most at this distance, and at this fraction of the series.
_MAX_DISTANCE_STEPS = 256
_MAX_DISTANCE_FRACTION = 0.125
_MAX_NEIGHBOUR_SIGMAS = 3.0  # values are clipped here before they count for their neighbours
_FIT_ROUNDS = 4  # each after clipping the outliers that the previous fit found
_RIDGE = 1.0  # the penalty, in points: it shrinks the weights that few points determine
_FIRST_WINDOW = 9  # points of the running median around which outliers are first clipped
_END_POINTS = 5  # the series is mirrored at their median at each end


def expect_from_neighbours(values: FloatArray, periods: tuple[int, ...]) -> FloatArray:
    """Return the expectation of each point by its neighbours, those a period away among them.

    ``values``, shape (n,), are without seasons and level shifts.
    """
    level = float(np.median(values))
    if np.median(np.abs(values - level)) == 0:
        # A series that mostly has one value is expected to keep it.
        return np.full(len(values), level)
    # At the ends of a trend, any mean of the points there lies on one side of it.
    line = steady_slope(values) * np.arange(len(values))
    residual = values - line
    clipped = clip_to_median(residual, _FIRST_WINDOW, _MAX_NEIGHBOUR_SIGMAS)
    for _ in range(_FIT_ROUNDS):
        level = float(np.median(clipped))
        features = _band_means(clipped - level, periods)
        products = features @ features.T
        ridge = _RIDGE * np.trace(products) / features.size + 1e-300
        products[np.diag_indices_from(products)] += ridge
        weights = np.linalg.lstsq(products, features @ (clipped - level), rcond=None)[0]
        expected = level + weights @ features
        clipped = clip_to_sigmas(residual, expected, _MAX_NEIGHBOUR_SIGMAS)
    return line + expected


def _band_means(values: FloatArray, periods: tuple[int, ...]) -> FloatArray:
    """Return the mean of each band of neighbours around each point, shape (bands, n)."""
    n = len(values)
    max_distance = min(_MAX_DISTANCE_STEPS, max(2, int(_MAX_DISTANCE_FRACTION * n)))
    # Both ends are extended, mirrored through the level there.
    first, last = np.median(values[:_END_POINTS]), np.median(values[-_END_POINTS:])
    start = 2 * first - values[1 : max_distance + 1][::-1]
    end = 2 * last - values[-max_distance - 1 : -1][::-1]
    sums = np.concatenate([[0.0], np.cumsum(np.concatenate([start, values, end]))])

    def sums_at(offset: int) -> FloatArray:
        return sums[max_distance + offset : max_distance + offset + n]

    rows, near = [], 0
    while near < max_distance:
        far = min(max(1, 2 * near), max_distance)
        before = sums_at(-near) - sums_at(-far)
        after = sums_at(far + 1) - sums_at(near + 1)
        rows.append((before + after) / (2 * (far - near)))
        near = far
    for period in periods:  # the mean of one period before and after, or of the only one
        padded = np.pad(values, period, constant_values=np.nan)
        rows.append(np.nanmean([padded[:n], padded[2 * period :]], axis=0))
    return np.array(rows)
