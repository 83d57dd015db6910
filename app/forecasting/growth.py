"""Limit the growth of yearly forecasts, and damp the trend of seasonal ones unless it is steady.

``docs/developing/members.md`` has the gains of these constants on M1, M3, GDP and made series.
"""

import numpy as np

from app.forecasting.types import MIN_MEMBER_STEPS
from app.timeseries.least_squares import line_slope
from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray

_RECENT_POINTS = 10
_MAX_SLOPE_RATIO = 1.5
# Yearly growth, as a fraction of the last value, beyond which growth is halved.
_MAX_FULL_GROWTH = 0.10
_EXCESS_GROWTH_WEIGHT = 0.5
_NOISE_POINTS = 30
_NOISE_WEIGHT = 0.7
# The discount of growth rises from none at the minima to full at the maxima: of the one-step error
# over that of the naive forecast, and of the length of the history in years.
_MIN_DISCOUNT_ERROR_RATIO, _MAX_DISCOUNT_ERROR_RATIO = 0.5, 0.8
_MIN_DISCOUNT_YEARS, _MAX_DISCOUNT_YEARS = 20, 50
_MAX_TREND_DISCOUNT = 0.3
_ALTERNATION_POINTS = 6
# A history and its forecast alternate if every product -changes[1:] * changes[:-1] is positive:
# fully if the smallest one is this fraction of the mean square change of the history.
_MIN_TURN = 0.1
# Growth is not steady at the minimum, and fully steady at the maximum: its mean over a season, in
# standard deviations of these changes.
_MIN_STEADINESS, _MAX_STEADINESS = 2.0, 4.0
_MIN_STEADY_CYCLES = 3
_MAX_ROUNDING = 1e-9  # a fraction: the changes of a line without noise differ by less


def limit_growth(median: FloatArray, values: FloatArray, discount: float) -> FloatArray:
    """Limit the growth of a yearly forecast to what the history shows.

    The slope stays between 0 and 1.5 times the least-squares slopes of the last ten points and of
    all points. Half of the growth beyond 10 % of the last value a year is discarded, then the
    fraction ``discount`` of the rest. Growth is measured from the last value, which is first moved
    towards the forecast by its fraction of noise. A forecast that alternates as its history does is
    not changed.

    Args:
        median: The forecast, shape (h,).
        values: The history, shape (n,).
        discount: From ``trend_discount``.
    """
    steps = np.arange(1, len(median) + 1)
    start = values[-1] + _noise_fraction(values) * (median[0] - values[-1])
    slopes = (line_slope(values[-_RECENT_POINTS:]), line_slope(values), 0.0)
    longest = _MAX_SLOPE_RATIO * steps
    growth = np.clip(median - start, longest * min(slopes), longest * max(slopes))
    full_growth = _MAX_FULL_GROWTH * abs(start) * steps
    within = np.clip(growth, -full_growth, full_growth)
    limited = within + _EXCESS_GROWTH_WEIGHT * (growth - within)
    path: FloatArray = start + (1.0 - discount) * limited
    alternating = _alternation(median, values)
    return alternating * median + (1.0 - alternating) * path


def trend_discount(values: FloatArray, error: float) -> float:
    """Return the fraction of a yearly trend to discard, from 0 to 0.3.

    The trend of a long history has often turned if the naive forecast is nearly as good.

    Args:
        values: The history, shape (n,).
        error: Root mean square error of a member's one-step forecasts in the history.
    """
    naive = float(np.sqrt(np.mean(np.diff(values) ** 2)))
    ratio = error / naive if naive > 0 else 0.0
    poor = _fraction_between(ratio, _MIN_DISCOUNT_ERROR_RATIO, _MAX_DISCOUNT_ERROR_RATIO)
    years = _fraction_between(len(values), _MIN_DISCOUNT_YEARS, _MAX_DISCOUNT_YEARS)
    return _MAX_TREND_DISCOUNT * poor * years


def _noise_fraction(values: FloatArray) -> float:
    """Return the fraction of the changes of a series that is noise around its level, 0 to 1.

    White noise around a smooth level gives changes a first autocorrelation of -1/2, a random walk
    one of 0. ``_NOISE_WEIGHT`` fits past origins of yearly series best.
    """
    changes = np.diff(values[-_NOISE_POINTS:])
    changes = changes - changes.mean()
    power = float(changes @ changes)
    if len(changes) < 4 or power <= 0.0:
        return 0.0
    autocorrelation = float(changes[1:] @ changes[:-1]) / power
    return float(np.clip(-2.0 * _NOISE_WEIGHT * autocorrelation, 0.0, 1.0))


def _alternation(median: FloatArray, values: FloatArray) -> float:
    """Return how clearly the last points and the forecast rise and fall in turn, 0 to 1."""
    changes = np.diff(np.concatenate([values[-_ALTERNATION_POINTS:], median[:MIN_MEMBER_STEPS]]))
    past = changes[: min(len(values), _ALTERNATION_POINTS) - 1]
    full_turn = _MIN_TURN * float(np.mean(past**2))
    turn = float(np.min(-changes[1:] * changes[:-1]))
    return float(np.clip(turn / full_turn, 0.0, 1.0)) if full_turn > 0 else 0.0


def find_steady_growth(values: FloatArray, period: int) -> tuple[float, float]:
    """Return how steady the growth of a seasonal series is, and how clearly it is exponential.

    Both are from 0 to 1. Steady growth continues, so that neither damping nor a regression towards
    the mean helps. It is exponential if the changes of logarithms vary less than those of values.
    """
    if len(values) < _MIN_STEADY_CYCLES * period:
        return 0.0, 0.0
    amount = _steadiness(values, period)
    rate = _steadiness(np.log(values), period) if values.min() > 0 else 0.0
    steady = _fraction_between(max(amount, rate), _MIN_STEADINESS, _MAX_STEADINESS)
    excess = rate / amount - 1.0 if amount > 0 else 1.0
    return steady, steady * float(np.clip(excess, 0.0, 1.0))


def _fraction_between(value: float, minimum: float, maximum: float) -> float:
    return float(np.clip((value - minimum) / (maximum - minimum), 0.0, 1.0))


def _steadiness(values: FloatArray, period: int) -> float:
    """Return the mean change over one period in standard deviations of these changes."""
    changes = values[period:] - values[:-period]
    mean = abs(float(changes.mean()))
    return mean / max(float(changes.std()), _MAX_ROUNDING * mean, TINY)


def damp_trend(
    median: FloatArray, values: FloatArray, period: int, trend_kept: float
) -> FloatArray:
    """Keep only the fraction ``trend_kept`` of the trend of a seasonal forecast, shape (h,).

    The mean of the ``period`` steps up to each step moves towards the mean of the last cycle of the
    history, which has at least ``period`` points; the season within a cycle stays.
    """
    path = np.concatenate([values[len(values) - period + 1 :], median])
    means = np.convolve(path, np.full(period, 1.0 / period), "valid")
    return median - (1.0 - trend_kept) * (means - values[-period:].mean())
