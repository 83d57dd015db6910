"""Robust statistics: the size of residuals, and a series with its outliers pulled in."""

import numpy as np

from app.forecasting.cleaning import MAD_TO_SIGMA, running_median
from app.timeseries.types import FloatArray


def robust_sigma(residual: FloatArray) -> float:
    """Return the scaled median size of residuals of shape (n,), or the mean where that is 0."""
    size = np.abs(residual)
    return MAD_TO_SIGMA * float(np.median(size)) or float(size.mean())


def clip_to_sigmas(values: FloatArray, around: FloatArray, sigmas: float) -> FloatArray:
    """Clip values to ``sigmas`` of their own deviations from ``around``."""
    off = values - around
    limit = sigmas * robust_sigma(off)
    return np.asarray(around + np.clip(off, -limit, limit))


def clip_to_median(values: FloatArray, window: int, sigmas: float) -> FloatArray:
    """Clip a series (n,) to ``sigmas`` from its running median."""
    return clip_to_sigmas(values, running_median(values, min(window, len(values))), sigmas)
