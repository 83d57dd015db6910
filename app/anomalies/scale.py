"""How large the noise of a series typically is, at each point.

The scale varies with the phase of a season and slowly over time, as far as the residuals agree:
each factor is drawn towards 1 by how uncertain it is.
"""

import numpy as np
from scipy.ndimage import uniform_filter1d

from app.timeseries.phases import season_parts
from app.timeseries.robust import robust_sigma
from app.timeseries.types import BoolArray, FloatArray

# Residuals are clipped at this many sigmas, so that an anomaly does not widen its own band.
_MAX_SIZE_SIGMAS = 3.0
# The mean size of k normal residuals has this relative variance over k.
_RELATIVE_SIZE_VARIANCE = 0.57
_SLOW_WINDOW_FRACTION = 0.1  # of the series: a window of the slow part
_MIN_SLOW_WINDOW_POINTS = 100
# Variation below this multiple of the chance variation of independent sizes counts as none, because
# sizes are autocorrelated.
_CHANCE_FACTOR = 2.0


def noise_scale(
    residual: FloatArray, periods: tuple[float, ...], is_excluded: BoolArray
) -> FloatArray:
    """Return the typical size of the residuals around each point, shape (n,), above 0.

    Residuals that are excluded count as neither larger nor smaller than the others.
    """
    sigma = robust_sigma(residual[~is_excluded])
    if sigma <= 0:
        return np.ones(len(residual))
    size = np.minimum(np.abs(residual), _MAX_SIZE_SIGMAS * sigma)
    size[is_excluded] = size[~is_excluded].mean()
    n = len(residual)
    scale, window = np.ones(n), max(_MIN_SLOW_WINDOW_POINTS, int(_SLOW_WINDOW_FRACTION * n))
    if n >= 2 * window:
        slow = uniform_filter1d(size, window, mode="mirror") / size.mean()
        scale = _shrink_to_one(slow, window)
    if periods:
        factors = phase_factors(size / scale, periods[0])
        scale = scale * factors[season_parts(np.arange(n), periods[0])]
    return np.asarray(scale * sigma)


def phase_factors(size: FloatArray, period: float) -> FloatArray:
    """Return the ratio of the size in each part of a season to the typical size.

    ``size`` of shape (n,) begins with the season; there are ``min(period, 48)`` parts.
    """
    parts = season_parts(np.arange(len(size)), period)
    counts = np.bincount(parts)
    factor = np.bincount(parts, size) / counts / size.mean()
    return _shrink_to_one(factor, float(counts.mean()))


def _shrink_to_one(factor: FloatArray, count: float) -> FloatArray:
    """Return factors, each a mean of ``count`` sizes, as far as chance does not explain them."""
    logs = np.log(np.maximum(factor, 0.05))
    variance = float(logs.var())
    chance = _CHANCE_FACTOR * _RELATIVE_SIZE_VARIANCE / count
    kept = max(0.0, 1 - chance / variance) if variance > 0 else 0.0
    return np.asarray(np.exp(kept * (logs - logs.mean())))
