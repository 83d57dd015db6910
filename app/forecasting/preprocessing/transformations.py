"""Transformations under which members forecast, and the range to which forecasts are limited."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.forecasting.preprocessing.cleaning import steady_growth
from app.timeseries.bounds import floor_of
from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray

# How far a forecast may leave the history's range, in units of that range.
_RANGE_MARGIN = 0.5  # at the last value
_RANGE_GROWTH = 1.5  # added for each further length of the history; a steady line needs 1
# Beyond this fraction of the limit, further than a steady line, a forecast bends towards it.
_STRAIGHT_FRACTION = 0.75
_MAX_LOG_GROWTH = 20.0  # the logarithm of the largest factor by which steady growth continues
_MAX_LOG_DISTANCE = 20.0  # of a forecast logarithm from those of the history


@dataclass(frozen=True)
class TransformedSeries:
    """A series under one transformation: none, the logarithm or the square root.

    ``values`` has shape (n,). ``invert`` transforms forecasts (..., h) back to raw values, within
    the range of the history plus a margin.
    """

    values: FloatArray
    invert: Callable[[FloatArray], FloatArray]


def soft_limit(excess: FloatArray, max_excess: FloatArray) -> FloatArray:
    """Return the ``excess`` (..., h) of a forecast over the range, limited to ``max_excess`` (h,).

    It is unchanged up to `_STRAIGHT_FRACTION` of the limit, then bends towards it.
    """
    used = excess / np.maximum(max_excess, TINY)
    is_bent = used > _STRAIGHT_FRACTION
    if not is_bent.any():
        return excess
    remaining = 1.0 - _STRAIGHT_FRACTION
    bent = excess.copy()
    bent[is_bent] = _STRAIGHT_FRACTION + remaining * np.tanh(
        (used[is_bent] - _STRAIGHT_FRACTION) / remaining
    )
    bent[is_bent] *= np.broadcast_to(max_excess, excess.shape)[is_bent]
    return bent


def transformations_of(values: FloatArray, period: int = 1) -> tuple[TransformedSeries, ...]:
    """Return the raw series, and one whose spread grows less with the level (Box and Cox 1964).

    The second is the logarithm of a positive series, the square root of one that reaches 0
    (counts); series with negative values have none. If the logarithms rise steadily, apart from a
    season of ``period`` steps, forecasts may continue to rise beyond the range.
    """
    lowest, highest = float(values.min()), float(values.max())
    floor = floor_of(values)
    growth = max(0.0, steady_growth(values, period))

    def from_raw(forecast: FloatArray) -> FloatArray:
        inside = np.clip(forecast, lowest, highest)
        excess = forecast - inside
        if not excess.any():
            return inside
        steps = np.arange(1, forecast.shape[-1] + 1)
        margin = (_RANGE_MARGIN + _RANGE_GROWTH * steps / len(values)) * (highest - lowest)
        exponent = np.minimum(_RANGE_GROWTH * growth * steps, _MAX_LOG_GROWTH)
        above = np.maximum(margin, highest * np.expm1(exponent))
        up = soft_limit(np.maximum(excess, 0.0), above)
        down = soft_limit(np.maximum(-excess, 0.0), margin)
        return np.maximum(inside + up - down, floor)

    series = [TransformedSeries(values, from_raw)]
    if lowest > 0:
        log_floor = float(np.log(lowest)) - _MAX_LOG_DISTANCE
        log_ceiling = float(np.log(highest)) + _MAX_LOG_DISTANCE

        def from_log(forecast: FloatArray) -> FloatArray:
            return from_raw(np.exp(np.clip(forecast, log_floor, log_ceiling)))

        series.append(TransformedSeries(np.log(values), from_log))
    elif lowest == 0:

        def from_root(forecast: FloatArray) -> FloatArray:
            return from_raw(np.sign(forecast) * forecast**2)

        series.append(TransformedSeries(np.sqrt(values), from_root))
    return tuple(series)
