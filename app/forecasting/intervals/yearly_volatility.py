"""How much a series of weeks changes in each part of the year.

An epidemic is quiet in summer, and so are the errors of its forecasts. Few past origins are in the
same part of a year, so that their errors cannot show this. The changes of all years can.
"""

import numpy as np
from scipy.ndimage import uniform_filter1d

from app.forecasting.seasonality import WEEKS_PER_YEAR, exact_period
from app.timeseries.numbers import TINY
from app.timeseries.phases import season_parts
from app.timeseries.types import FloatArray

_SMOOTHED_PARTS = 9  # of the 48 parts of a year, about a week each
_NOISE_WEIGHT = 2.0  # against 1 of James and Stein, so that even years stay even
_MIN_VOLATILITY = 0.1  # a summer without cases does not prove that none will come


def yearly_volatility(values: FloatArray, horizon: int) -> FloatArray:
    """Return the expected size of changes at each step, relative to that of the whole year.

    It is shrunk towards 1 by as much as parts of the year may differ by chance (James and Stein
    1961). Each year has the same weight, whatever its level.

    Args:
        values: Weeks of two years or more, shape (n,).
        horizon: The number of steps after them.

    Returns:
        Shape (n + horizon,), all 1 without clear differences.
    """
    parts = season_parts(np.arange(len(values) + horizon), exact_period(WEEKS_PER_YEAR))
    changes = np.abs(np.diff(values))
    of_year = uniform_filter1d(changes, WEEKS_PER_YEAR, mode="mirror")
    relative = np.divide(changes, of_year, out=np.ones(len(changes)), where=of_year > 0)
    counts, sums = (
        uniform_filter1d(np.bincount(parts[1 : len(values)], weights), _SMOOTHED_PARTS, mode="wrap")
        for weights in (np.ones(len(changes)), relative)
    )
    means = sums / counts
    noise = float(relative.var() / (counts.mean() * _SMOOTHED_PARTS))
    certainty = max(0.0, 1.0 - _NOISE_WEIGHT * noise / max(float(means.var()), TINY))
    return np.asarray(np.maximum(1.0 + certainty * (means - 1.0), _MIN_VOLATILITY)[parts])
