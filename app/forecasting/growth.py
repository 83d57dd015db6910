"""How far a trend is believed: the growth rule of years, the damping of seasonal series."""

import numpy as np

from app.forecasting.types import FloatArray

_RECENT_POINTS = 10
_LARGEST_SLOPE_RATIO = 1.5
# Growth a year, as a share of the last value, from which on only half of it is believed.
_EASY_GROWTH = 0.10
_BELIEVED_BEYOND = 0.5


def _slope(values: FloatArray) -> float:
    time = np.arange(len(values)) - (len(values) - 1) / 2.0
    return float(time @ values / (time @ time))


def limit_growth(median: FloatArray, values: FloatArray) -> FloatArray:
    """Keep a forecast of shape (h,) within 1.5 times the slopes that the history shows.

    The slopes are the least-squares ones of the last ten and of all points, with zero between
    them; of the growth beyond 10 % of the last value a year one half is kept.
    """
    steps = np.arange(1, len(median) + 1)
    slopes = (_slope(values[-_RECENT_POINTS:]), _slope(values), 0.0)
    reach = _LARGEST_SLOPE_RATIO * steps
    growth = np.clip(median - values[-1], reach * min(slopes), reach * max(slopes))
    easy = _EASY_GROWTH * abs(values[-1]) * steps
    within = np.clip(growth, -easy, easy)
    limited: FloatArray = values[-1] + within + _BELIEVED_BEYOND * (growth - within)
    return limited


def damp_trend(median: FloatArray, values: FloatArray, period: int, kept: float) -> FloatArray:
    """Keep the share ``kept`` of how far a forecast of shape (h,) moves the mean of a cycle.

    The mean of the ``period`` steps up to each step is pulled towards that of the history's last
    cycle; the season inside the cycle stays. Needs ``period`` points of history.
    """
    path = np.concatenate([values[len(values) - period + 1 :], median])
    means = np.convolve(path, np.full(period, 1.0 / period), "valid")
    damped: FloatArray = median - (1.0 - kept) * (means - values[-period:].mean())
    return damped
