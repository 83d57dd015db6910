"""How much a series of weeks or days changes in each part of the year.

An epidemic is quiet in summer, and so are the errors of its forecasts. Too few past origins lie in
one part of the year for their errors to show this, but the changes of all years do.
"""

import numpy as np
from scipy.ndimage import uniform_filter1d

from app.forecasting.intervals.level_factors import level_factors
from app.forecasting.preprocessing.seasonality import Seasonality
from app.timeseries.numbers import TINY
from app.timeseries.phases import phase_means, season_parts
from app.timeseries.seconds import MONTHS_PER_YEAR
from app.timeseries.types import FloatArray

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
    sizes, first = _sizes_of_changes(values, seasonality)
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
    # Days of one week are not independent.
    week = 1 if seasonality.is_year_of_weeks else seasonality.short
    weeks = relative[len(relative) % week :].reshape(-1, week).mean(axis=1)
    noise = float(weeks.var() / (counts.mean() * _SMOOTHED_PARTS / week))
    certainty = max(0.0, 1.0 - _NOISE_WEIGHT * noise / max(float(means.var()), TINY))
    return np.asarray(np.maximum(1.0 + certainty * (means - 1.0), _MIN_VOLATILITY)[parts])


def _sizes_of_changes(values: FloatArray, seasonality: Seasonality) -> tuple[FloatArray, int]:
    """Return how much each week or day changes, and the index of the first that has a size.

    Those of weeks are changes from the week before. Those of days are deviations from the month
    around them, over what their level explains; the ends have none, as a trend would show there.
    """
    if seasonality.is_year_of_weeks:
        return np.abs(np.diff(values)), 1
    half, week = round(seasonality.year / MONTHS_PER_YEAR) // 2, seasonality.short
    inner = slice(half, len(values) - half)
    levels = uniform_filter1d(values, 2 * half + 1)[inner]
    deviations = values[inner] - levels
    phases = np.arange(len(deviations)) % week
    deviations -= phase_means(deviations, phases, week)[phases]
    sizes = np.abs(deviations) / level_factors(levels, values, week)
    return np.where(sizes > _MAX_ROUNDING * np.abs(values).max(), sizes, 0.0), half
