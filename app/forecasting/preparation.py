"""Preparation of a series for a model, and the inverse for its forecast."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.forecasting.error_codes import find_error_codes
from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.history import History
from app.timeseries.types import BoolArray, FloatArray

# A series that moves less than this fraction of its level is shifted to zero first: otherwise the
# differences that members take would be rounding errors.
_MIN_RELATIVE_RANGE = 1e-6
# How far a median may leave the history's range, in ranges: at any step, and in addition for each
# length of the history ahead.
_MEDIAN_MARGIN = 1.0
_MEDIAN_GROWTH = 3.0
_BOUND_MARGIN = 10.0  # how far a bound may go, in margins of the median
_ROUNDING = 1e-12  # values below this fraction of the largest one are rounding
# In mean magnitudes: a negative value nearer to 0 is noise of a series that is never negative.
_MAX_NEGATIVE_NOISE = 1e-3
# A positive value up to the first is noise of a zero if no value is between the two.
_MAX_ZERO_NOISE, _MIN_POSITIVE = 1e-6, 1e-4
_MAX_DIGITS = 300  # rounding to more decimals, or to larger powers of ten, overflows
# Values that differ by at most this fraction of the range, and of themselves, are equal but for
# noise if the distance to all others is `_MIN_ISOLATION` times that fraction or more.
_MAX_VALUE_NOISE, _MIN_ISOLATION = 1e-6, 100.0
# Two values can be this close by chance. Noise shows where as many as these are, or half of all.
_MIN_EQUAL_POINTS = 3
# Minimum points of an idle start, and of the rest.
_MIN_IDLE_POINTS, _MIN_ACTIVE_POINTS = 10, 24
_MIN_ACTIVE_FRACTION = 0.5  # minimum fraction of the steps of the rest that change its value
# A data-entry error is further from the median than this many times the range of all other
# points, and is one of few: at most one point in 200, or a single one.
_OUTLIER_RANGES = 10.0
_POINTS_PER_OUTLIER = 200
# All values but such errors are equal in this many points at least. Such an error is then further
# from them than their own size.
_MIN_CONSTANT_POINTS = 20
_LAST_POINTS = 3  # points at the end that may be a new level


def zero_rounding_noise(values: FloatArray) -> FloatArray:
    """Replace values that differ from 0 only by noise of a measurement or of rounding.

    A forecast is not negative if the history never is, and zeros are forecast by other members than
    values near 0. Series with other negative values, or with values of all magnitudes, such as
    exponential growth, stay as they are.
    """
    # Neighbours of a data-entry error may raise the mean of a dozen points, but do not double it.
    if values.min() > 2 * _MAX_ZERO_NOISE * float(np.abs(values).mean()):
        return values
    # Next to a data-entry error all numbers would be noise, and the last points may be such errors.
    magnitudes = np.abs(replace_outliers(values)[0])
    earlier = magnitudes[:-_LAST_POINTS] if len(values) > 2 * _LAST_POINTS else magnitudes
    size = float(min(magnitudes.mean(), earlier.mean()))
    if values.min() < -_MAX_NEGATIVE_NOISE * size:
        return values
    is_near_zero = values <= _MAX_ZERO_NOISE * size
    if np.any(~is_near_zero & (values < _MIN_POSITIVE * size)):
        is_near_zero = values < 0
    if not np.any(is_near_zero & (values != 0)):
        return values
    # Values that differed by noise only are equal again.
    digits = int(np.floor(-np.log10(_MAX_ZERO_NOISE * size)))
    return np.where(
        is_near_zero, 0.0, np.round(values, digits) if abs(digits) <= _MAX_DIGITS else values
    )


def merge_noisy_values(values: FloatArray) -> FloatArray:
    """Make values equal that differ only by noise of a measurement or of rounding.

    A value that recurs is a count, a bound (100 %) or a level that does not move; noise of a
    billionth hides each of them. Values without a close neighbour stay as they are.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    gaps = np.diff(ordered)
    noise = _MAX_VALUE_NOISE * np.minimum(
        ordered[-1] - ordered[0], np.maximum(np.abs(ordered[:-1]), np.abs(ordered[1:]))
    )
    is_apart = gaps > noise
    if not np.any(~is_apart & (gaps > 0)):
        return values
    starts = np.concatenate(([0], np.flatnonzero(is_apart) + 1))
    stops = np.append(starts[1:], len(values))
    spreads = ordered[stops - 1] - ordered[starts]
    max_spreads = np.append(noise, noise[-1])[starts]
    distances = np.concatenate(([np.inf], gaps[is_apart], [np.inf]))
    is_isolated = np.minimum(distances[:-1], distances[1:]) >= _MIN_ISOLATION * max_spreads
    merged = ordered.copy()
    clusters = np.flatnonzero((spreads > 0) & (spreads <= max_spreads) & is_isolated)
    sizes = (stops - starts)[clusters]
    if sizes.max(initial=0) < _MIN_EQUAL_POINTS and 2 * sizes.sum() < len(values):
        return values
    for cluster in clusters:
        start, stop = starts[cluster], stops[cluster]
        middle = float(ordered[(start + stop) // 2])
        merged[start:stop] = _round_to(middle, float(max_spreads[cluster]))
    result = np.empty_like(values)
    result[order] = merged
    return result


def _round_to(value: float, precision: float) -> float:
    """Round to the decimals that a precision leaves, if any can be written."""
    digits = int(np.floor(-np.log10(precision)))
    return round(value, digits) if abs(digits) <= _MAX_DIGITS else value


def replace_outliers(values: FloatArray) -> tuple[FloatArray, int]:
    """Interpolate over error codes and points far beyond all others; return how many these are.

    The last ``_LAST_POINTS`` stay as they are: they may be a new level. Such points are errors of
    data entry or transmission; real series do not have them, however spiky they are.
    """
    outlying = find_error_codes(values)
    measured = values[~outlying]
    outlying[~outlying] = _is_far_beyond(measured)
    outlying[-_LAST_POINTS:] = False
    count = int(outlying.sum())
    if count == 0:
        return values, 0
    known = np.flatnonzero(~outlying)
    return np.interp(np.arange(len(values)), known, values[known]), count


def _is_far_beyond(values: FloatArray) -> BoolArray:
    """Return which values are far beyond all others, shape (n,)."""
    limit = max(1, len(values) // _POINTS_PER_OUTLIER)
    if len(values) <= limit:
        return np.zeros(len(values), dtype=bool)
    centre = float(np.median(values))
    distances = np.abs(values - centre)
    others = values[np.argsort(-distances, kind="stable")[limit:]]
    usual = _OUTLIER_RANGES * float(np.ptp(others))
    if usual == 0:
        # One value of zeros is demand. Of few equal values, another one may be usual.
        is_constant = centre != 0 and len(values) >= _MIN_CONSTANT_POINTS
        usual = abs(centre) if is_constant else np.inf
    return distances > usual


def drop_idle_start(values: FloatArray, period: int) -> tuple[FloatArray, int]:
    """Drop an idle start; return the rest and how many points were dropped.

    An idle start is zeros that never recur: a counter before it was switched on, a shop before it
    opened. The rest is active: it has at least two cycles of the seasonal ``period``, and most of
    its points differ from the one before, unlike a price that moves in steps.
    """
    start = int(np.argmax(values != 0))
    active = values[start:]
    if (
        start < _MIN_IDLE_POINTS
        or len(active) < max(_MIN_ACTIVE_POINTS, 2 * period)
        or bool(np.any(active == 0))
    ):
        return values, 0
    return (active, start) if np.mean(np.diff(active) != 0) >= _MIN_ACTIVE_FRACTION else (values, 0)


@dataclass(frozen=True)
class PreparedHistory:
    """A history in units of ``scale`` from ``location``; ``floor`` is that of the original one."""

    history: History
    location: float
    scale: float
    floor: float


def prepare_history(history: History) -> PreparedHistory:
    """Scale a series that varies to magnitude 1, whatever its size between 1e-300 and 1e100."""
    values = np.asarray(history.values, dtype=np.float64)
    largest = float(np.abs(values).max())
    scaled = values / largest
    location = 0.0
    if np.ptp(scaled) < _MIN_RELATIVE_RANGE:
        location = float(values[-1])
        shifted = values - location
        largest = float(np.abs(shifted).max())
        scaled = shifted / largest
    return PreparedHistory(replace(history, values=scaled), location, largest, floor_of(values))


def restore_units(fit: ForecastDistribution, prepared: PreparedHistory) -> ForecastDistribution:
    """Return the fit in the series' units: bounded, ordered, not below 0 if it never was."""
    values = prepared.history.values
    steps = np.arange(1, len(fit.median) + 1)
    margin = float(np.ptp(values)) * (_MEDIAN_MARGIN + _MEDIAN_GROWTH * steps / len(values))
    median = np.clip(fit.median, values.min() - margin, values.max() + margin)
    cut = median - fit.median
    lowest, highest = values.min() - _BOUND_MARGIN * margin, values.max() + _BOUND_MARGIN * margin

    def limit(lower: FloatArray, upper: FloatArray, _confidence: float) -> Bounds:
        # Where the median is cut, the interval keeps its width and its range.
        lower = np.clip(np.minimum(lower, lower + cut), lowest, median)
        return lower, np.clip(np.maximum(upper, upper + cut), median, highest)

    limited = fit.map_bounds(limit, median=median)
    return limited.map_values(partial(_unscale, prepared=prepared))


def _unscale(scaled: FloatArray, prepared: PreparedHistory) -> FloatArray:
    rounded = np.where(np.abs(scaled) < _ROUNDING, 0.0, scaled)
    return np.maximum(rounded * prepared.scale + prepared.location, prepared.floor)


def has_finite_bounds(fit: ForecastDistribution, horizon: int) -> bool:
    """Return whether the median and the widest bounds have ``horizon`` finite entries."""
    arrays = (fit.median, *fit.interval(CONFIDENCE_LEVELS[-1]))
    return all(array.shape == (horizon,) and bool(np.isfinite(array).all()) for array in arrays)
