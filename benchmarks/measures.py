"""The accuracy measures of forecasts, as defined by the M competitions."""

from collections.abc import Mapping

import numpy as np

from app.timeseries.types import FloatArray


def smape(forecast: FloatArray, actual: FloatArray) -> float:
    """Return the symmetric mean absolute percentage error, 0 to 200; 0 where both are 0."""
    size = np.abs(actual) + np.abs(forecast)
    return float(200.0 * np.mean(np.abs(actual - forecast) / np.where(size > 0, size, 1.0)))


def mase(forecast: FloatArray, actual: FloatArray, scale: float) -> float:
    """Return the mean absolute error over `naive_scale` (Hyndman and Koehler 2006)."""
    return float(np.mean(np.abs(actual - forecast))) / scale


def msis(
    lower: FloatArray, upper: FloatArray, actual: FloatArray, scale: float, confidence: float
) -> float:
    """Return the mean scaled interval score (Gneiting and Raftery 2007): width and penalties."""
    fine = 2.0 / (1.0 - confidence)
    score = upper - lower
    score = score + fine * np.maximum(lower - actual, 0.0)
    score = score + fine * np.maximum(actual - upper, 0.0)
    return float(np.mean(score)) / scale


def coverage(lower: FloatArray, upper: FloatArray, actual: FloatArray) -> float:
    """Return the percentage of the actuals inside their interval."""
    return float(100.0 * np.mean((lower <= actual) & (actual <= upper)))


def pinball(actual: FloatArray, quantile: FloatArray, level: float) -> float:
    """Return the mean pinball loss of forecasts of one quantile (Koenker and Bassett 1978)."""
    error = actual - quantile
    return float(np.mean(np.maximum(level * error, (level - 1) * error)))


def mean_pinball(
    actual: FloatArray,
    median: FloatArray,
    bounds: Mapping[float, tuple[FloatArray, FloatArray]],
    scale: float,
) -> float:
    """Return the mean pinball loss of the median and all bounds, over ``scale``."""
    losses = [pinball(actual, median, 0.5)]
    for level, (lower, upper) in bounds.items():
        losses.append(pinball(actual, lower, (1 - level) / 2))
        losses.append(pinball(actual, upper, (1 + level) / 2))
    return float(np.mean(losses)) / scale
