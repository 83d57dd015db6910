"""The upper bounds of rare counts, such as failures a day, most of which are 0.

A quantile of counts is a count: if a tenth of the days have one failure, a 95 % interval that ends
at 0.6 excludes all of them, and contains 90 %.
"""

import numpy as np

from app.forecasting.preprocessing.decomposition import MIN_CLEAR_STRENGTH, seasonal_strength
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.history import History
from app.timeseries.numbers import is_mostly_zero
from app.timeseries.types import FloatArray

_RECENT_POINTS = 100  # the newest points, whose shares of values are those to come
_MAX_SEASON_POINTS = 10_000  # the newest points, in which seasons are searched for
# A bound below this fraction of a value says that a step is unlike the others, as a closed day.
_MIN_FRACTION = 0.3


def widen_to_counts(distribution: ForecastDistribution, history: History) -> ForecastDistribution:
    """Return the distribution of a rare count, its upper bounds raised to a quantile of counts.

    An interval that begins at 0 leaves values out on one side only. So at a confidence of 95 % a
    bound is raised to the 95 % quantile of the recent counts, or to the greatest count that it is
    near.

    Args:
        distribution: A forecast of the history, of h steps.
        history: Nothing changes if its recent values are not counts, or are mostly not 0, or if it
            has a strong season: a shop that closes at night sells nothing then, and often by day.
    """
    recent = history.values[-_RECENT_POINTS:]
    is_rare = history.values.min() >= 0 and is_mostly_zero(recent)
    if not is_rare or (recent % 1 != 0).any():
        return distribution
    searched = history.values[-_MAX_SEASON_POINTS:]
    # One rare count in ten passes the 90 % test of a season by chance.
    strengths = (seasonal_strength(searched, period) for period in history.periods)
    if max(strengths, default=0.0) > MIN_CLEAR_STRENGTH:
        return distribution
    counts = np.unique(recent)

    def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
        quantile = np.quantile(recent, confidence, method="inverted_cdf")
        highest = np.minimum(quantile, upper / _MIN_FRACTION)
        index = np.searchsorted(counts, highest, side="right") - 1
        return lower, np.where(lower > 0, upper, np.maximum(upper, counts[index]))

    return distribution.map_bounds(widen)
