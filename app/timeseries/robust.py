"""Robust statistics: standard deviations from medians, clipped outliers, weighted medians."""

import numpy as np

from app.timeseries.types import FloatArray

_MAD_TO_SIGMA = 1.4826  # a median absolute deviation times this estimates a standard deviation


def mad_sigma(residuals: FloatArray) -> float:
    """Return the scaled median magnitude of residuals (n,): if they are normal, their deviation."""
    return _MAD_TO_SIGMA * float(np.median(np.abs(residuals)))


def mean_deviation(values: FloatArray) -> float:
    """Return the mean distance of ``values`` (n,) from their median."""
    return float(np.abs(values - np.median(values)).mean())


def robust_sigma(residuals: FloatArray) -> float:
    """Return ``mad_sigma``, or the mean magnitude if most residuals are 0."""
    return mad_sigma(residuals) or float(np.abs(residuals).mean())


def clip_to_sigmas(values: FloatArray, around: FloatArray, sigmas: float) -> FloatArray:
    """Clip values to within ``sigmas`` robust standard deviations of ``around``."""
    residuals = values - around
    limit = sigmas * robust_sigma(residuals)
    return np.asarray(around + np.clip(residuals, -limit, limit))


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted median of ``values`` (k, ..., h) along the first axis.

    ``weights`` have shape (k, h).
    """
    order = np.argsort(values, axis=0, kind="stable")
    aligned = weights.reshape(len(weights), *[1] * (values.ndim - 2), -1)
    mass = np.take_along_axis(np.broadcast_to(aligned, values.shape), order, 0).cumsum(axis=0)
    # The sum of weights that should be one half may be rounded down.
    middle = (mass >= (0.5 - 1e-12) * mass[-1]).argmax(axis=0)[None]
    return np.asarray(np.take_along_axis(np.take_along_axis(values, order, axis=0), middle, 0)[0])
