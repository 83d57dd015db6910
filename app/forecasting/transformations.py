"""Transformations that members work under, and the range that forecasts are kept in."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.forecasting.cleaning import steady_growth
from app.timeseries.types import FloatArray

# How far a forecast may leave the history's range before it is cut off, in units of that range: at
# once, and for each further history's length of steps. A steady line continues by 1.
RANGE_MARGIN, RANGE_GROWTH = 0.5, 1.5
# A forecast that has used this share of that bends towards the rest. A steady line never does.
STRAIGHT_FRACTION = 0.75
MAX_LOG_GROWTH = 20.0  # logarithm of the largest factor by which steady growth may continue
MAX_LOG_DISTANCE = 20.0  # how far a logarithm may be from those of the history before exp


@dataclass(frozen=True)
class TransformedSeries:
    """A series under one transformation: none, the logarithm or the square root.

    ``values`` has shape (n,). ``invert`` takes forecasts, the steps ahead along their last axis,
    back to the raw values and keeps them within the history's range plus a margin.
    """

    name: str
    values: FloatArray
    invert: Callable[[FloatArray], FloatArray]


def soft_limit(beyond: FloatArray, room: FloatArray) -> FloatArray:
    """Return how far beyond the range a forecast that would be ``beyond`` it (..., h) may be.

    Unchanged up to three quarters of the ``room`` (h,), then ever less, so that a curve bends
    instead of ending abruptly.
    """
    used = beyond / np.maximum(room, np.finfo(float).tiny)
    is_bent = used > STRAIGHT_FRACTION
    if not is_bent.any():
        return beyond
    remaining = 1.0 - STRAIGHT_FRACTION
    bent = beyond.copy()
    bent[is_bent] = STRAIGHT_FRACTION + remaining * np.tanh(
        (used[is_bent] - STRAIGHT_FRACTION) / remaining
    )
    bent[is_bent] *= np.broadcast_to(room, beyond.shape)[is_bent]
    return bent


def transformations_of(values: FloatArray, season: int) -> tuple[TransformedSeries, ...]:
    """Return the raw series and one whose spread grows less with the level.

    That is the logarithm for a positive series, the square root for one that reaches 0 (counts),
    and is left out for one with negative values (Box and Cox 1964). Where logarithms rise steadily,
    apart from a ``season`` (in steps, 0 for none), forecasts may continue to.
    """
    lowest, highest = float(values.min()), float(values.max())
    floor = -np.inf if lowest < 0 else 0.0
    growth = max(0.0, steady_growth(values, season))

    def from_raw(forecast: FloatArray) -> FloatArray:
        inside = np.clip(forecast, lowest, highest)
        beyond = forecast - inside
        if not beyond.any():
            return inside
        steps = np.arange(1, forecast.shape[-1] + 1)
        margin = (RANGE_MARGIN + RANGE_GROWTH * steps / len(values)) * (highest - lowest)
        exponent = np.minimum(RANGE_GROWTH * growth * steps, MAX_LOG_GROWTH)
        above = np.maximum(margin, highest * np.expm1(exponent))
        up = soft_limit(np.maximum(beyond, 0.0), above)
        down = soft_limit(np.maximum(-beyond, 0.0), margin)
        return np.maximum(inside + up - down, floor)

    series = [TransformedSeries("raw", values, from_raw)]
    if lowest > 0:
        log_floor = float(np.log(lowest)) - MAX_LOG_DISTANCE
        log_ceiling = float(np.log(highest)) + MAX_LOG_DISTANCE

        def from_log(forecast: FloatArray) -> FloatArray:
            return from_raw(np.exp(np.clip(forecast, log_floor, log_ceiling)))

        series.append(TransformedSeries("log", np.log(values), from_log))
    elif lowest == 0:

        def from_root(forecast: FloatArray) -> FloatArray:
            return from_raw(np.sign(forecast) * forecast**2)

        series.append(TransformedSeries("root", np.sqrt(values), from_root))
    return tuple(series)
