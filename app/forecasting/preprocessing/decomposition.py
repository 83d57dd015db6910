"""Classical seasonal decomposition: the seasonal indices of a series, and their strength.

Source: the ratio-to-moving-average method, as in Makridakis, Wheelwright and Hyndman,
"Forecasting: Methods and Applications" (1998), chapter 3.
"""

import numpy as np

from app.timeseries.phases import phase_means
from app.timeseries.types import FloatArray, IntArray

# One-sided 5 % point of the normal distribution: the seasonality test the M competitions used.
_SIGNIFICANCE = 1.645
MIN_CLEAR_STRENGTH = 0.3
# With fewer cycles a profile explains the data that it was estimated from, so cycles are compared.
_MIN_TESTED_CYCLES = 2.5
_MIN_CYCLE_CORRELATION = 0.5
_MIN_MULTIPLICATIVE_INDEX = 0.01


def is_seasonal(values: FloatArray, period: int) -> bool:
    """Return whether a series is seasonal, by its autocorrelation or its seasonal strength.

    The autocorrelation test at ``period`` is the 90 % test of the M3 and M4 competitions. With a
    strong trend all correlations are high, so that it finds no season; the strength is that of the
    detrended series. With little more than two cycles, these must be similar instead.
    """
    if not can_be_seasonal(len(values), period):
        return False
    if len(values) < _MIN_TESTED_CYCLES * period:
        return _has_similar_cycles(values, period)
    centred = values - values.mean()
    variance = centred @ centred
    if variance <= 0:
        return False
    if seasonal_strength(values, period) > MIN_CLEAR_STRENGTH:
        return True
    lags = range(1, period + 1)
    correlations = np.array([centred[lag:] @ centred[:-lag] for lag in lags]) / variance
    limit = _SIGNIFICANCE * np.sqrt((1 + 2 * np.sum(correlations[:-1] ** 2)) / len(values))
    return bool(abs(correlations[-1]) > limit)


def _has_similar_cycles(values: FloatArray, period: int) -> bool:
    """Return whether the last two cycles correlate, without their levels and common slope."""
    cycles = values[-2 * period :].reshape(2, period)
    levels = cycles.mean(axis=1)
    slope = (levels[1] - levels[0]) / period
    residuals = cycles - levels[:, None] - slope * (np.arange(period) - (period - 1) / 2)
    first, second = residuals
    norm = np.sqrt((first @ first) * (second @ second))
    return bool(first @ second > _MIN_CYCLE_CORRELATION * norm)


def seasonal_strength(values: FloatArray, period: int) -> float:
    """Return the fraction of the detrended variance that the seasonal profile explains, 0 to 1.

    Source: Wang, Smith and Hyndman (2006), with the residual variance corrected for the
    ``period`` means that were estimated.
    """
    if not can_be_seasonal(len(values), period):
        return 0.0
    inner, trend, phases = _split_trend(values, period)
    detrended = inner - trend
    variance = detrended.var()
    if variance <= 0:
        return 0.0
    indices = phase_means(detrended, phases, period)
    residuals = detrended - (indices - indices.mean())[phases]
    freedom = max(1, len(detrended) - period)
    return float(max(0.0, 1.0 - (residuals @ residuals) / freedom / variance))


def additive_indices(values: FloatArray, period: int) -> FloatArray:
    """Return the seasonal deviation of each phase, shape (period,), with mean 0.

    ``values[0]`` has phase 0.
    """
    inner, trend, phases = _split_trend(values, period)
    indices = phase_means(inner - trend, phases, period)
    return indices - indices.mean()


def multiplicative_indices(values: FloatArray, period: int) -> FloatArray | None:
    """Return the factor of each phase, shape (period,), with mean 1.

    None if values or trend are not positive, or if a factor is nearly 0.
    """
    inner, trend, phases = _split_trend(values, period)
    if values.min() <= 0 or trend.min() <= 0:
        return None
    indices = phase_means(inner / trend, phases, period, empty=1.0)
    indices = indices / indices.mean()
    return indices if bool(indices.min() >= _MIN_MULTIPLICATIVE_INDEX) else None


def _split_trend(values: FloatArray, period: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the values that have a moving average, these averages, and the values' phases."""
    trend, offset = centred_moving_average(values, period)
    inner = slice(offset, offset + len(trend))
    return values[inner], trend, np.arange(len(values))[inner] % period


def centred_moving_average(values: FloatArray, period: int) -> tuple[FloatArray, int]:
    """Return the moving average over one period, and the index in ``values`` of the first average.

    Of an even period both ends have half the weight.
    """
    if period % 2:
        weights = np.full(period, 1.0 / period)
    else:
        weights = np.full(period + 1, 1.0 / period)
        weights[[0, -1]] /= 2.0
    return np.convolve(values, weights, "valid"), (len(weights) - 1) // 2


def can_be_seasonal(points: int, period: int) -> bool:
    """Return whether ``points`` contain two cycles of a season of ``period`` steps."""
    return period >= 2 and points >= 2 * period
