"""The last lasting change of level of a disturbed series, and the values before it moved to it."""

import numpy as np

from app.forecasting.preprocessing.seasonality import Seasonality
from app.timeseries.robust import mad_sigma, mean_deviation
from app.timeseries.running_median import level_differences
from app.timeseries.types import FloatArray

# The minimum shift of a level: with less, random walks such as traffic would shift.
_MIN_SHIFT_ERRORS = 7.0  # in standard errors of a difference between medians
_MIN_SHIFT_SIGMAS = 3.0  # in standard deviations of the noise
# Points of the windows whose medians are compared: a season, but at most a sixth of the history.
_MIN_SHIFT_WINDOW = 8
_DEFAULT_SHIFT_WINDOW = 24  # without a season
_MEDIAN_ERROR_RATIO = 1.2533  # the standard error of a median over a mean's: sqrt(pi / 2)
_AUTOCORRELATION_RATIO = 2.5  # an allowance for autocorrelation
# Within the windows before and after a shift the level moves by less than this fraction of it.
_MAX_MOVEMENT = 0.5
_MAX_ROUNDING = 1e-9  # distances that differ by this fraction are equal


def last_level_shift(residuals: FloatArray, seasonality: Seasonality) -> int:
    """Return the index of the first point after the last lasting change of level, or 0.

    The medians of neighbouring windows must differ by far more than autocorrelated noise explains.
    A difference that recurs after one long season, such as a weekend, does not count.
    """
    points = len(residuals)
    long = seasonality.long
    window = max(_MIN_SHIFT_WINDOW, min(seasonality.short or _DEFAULT_SHIFT_WINDOW, points // 6))
    if points < 3 * window:
        return 0
    noise = mad_sigma(level_differences(residuals, window, 1))
    signed = level_differences(residuals, window, window)
    distances = np.abs(signed)
    if long and len(signed) > long:
        distances[long:] = np.minimum(distances[long:], np.abs(signed[long:] - signed[:-long]))
        first = min(long, len(signed) - long)
        later = np.abs(signed[:first] - signed[long : long + first])
        distances[:first] = np.minimum(distances[:first], later)
    expected = noise * _MEDIAN_ERROR_RATIO * np.sqrt(2 / window) * _AUTOCORRELATION_RATIO
    threshold = max(_MIN_SHIFT_ERRORS * expected, _MIN_SHIFT_SIGMAS * noise)
    far = np.flatnonzero(distances > threshold)
    if threshold <= 0 or not len(far):
        return 0
    last_run = far[np.flatnonzero(np.diff(far, prepend=-2) > 1)[-1] :]
    heights = distances[last_run]
    # The first of equal heights: rounding must not decide which of them is the highest.
    shift = int(window + last_run[np.argmax(heights >= (1 - _MAX_ROUNDING) * heights.max())])
    return shift if _is_between_levels(residuals, shift, window) else 0


def _is_between_levels(residuals: FloatArray, shift: int, window: int) -> bool:
    """Return whether the windows on both sides of ``shift`` are levels, not parts of a slope."""
    before, after = residuals[shift - window : shift], residuals[shift : shift + window]
    half = window // 2
    movements = [np.median(side[-half:]) - np.median(side[:half]) for side in (before, after)]
    height = float(np.median(after) - np.median(before))
    return float(sum(movements)) / height < _MAX_MOVEMENT


def move_to_new_level(
    values: FloatArray, residuals: FloatArray, shift: int, span: int
) -> FloatArray:
    """Return the values, those before ``shift`` moved to the level of the ``span`` points after it.

    They are multiplied if the spread changed with the level (a load that doubled), else shifted.
    """
    if shift <= 0:
        return values
    before, since = slice(max(0, shift - span), shift), slice(shift, shift + span)
    old, new = values[before], values[since]
    old_level, new_level = float(np.median(old)), float(np.median(new))
    moved = values.copy()
    if values.min() >= 0 and old_level > 0 and new_level > 0 and 2 * len(new) >= span:
        level_ratio = new_level / old_level
        by_difference, by_factor = spread_changes(old, new, level_ratio)
        if by_factor < by_difference:
            moved[:shift] *= level_ratio
            return moved
    moved[:shift] += np.median(residuals[since]) - np.median(residuals[before])
    return moved


def spread_changes(
    before: FloatArray, since: FloatArray, level_ratio: float
) -> tuple[float, float]:
    """Return how the spread has changed, beyond a change of level by a difference or by a factor.

    Both are magnitudes of log ratios, the smaller one of which explains the spreads better; they
    are infinite if one side does not vary. ``level_ratio`` is the new level over the old one, NaN
    if one of them is not positive.
    """
    old_spread, new_spread = mean_deviation(before), mean_deviation(since)
    if min(old_spread, new_spread) <= 0:
        return np.inf, np.inf
    log_ratio = np.log(new_spread / old_spread)
    return float(abs(log_ratio)), float(abs(log_ratio - np.log(level_ratio)))
