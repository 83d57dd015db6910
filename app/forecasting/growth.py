"""How far a trend continues: the growth rule of years, the damping of seasonal series."""

import numpy as np

from app.forecasting.types import MIN_MEMBER_STEPS
from app.timeseries.types import FloatArray

_RECENT_POINTS = 10
_MAX_SLOPE_RATIO = 1.5
# Growth a year, as a share of the last value, from which on only half of it counts.
_MAX_FULL_GROWTH = 0.10
_EXCESS_GROWTH_WEIGHT = 0.5
_NOISE_POINTS = 30
_NOISE_WEIGHT = 0.7
# A trend counts in full where each step is forecast with this share of the naive forecast's
# error, and least from the second share on; with few years that share says nothing yet.
_GOOD_ERROR_RATIO, _POOR_ERROR_RATIO = 0.5, 0.8
_FEW_YEARS, _MANY_YEARS = 20, 50
_MAX_TREND_DISCOUNT = 0.3
# A history that turned at each of so many last points alternates.
_ALTERNATION_POINTS = 6


def _slope(values: FloatArray) -> float:
    time = np.arange(len(values)) - (len(values) - 1) / 2.0
    return float(time @ values / (time @ time))


def _noise_fraction(values: FloatArray) -> float:
    """How much of the steps of a series is noise around its level, from 0 to 1.

    White noise around a smooth level gives differences a first autocorrelation of -1/2, a random
    walk of 0. Taken at 0.7 of its size, which fits past origins of yearly series best.
    """
    steps = np.diff(values[-_NOISE_POINTS:])
    steps = steps - steps.mean()
    power = float(steps @ steps)
    if len(steps) < 4 or power <= 0.0:
        return 0.0
    autocorrelation = float(steps[1:] @ steps[:-1]) / power
    return float(np.clip(-2.0 * _NOISE_WEIGHT * autocorrelation, 0.0, 1.0))


def _is_alternating(path: FloatArray) -> bool:
    steps = np.diff(path)
    return bool(np.all(steps[1:] * steps[:-1] < 0))


def trend_discount(values: FloatArray, error: float) -> float:
    """Return the share of a yearly trend to discard, from 0 to 0.3.

    Where a long history was hardly forecast better than by its last value, its trends turned often.

    Args:
        values: the history, shape (n,).
        error: root mean square error of a member's one-step forecasts in the history.
    """
    usual = float(np.sqrt(np.mean(np.diff(values) ** 2)))
    unforeseen = (
        (error / usual - _GOOD_ERROR_RATIO) / (_POOR_ERROR_RATIO - _GOOD_ERROR_RATIO)
        if usual > 0
        else 0.0
    )
    experience = (len(values) - _FEW_YEARS) / (_MANY_YEARS - _FEW_YEARS)
    return float(
        _MAX_TREND_DISCOUNT * np.clip(unforeseen, 0.0, 1.0) * np.clip(experience, 0.0, 1.0)
    )


def limit_growth(median: FloatArray, values: FloatArray, doubt: float = 0.0) -> FloatArray:
    """Keep a forecast of shape (h,) within 1.5 times the slopes that the history shows.

    The slopes are the least-squares ones of the last ten and of all points, with zero between
    them; of the growth beyond 10 % of the last value a year one half is kept, and of what is left
    the share ``doubt`` taken away. Growth counts from the last value, or from nearer to the first
    forecast the more of the last value is noise. A forecast whose first steps all
    turn, as the history did, has no growth.
    """
    if _is_alternating(np.concatenate([values[-_ALTERNATION_POINTS:], median[:MIN_MEMBER_STEPS]])):
        return median
    steps = np.arange(1, len(median) + 1)
    start = values[-1] + _noise_fraction(values) * (median[0] - values[-1])
    slopes = (_slope(values[-_RECENT_POINTS:]), _slope(values), 0.0)
    furthest = _MAX_SLOPE_RATIO * steps
    growth = np.clip(median - start, furthest * min(slopes), furthest * max(slopes))
    easy = _MAX_FULL_GROWTH * abs(start) * steps
    within = np.clip(growth, -easy, easy)
    limited = within + _EXCESS_GROWTH_WEIGHT * (growth - within)
    believed: FloatArray = start + (1.0 - doubt) * limited
    return believed


def damp_trend(median: FloatArray, values: FloatArray, period: int, kept: float) -> FloatArray:
    """Keep the share ``kept`` of how far a forecast of shape (h,) moves the mean of a cycle.

    The mean of the ``period`` steps up to each step is pulled towards that of the history's last
    cycle; the season inside the cycle stays. Needs ``period`` points of history.
    """
    path = np.concatenate([values[len(values) - period + 1 :], median])
    means = np.convolve(path, np.full(period, 1.0 / period), "valid")
    damped: FloatArray = median - (1.0 - kept) * (means - values[-period:].mean())
    return damped
