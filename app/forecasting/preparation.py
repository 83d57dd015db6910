"""Remove noise, idle starts and outliers from a history, and scale it for a model and back."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.history import History
from app.timeseries.numbers import changing_fraction
from app.timeseries.types import BoolArray, FloatArray, IntArray

# A series that moves less than this fraction of its level is shifted to zero first: otherwise the
# differences that members take would be rounding errors.
_MIN_RELATIVE_RANGE = 1e-6
# How far a median may leave the history's range, in ranges: at the last value, and in addition for
# each further length of the history.
_MEDIAN_MARGIN = 1.0
_MEDIAN_GROWTH = 3.0
_BOUND_MARGIN = 10.0  # how far a bound may go, in margins of the median
_ROUNDING = 1e-12  # smaller fractions of the largest value are rounding errors
# As a fraction of the mean magnitude: negative values nearer to 0 are noise of a series that is
# never negative.
_MAX_NEGATIVE_NOISE = 1e-3
# As fractions of the mean magnitude: values up to the first are zeros with noise, if no other is
# below the second.
_MAX_ZERO_NOISE = 1e-6
_MIN_POSITIVE = 1e-4
_MAX_DIGITS = 300  # rounding to more decimals, or to larger powers of ten, overflows
# Values closer than this fraction of the range, and of themselves, are one value with noise.
_MAX_VALUE_NOISE = 1e-6
_MIN_ISOLATION = 100.0  # all other values are at least this many times farther away
# Two values can be this close by chance: noise shows in this many values, or in half of all.
_MIN_EQUAL_POINTS = 3
_MIN_IDLE_POINTS = 10
_MIN_ACTIVE_POINTS = 24  # of the history after an idle start
_MIN_ACTIVE_FRACTION = 0.5  # minimum fraction of the steps of the rest that change its value
# An outlier is further from the median than this many times the range of all other points. At most
# one point in 200 is an outlier, or one point of a short series.
_OUTLIER_RANGES = 10.0
_POINTS_PER_OUTLIER = 200
# If there are this many points and all but the outliers are equal, an outlier is further from the
# others than these are from 0.
_MIN_CONSTANT_POINTS = 20
_LAST_POINTS = 3  # points at the end that may be a new level
# Error codes such as -999, 9999 or the largest integer of a device: that a value was not measured.
# Only nines, three to nine of them, with up to two decimals.
_NINES = [(10.0**digits - 1) / 10.0**decimals for digits in range(3, 10) for decimals in range(3)]
# The largest and the smallest integers of 16 and of 32 bits.
_INTEGER_LIMITS = [2.0**15 - 1, 2.0**15, 2.0**16 - 1, 2.0**31 - 1, 2.0**31, 2.0**32 - 1]
_CODES = np.array([*_NINES, *_INTEGER_LIMITS])
# At most one point in 20 is a code. Its distance from all other values is more than this many times
# their range.
_POINTS_PER_CODE = 20
_MIN_RANGES = 3.0


def zero_rounding_noise(values: FloatArray) -> FloatArray:
    """Set values to 0 that differ from it only by noise of a measurement or of rounding.

    Forecasts depend on exact zeros: they are not negative if the history never is, and intermittent
    series have other members. Series with other negative values, or with values of all magnitudes,
    such as exponential growth, stay as they are.
    """
    # Only series that come near 0 need it. Interpolated outliers at most double this mean.
    if values.min() > 2 * _MAX_ZERO_NOISE * float(np.abs(values).mean()):
        return values
    # Compared with an outlier all other values would be noise, and the last points may be outliers.
    magnitudes = np.abs(replace_outliers(values)[0])
    earlier = magnitudes[:-_LAST_POINTS] if len(values) > 2 * _LAST_POINTS else magnitudes
    mean = float(min(magnitudes.mean(), earlier.mean()))
    if values.min() < -_MAX_NEGATIVE_NOISE * mean:
        return values
    is_near_zero = values <= _MAX_ZERO_NOISE * mean
    if np.any(~is_near_zero & (values < _MIN_POSITIVE * mean)):
        is_near_zero = values < 0
    if not np.any(is_near_zero & (values != 0)):
        return values
    # The other values have the same noise.
    digits = _decimals_of(_MAX_ZERO_NOISE * mean)
    return np.where(is_near_zero, 0.0, values if digits is None else np.round(values, digits))


def merge_noisy_values(values: FloatArray) -> FloatArray:
    """Make values equal that differ only by noise of a measurement or of rounding.

    Forecasts depend on values that recur exactly: counts, a bound such as 100 %, a level that does
    not move. Values without a close neighbour stay as they are.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts, stops, noise = _noisy_clusters(ordered)
    points = stops - starts
    if points.max(initial=0) < _MIN_EQUAL_POINTS and 2 * points.sum() < len(values):
        return values
    merged = values.copy()
    for start, stop, precision in zip(starts, stops, noise.tolist(), strict=True):
        middle, digits = float(ordered[(start + stop) // 2]), _decimals_of(precision)
        merged[order[start:stop]] = middle if digits is None else round(middle, digits)
    return merged


def _noisy_clusters(ordered: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the clusters of ascending values that differ only by noise: starts, stops, noise."""
    gaps = np.diff(ordered)
    noise = _MAX_VALUE_NOISE * np.minimum(
        ordered[-1] - ordered[0], np.maximum(np.abs(ordered[:-1]), np.abs(ordered[1:]))
    )
    is_apart = gaps > noise
    starts = np.concatenate(([0], np.flatnonzero(is_apart) + 1))
    stops = np.append(starts[1:], len(ordered))
    spreads = ordered[stops - 1] - ordered[starts]
    max_spreads = np.append(noise, 0.0)[starts]
    distances = np.concatenate(([np.inf], gaps[is_apart], [np.inf]))
    is_isolated = np.minimum(distances[:-1], distances[1:]) >= _MIN_ISOLATION * max_spreads
    is_noisy = (spreads > 0) & (spreads <= max_spreads) & is_isolated
    return starts[is_noisy], stops[is_noisy], max_spreads[is_noisy]


def _decimals_of(precision: float) -> int | None:
    """Return the decimals to round to for ``precision``, None if rounding would overflow."""
    digits = int(np.floor(-np.log10(precision)))
    return digits if abs(digits) <= _MAX_DIGITS else None


def replace_outliers(values: FloatArray) -> tuple[FloatArray, int]:
    """Interpolate over error codes and outliers; return the values and how many were replaced.

    The outliers are errors of data entry or transmission: no real series, however spiky, has values
    this far from all others. The last ``_LAST_POINTS`` stay as they are: they may be a new level.
    """
    is_replaced = find_error_codes(values)
    is_replaced[~is_replaced] = _are_outliers(values[~is_replaced])
    is_replaced[-_LAST_POINTS:] = False
    count = int(is_replaced.sum())
    if count == 0:
        return values, 0
    kept = np.flatnonzero(~is_replaced)
    return np.interp(np.arange(len(values)), kept, values[kept]), count


def find_error_codes(values: FloatArray) -> BoolArray:
    """Return which values are error codes, shape (n,).

    They are known codes, and a negative number that recurs in an otherwise non-negative series. As
    values far from all others may be real, they must also be rare.
    """
    is_code = np.isin(np.abs(values), _CODES)
    negative = values[~is_code & (values < 0)]
    if len(negative) > 1 and negative.min() == negative.max():
        is_code |= values == negative[0]
    if 0 < is_code.sum() * _POINTS_PER_CODE <= len(values):
        codes, others = values[is_code], values[~is_code]
        beyond = np.maximum(others.min() - codes, codes - others.max())
        if (beyond > _MIN_RANGES * np.ptp(others)).all():
            return is_code
    return np.zeros(len(values), dtype=bool)


def _are_outliers(values: FloatArray) -> BoolArray:
    """Return which values are far from all others, shape (n,)."""
    max_outliers = max(1, len(values) // _POINTS_PER_OUTLIER)
    if len(values) <= max_outliers:
        return np.zeros(len(values), dtype=bool)
    centre = float(np.median(values))
    distances = np.abs(values - centre)
    others = values[np.argsort(-distances, kind="stable")[max_outliers:]]
    max_distance = _OUTLIER_RANGES * float(np.ptp(others))
    if max_distance == 0:
        # One value among zeros is demand, and one among few equal values may be ordinary.
        is_constant = centre != 0 and len(values) >= _MIN_CONSTANT_POINTS
        max_distance = abs(centre) if is_constant else np.inf
    return distances > max_distance


def drop_idle_start(values: FloatArray, period: int) -> tuple[FloatArray, int]:
    """Drop an idle start; return the rest and how many points were dropped.

    An idle start is zeros that never recur: a counter before it was switched on, a shop before it
    opened. The rest is active: it has at least two cycles of the seasonal ``period``, and most of
    its points differ from the one before, unlike a price that moves in steps.
    """
    idle = int(np.argmax(values != 0))
    active = values[idle:]
    is_idle_start = (
        idle >= _MIN_IDLE_POINTS
        and len(active) >= max(_MIN_ACTIVE_POINTS, 2 * period)
        and bool(np.all(active != 0))
        and changing_fraction(active) >= _MIN_ACTIVE_FRACTION
    )
    return (active, idle) if is_idle_start else (values, 0)


@dataclass(frozen=True)
class PreparedHistory:
    """A history in units of ``scale`` from ``location``; ``floor`` is that of the original one."""

    history: History
    location: float
    scale: float
    floor: float


def prepare_history(history: History) -> PreparedHistory:
    """Scale a series that varies to magnitude 1; its magnitude may be 1e-300 to 1e100."""
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


def restore_units(
    distribution: ForecastDistribution, prepared: PreparedHistory
) -> ForecastDistribution:
    """Return the distribution in the units of the series, ordered.

    It is limited to a multiple of the series' range, and not negative if the series never was.
    """
    values = prepared.history.values
    steps = np.arange(1, len(distribution.median) + 1)
    margin = float(np.ptp(values)) * (_MEDIAN_MARGIN + _MEDIAN_GROWTH * steps / len(values))
    median = np.clip(distribution.median, values.min() - margin, values.max() + margin)
    cut = median - distribution.median
    lowest, highest = values.min() - _BOUND_MARGIN * margin, values.max() + _BOUND_MARGIN * margin

    def limit(lower: FloatArray, upper: FloatArray, _confidence: float) -> Bounds:
        # Where the median is cut, the interval still contains its old bounds, moved and unmoved.
        lower = np.clip(np.minimum(lower, lower + cut), lowest, median)
        return lower, np.clip(np.maximum(upper, upper + cut), median, highest)

    limited = distribution.map_bounds(limit, median=median)
    return limited.map_values(partial(_unscale, prepared=prepared))


def _unscale(scaled: FloatArray, prepared: PreparedHistory) -> FloatArray:
    rounded = np.where(np.abs(scaled) < _ROUNDING, 0.0, scaled)
    return np.maximum(rounded * prepared.scale + prepared.location, prepared.floor)


def has_finite_bounds(distribution: ForecastDistribution, horizon: int) -> bool:
    """Return whether the median and the widest bounds have ``horizon`` finite entries."""
    arrays = (distribution.median, *distribution.interval(CONFIDENCE_LEVELS[-1]))
    return all(array.shape == (horizon,) and bool(np.isfinite(array).all()) for array in arrays)
