"""Errors of series that are never negative grow with the level."""

import numpy as np

from app.timeseries.types import FloatArray

_LEVEL_POWER = 0.5  # errors grow with this power of the level
_MIN_RELATIVE_LEVEL = 0.5


def level_factors(forecasts: FloatArray, values: FloatArray) -> FloatArray:
    """Return how much larger errors are at the level of each forecast than at the mean level.

    Args:
        forecasts: Any shape.
        values: The history; if one is negative, all factors are 1.
    """
    typical = float(np.abs(values).mean())
    if values.min() < 0 or typical <= 0:
        return np.ones(forecasts.shape)
    relative = np.maximum(np.abs(forecasts) / typical, _MIN_RELATIVE_LEVEL)
    return np.asarray(relative**_LEVEL_POWER)
