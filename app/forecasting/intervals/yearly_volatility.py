"""How much a series changes in each part of the year.

An epidemic is quiet in summer, and so are the errors of its forecasts. Few past origins are in the
same part of a year, so that their errors cannot show this. The changes of all years can.
"""

import numpy as np
from scipy.ndimage import uniform_filter1d

from app.forecasting.intervals.level_factors import level_factors
from app.forecasting.seasonality import Seasonality
from app.timeseries.phases import phase_means, season_parts
from app.timeseries.types import FloatArray

_MONTHS_PER_YEAR = 12
_MIN_HALF_WINDOW = 4  # steps on each side of one that its deviation is measured from
_SMOOTHED_PARTS = 9  # of the 48 parts of a year, about a week each
_NOISE_WEIGHT = 2.0  # against 1 of James and Stein, so that even years stay even
_MAX_ROUNDING = 1e-9  # of the largest value: less is the rounding of running means
_MIN_VOLATILITY = 0.1  # a summer without cases does not prove that none will come


def yearly_volatility(values: FloatArray, seasonality: Seasonality, horizon: int) -> FloatArray:
    """Return the expected size of changes at each step, relative to that of the whole year.

    It is shrunk towards 1 by as much as parts of the year differ from year to year (James and
    Stein 1961). Each year has the same weight, whatever its level.

    Args:
        values: Two years or more, shape (n,).
        seasonality: Of weeks or days with a year.
        horizon: The number of steps after them.

    Returns:
        Shape (n + horizon,), all 1 without clear differences.
    """
    points, year = len(values), seasonality.year
    half = max(_MIN_HALF_WINDOW, round(year / _MONTHS_PER_YEAR) // 2)
    relative = _relative_deviations(values, seasonality, half)
    parts = season_parts(np.arange(points + horizon), year)
    years_ago = ((points - 1 - np.arange(points)) // year).astype(int)
    shape = (int(years_ago[0]) + 1, int(parts.max()) + 1)
    cells = (years_ago * shape[1] + parts[:points])[half : points - half]
    counts, sums = (
        uniform_filter1d(
            np.bincount(cells, weights, shape[0] * shape[1]).reshape(shape),
            _SMOOTHED_PARTS,
            mode="wrap",
        )
        for weights in (np.ones(len(cells)), relative)
    )
    means = sums.sum(axis=0) / counts.sum(axis=0)
    noise = _noise_of_means(sums, counts, means)
    certainty = max(0.0, 1.0 - _NOISE_WEIGHT * noise / max(float(means.var()), 1e-300))
    return np.asarray(np.maximum(1.0 + certainty * (means - 1.0), _MIN_VOLATILITY)[parts])


def _relative_deviations(values: FloatArray, seasonality: Seasonality, half: int) -> FloatArray:
    """Return how far each step is from the mean around it, over that of the year around it.

    Those of days are measured without their week, and over what their level explains. Weeks are
    not: the waves of epidemics vary by more than their level explains.

    Args:
        values: Shape (n,).
        half: How many steps on each side the mean is taken over.

    Returns:
        Shape (n - 2 * half,), without the ends: a trend would show there as deviations.
    """
    inner = slice(half, len(values) - half)
    levels = uniform_filter1d(values, 2 * half + 1)[inner]
    deviations = values[inner] - levels
    if not seasonality.is_annual:
        phases = np.arange(len(deviations)) % seasonality.short
        deviations -= phase_means(deviations, phases, seasonality.short)[phases]
        deviations /= level_factors(levels, values)
    sizes = np.abs(deviations)
    sizes[sizes <= _MAX_ROUNDING * np.abs(values).max()] = 0.0
    of_year = uniform_filter1d(sizes, round(seasonality.year), mode="mirror")
    return np.divide(sizes, of_year, out=np.ones(len(sizes)), where=of_year > 0)


def _noise_of_means(sums: FloatArray, counts: FloatArray, means: FloatArray) -> float:
    """Return the variance by which the mean of a part differs by chance: that between years.

    Args:
        sums: The sum of each part of each year, shape (years, parts).
        counts: The number of steps in each, of the same shape.
        means: The mean of each part over all years, shape (parts,).
    """
    is_seen = counts >= 0.5 * counts.max()
    years = is_seen.sum(axis=0)
    deviations = np.where(is_seen, sums / np.maximum(counts, 1e-300) - means, 0.0)
    repeated = years > 1
    squares = (deviations**2).sum(axis=0)[repeated]
    return float((squares / (years - 1)[repeated] / years[repeated]).mean())
