"""Columns of design matrices, lags and Fourier terms, and the slope of a fitted line."""

from collections.abc import Sequence

import numpy as np

from app.timeseries.types import FloatArray, IntArray


def lag_columns(values: FloatArray, lags: Sequence[int]) -> FloatArray:
    """Return the values ``lags`` steps before each step that has all of them.

    Args:
        values: Shape (..., n).
        lags: In steps, below n.

    Returns:
        Shape (..., n - longest lag, lags).
    """
    longest, points = max(lags), values.shape[-1]
    return np.stack([values[..., longest - lag : points - lag] for lag in lags], axis=-1)


def fourier_columns(steps: IntArray, period: float, pairs: int) -> FloatArray:
    """Return the sines, then the cosines, of 1 to ``pairs`` waves per ``period``: (n, 2 pairs)."""
    angles = 2 * np.pi * np.outer(steps, np.arange(1, pairs + 1)) / period
    return np.hstack([np.sin(angles), np.cos(angles)])


def line_slope(values: FloatArray) -> float:
    """Return the slope per step of the line through ``values`` (n,), n at least 2."""
    time = np.arange(len(values)) - (len(values) - 1) / 2
    return float(time @ values / (time @ time))
