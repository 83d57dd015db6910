"""Half-widths of a normal distribution's intervals."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from app.timeseries.types import FloatArray


def normal_half_widths(confidences: ArrayLike) -> FloatArray:
    """Return the half-width of a normal interval at each confidence, in standard deviations."""
    return np.asarray(ndtri((1 + np.asarray(confidences)) / 2))


def normal_half_width(confidence: float) -> float:
    """Return the half-width of a normal interval, in standard deviations."""
    return float(normal_half_widths(confidence))


def fraction_of_95(confidence: float) -> float:
    """Return the half-width of an interval relative to that of 95 %, at most 1."""
    return min(1.0, normal_half_width(confidence) / normal_half_width(0.95))
