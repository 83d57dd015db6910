"""Keep forecasts below an upper bound that the history shows (`app.timeseries.bounds`)."""

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.types import ForecastDistribution
from app.timeseries.bounds import find_upper_bound
from app.timeseries.types import FloatArray

# The squared frequency of the bound is at least this many times the highest frequency of the values
# below it: of a Poisson count that is three standard deviations.
MIN_SQUARE_RATIO = 9.0
# The first and the last run at the bound are at least this fraction of the history apart.
MIN_SPREAD = 0.25


def bound_fit(distribution: ForecastDistribution, values: FloatArray) -> ForecastDistribution:
    """Limit a distribution to the upper bound of a history; record the bound if it limits it."""
    bound = find_upper_bound(values, MIN_SQUARE_RATIO, MIN_SPREAD)
    if bound is None or bound >= max(
        distribution.median.max(), distribution.interval(CONFIDENCE_LEVELS[-1])[1].max()
    ):
        return distribution
    bounded = distribution.map_values(lambda forecast: np.minimum(forecast, bound))
    return bounded.with_provenance(upper_bound=bound)
