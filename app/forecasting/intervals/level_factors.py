"""Errors of series that are never negative grow with the level."""

import numpy as np

from app.forecasting.exponential_growth import MIN_RATE_POINTS, is_one_rate
from app.timeseries.least_squares import line_slope
from app.timeseries.types import FloatArray

_LEVEL_POWER = 0.5  # errors grow with this power of the level
_MIN_GROWTH = 2.0  # the logarithm of growth at one rate from which on they are proportional to it
_MIN_RELATIVE_LEVEL = 0.5


def level_factors(forecasts: FloatArray, values: FloatArray, period: int) -> FloatArray:
    """Return how much larger errors are at the level of each forecast than at the mean level.

    Args:
        forecasts: Any shape.
        values: The history; if one is negative, all factors are 1.
        period: Shortest seasonal period in steps, 1 for none.
    """
    typical = float(np.abs(values).mean())
    if values.min() < 0 or typical <= 0:
        return np.ones(forecasts.shape)
    relative = np.maximum(np.abs(forecasts) / typical, _MIN_RELATIVE_LEVEL)
    return np.asarray(relative ** (1.0 if _is_large_growth(values, period) else _LEVEL_POWER))


def _is_large_growth(values: FloatArray, period: int) -> bool:
    """Return whether a series has grown at one rate, and by much."""
    if len(values) < MIN_RATE_POINTS or values.min() <= 0:
        return False
    rate = line_slope(np.log(values))
    return rate * len(values) > _MIN_GROWTH and is_one_rate(values, (period,), rate)
