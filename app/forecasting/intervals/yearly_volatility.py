"""How much a series of weeks or days changes in each part of the year.

An epidemic is quiet in summer, and so are the errors of its forecasts. Few past origins are in the
same part of a year, so that their errors cannot show this. The changes of all years can.
"""

import numpy as np
from scipy.ndimage import uniform_filter1d

from app.forecasting.intervals.level_factors import level_factors
from app.forecasting.seasonality import Seasonality
from app.timeseries.numbers import TINY
from app.timeseries.phases import phase_means, season_parts
from app.timeseries.types import FloatArray

_MONTHS_PER_YEAR = 12
_SMOOTHED_PARTS = 9  # of the 48 parts of a year, about a week each
_NOISE_WEIGHT = 2.0  # against 1 of James and Stein, so that even years stay even
_MAX_ROUNDING = 1e-9  # of the largest value: less is the rounding of running means
_MIN_VOLATILITY = 0.1  # a summer without cases does not prove that none will come


def yearly_volatility(values: FloatArray, seasonality: Seasonality, horizon: int) -> FloatArray:
    """Return the expected size of changes at each step, relative to that of the whole year.

    It is shrunk towards 1 by as much as parts of the year may differ by chance (James and Stein
    1961). Each year has the same weight, whatever its level.

    Args:
        values: Two years or more, shape (n,).
        seasonality: Of weeks or days with a year.
        horizon: The number of steps after them.

    Returns:
        Shape (n + horizon,), all 1 without clear differences.
    """
    points, year = len(values), seasonality.year
    if seasonality.is_annual:
        sizes, first, week = np.abs(np.diff(values)), 1, 1
    else:
        half, week = round(year / _MONTHS_PER_YEAR) // 2, seasonality.short
        sizes, first = _deviations(values, week, half), half
    of_year = uniform_filter1d(sizes, round(year), mode="mirror")
    relative = np.divide(sizes, of_year, out=np.ones(len(sizes)), where=of_year > 0)
    parts = season_parts(np.arange(points + horizon), year)
    counts, sums = (
        uniform_filter1d(
            np.bincount(parts[first : first + len(sizes)], weights), _SMOOTHED_PARTS, mode="wrap"
        )
        for weights in (np.ones(len(sizes)), relative)
    )
    means = sums / counts
<<<<<<< HEAD
    # Days of one week are not independent.
    weeks = relative[len(relative) % week :].reshape(-1, week).mean(axis=1)
    noise = float(weeks.var() / (counts.mean() * _SMOOTHED_PARTS / week))
    certainty = max(0.0, 1.0 - _NOISE_WEIGHT * noise / max(float(means.var()), TINY))
=======
    noise = float(relative.var() / (counts.mean() * _SMOOTHED_PARTS))
    certainty = max(0.0, 1.0 - _NOISE_WEIGHT * noise / max(float(means.var()), TINY))
>>>>>>> main
    return np.asarray(np.maximum(1.0 + certainty * (means - 1.0), _MIN_VOLATILITY)[parts])


def _deviations(values: FloatArray, week: int, half: int) -> FloatArray:
    """Return how far each day is from the days around it, over what its level explains.

    Args:
        values: Shape (n,).
        week: Its steps.
        half: How many days there are on each side.

    Returns:
        Shape (n - 2 * half,), without the ends: a trend would show there as deviations.
    """
    inner = slice(half, len(values) - half)
    levels = uniform_filter1d(values, 2 * half + 1)[inner]
    deviations = values[inner] - levels
    phases = np.arange(len(deviations)) % week
    deviations -= phase_means(deviations, phases, week)[phases]
    sizes = np.abs(deviations) / level_factors(levels, values)
    return np.where(sizes > _MAX_ROUNDING * np.abs(values).max(), sizes, 0.0)
