"""The upper bounds of rare counts: a quantile of a count is one of its values."""

import numpy as np

from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.types import FloatArray

_RECENT_POINTS = 100  # the newest points, whose shares of values are those to come
# A bound below this fraction of a value says that a step is unlike the others, as a closed day.
_MIN_FRACTION = 0.3


def widen_to_counts(distribution: ForecastDistribution, values: FloatArray) -> ForecastDistribution:
    """Return the distribution of a rare count with upper bounds that leave out few enough values.

    As its lower bounds are 0, a bound is at least the recent quantile of the whole confidence.

    Args:
        distribution: A forecast of the series, of h steps.
        values: The history, shape (n,). If it is not a count, or is mostly not 0, nothing changes.
    """
    recent = values[-_RECENT_POINTS:]
    is_rare = values.min() >= 0 and 2 * np.count_nonzero(recent) <= len(recent)
    if not is_rare or (recent % 1 != 0).any():
        return distribution
    counts = np.unique(recent)

    def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
        quantile = np.quantile(recent, confidence, method="inverted_cdf")
        highest = np.minimum(quantile, upper / _MIN_FRACTION)
        index = np.searchsorted(counts, highest, side="right") - 1
        return lower, np.maximum(upper, counts[index])

    return distribution.map_bounds(widen)
