"""Robust statistics: sizes of residuals, weighted medians, a series with its outliers clipped."""

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


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted median of (k, ..., h) along the first axis, by weights (k, h)."""
    order = np.argsort(values, axis=0, kind="stable")
    aligned = weights.reshape(len(weights), *[1] * (values.ndim - 2), -1)
    mass = np.take_along_axis(np.broadcast_to(aligned, values.shape), order, 0).cumsum(axis=0)
    # Rounding: half of a sum of weights that is not quite 1.
    at = (mass >= (0.5 - 1e-12) * mass[-1]).argmax(axis=0)[None]
    return np.asarray(np.take_along_axis(np.take_along_axis(values, order, axis=0), at, axis=0)[0])
