"""Robust statistics: the size of residuals, and a series with its outliers pulled in."""

import numpy as np

from app.timeseries.types import FloatArray

_MAD_TO_SIGMA = 1.4826  # a median absolute deviation times this estimates a standard deviation


def mad_sigma(residuals: FloatArray) -> float:
    """Return the standard deviation of normal residuals, shape (n,), by their median size."""
    return _MAD_TO_SIGMA * float(np.median(np.abs(residuals)))


def robust_sigma(residual: FloatArray) -> float:
    """Return the scaled median size of residuals of shape (n,), or the mean where that is 0."""
    return mad_sigma(residual) or float(np.abs(residual).mean())


def clip_to_sigmas(values: FloatArray, around: FloatArray, sigmas: float) -> FloatArray:
    """Clip values to within ``sigmas`` robust standard deviations of ``around``."""
    off = values - around
    limit = sigmas * robust_sigma(off)
    return np.asarray(around + np.clip(off, -limit, limit))
