"""Points near the end of a history that are unlike any before: errors, outages, or a new level.

The light model forecasts from the point before the first of them, and its forecast replaces them:
a model that is fitted to an interruption would repeat it. If the history ends with it, it may be a
new level. The forecast is then between the usual level and the new one, and its interval contains
both.

The thresholds were chosen on 67,000 histories that end at random places of 2,700 public series
(``docs/developing/level-changes.md``).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.intervals.normal import normal_half_width
from app.forecasting.preprocessing.seasonality import deseasonalize
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.numbers import TINY, is_mostly_zero
from app.timeseries.running_median import window_medians
from app.timeseries.types import FloatArray

ForecastFunction = Callable[[History, int], ForecastDistribution]

MAX_SEARCHED_POINTS = 1_040  # the newest points, in which levels are compared
LEVEL_POINTS = 10  # a level is the median of this many points
_RECENT_POINTS = 10  # the newest points, in which interruptions are searched for
_MIN_HISTORY_POINTS = 30
# The distance of the first point from the level before it, over the largest earlier distance.
_MIN_DISTANCE_RATIO = 2.0
# Distances from the forecast, in half-widths of its 95 % interval.
MAX_USUAL_HALF_WIDTHS = 1.5
MIN_UNUSUAL_HALF_WIDTHS = 2.0
_MIN_FARTHEST_HALF_WIDTHS = 3.0  # of the farthest unusual point
_MAX_SHORT_POINTS = 2  # more unusual points may be a new level
_MIN_EXPECTED_FRACTION = 0.1  # of the median of what was expected
_MIN_POINTS_AFTER = 3  # usual points that show that it was none
# The last one or two points are not a new level if they are further from the median of the others
# than this many times their range: real new levels are within 2.3 ranges.
_MIN_LAST_RANGES = 3.0
# Several last points of other frequencies, weeks and longer, may be growth.
LEVEL_FREQUENCIES = (Frequency.SECONDS, Frequency.MINUTES, Frequency.HOURS, Frequency.DAILY)
_SPAN_CONFIDENCE = 0.8  # from this confidence on, intervals span both levels of an unclear end
_WIDENING = 1.3  # the factor of half-widths: what has happened once may happen again


@dataclass(frozen=True)
class Interruption:
    """Points that are replaced by what was expected.

    Attributes:
        index: The index of the first interrupted point.
        expected: The values that were expected instead, shape (k,).
    """

    index: int
    expected: FloatArray

    def remove_from(self, history: History) -> History:
        values = history.values.copy()
        values[self.index : self.index + len(self.expected)] = self.expected
        return replace(history, values=values)

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution with wider intervals and a notice."""
        notices = (set_aside_notice(len(self.expected)), *distribution.provenance.notices)
        return _widen_interval(distribution, floor).with_provenance(notices=notices)


@dataclass(frozen=True)
class UnclearEnd(Interruption):
    """Unusual points at the end of a history, which may be a new level.

    Attributes:
        actual: The unusual points, shape (k,).
        weight: The weight of their level in the forecast, 0 to 1; the usual level has the rest.
    """

    actual: FloatArray
    weight: float

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution moved towards the new level, with a notice.

        Intervals of 80 % and more contain both levels, with the usual errors beyond them, and the
        level of each of the points. After many points they reach only a part of the way back to the
        usual level.
        """
        median = distribution.median
        lowest, change, highest = (
            np.maximum(median + difference, floor) - median
            for difference in self._level_differences(median)
        )
        move = self.weight * change
        to_new_level = change - move
        to_usual_level = -move * min(1.0, _RECENT_POINTS / len(self.actual))

        def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
            fraction = min(1.0, normal_half_width(confidence) / normal_half_width(_SPAN_CONFIDENCE))
            reached = np.stack([to_new_level, to_usual_level, np.zeros_like(move)])
            lower = lower + move + fraction * reached.min(axis=0)
            upper = upper + move + fraction * reached.max(axis=0)
            lowest_point = median + move + fraction * (lowest - move)
            highest_point = median + move + fraction * (highest - move)
            return (
                np.maximum(np.minimum(lower, lowest_point), floor),
                np.maximum(upper, highest_point),
            )

        points = len(self.actual)
        unclear = f"the last values are unlike any before: {points}"
        notice = unclear if self.weight else set_aside_notice(points)
        notices = (notice, *distribution.provenance.notices)
        return (
            _widen_interval(distribution, floor)
            .map_bounds(widen, median=median + move)
            .with_provenance(notices=notices)
        )

    def _level_differences(self, median: FloatArray) -> list[FloatArray]:
        """Return the lowest, middle and highest new level less a forecast at the usual one.

        Each has shape (h,). The first and the last are those of single points, of which one or two
        show no range.
        """
        is_factor = self.expected.min() > 0 and self.actual.min() >= 0
        unit = median if is_factor else np.ones(len(median))
        changes = self.actual / self.expected - 1.0 if is_factor else self.actual - self.expected
        middle = float(np.median(changes))
        if len(changes) <= _MAX_SHORT_POINTS:
            return [unit * middle] * 3
        if is_factor:  # the factors of almost idle steps say nothing about the others
            changes = changes[self.expected >= _MIN_EXPECTED_FRACTION * np.median(self.expected)]
        lowest, highest = min(middle, changes.min()), max(middle, changes.max())
        return [unit * float(change) for change in (lowest, middle, highest)]


def set_aside_notice(points: int) -> str:
    return f"unusual values were set aside: {points}"


def _widen_interval(distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
    median = distribution.median

    def widen(lower: FloatArray, upper: FloatArray, _confidence: float) -> Bounds:
        lower = median - _WIDENING * (median - lower)
        return np.maximum(lower, floor), median + _WIDENING * (upper - median)

    return distribution.map_bounds(widen)


def find_interruption(history: History, forecast: ForecastFunction) -> Interruption | None:
    """Return the interruption among the last points, None without one.

    Args:
        history: Its values are not all equal.
        forecast: Forecasts a history over a horizon, with intervals.
    """
    ratios = _distance_ratios(history)
    if ratios.max(initial=0.0) < _MIN_DISTANCE_RATIO:
        return None
    points = len(ratios) - int(np.argmax(ratios >= _MIN_DISTANCE_RATIO))
    index = len(history.values) - points
    before, since = history.values[:index], history.values[index:]
    distribution = forecast(replace(history, values=before), points)
    distances, _ = distances_from(distribution, since)
    count = _count_interrupted(distances)
    if count == 0 or np.abs(distances).max() < _MIN_FARTHEST_HALF_WIDTHS:
        return None
    if count < points:
        is_over = count <= _MAX_SHORT_POINTS or points - count >= _MIN_POINTS_AFTER
        return Interruption(index, distribution.median[:count]) if is_over else None
    range_before, distance = np.ptp(before), np.abs(since - np.median(before)).min()
    is_wild = range_before > 0 and distance > _MIN_LAST_RANGES * range_before
    if is_wild and points <= _MAX_SHORT_POINTS:
        return UnclearEnd(index, distribution.median, since, weight=0.0)
    return unclear_end(history, index, distribution.median)


def unclear_end(history: History, index: int, expected: FloatArray) -> UnclearEnd | None:
    """Return the end of a history whose values from ``index`` on are not as ``expected`` (k,).

    The more points there are, the likelier is a new level. None if they may be growth.
    """
    points = len(expected)
    if points > 1 and history.frequency not in LEVEL_FREQUENCIES:
        return None
    weight = 1.0 - 1.0 / points if points <= _RECENT_POINTS else 1.0
    return UnclearEnd(index, expected, history.values[index:], weight)


def distances_from(
    distribution: ForecastDistribution, actual: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the errors of a forecast in half-widths of its 95 % interval, and these half-widths.

    Both have shape (h,); a half-width is that of the side on which the ``actual`` value is.
    """
    lower, upper = distribution.interval(0.95)
    errors = actual - distribution.median
    half_widths = np.where(errors > 0, upper - distribution.median, distribution.median - lower)
    return np.asarray(errors / np.maximum(half_widths, TINY)), half_widths


def _distance_ratios(history: History) -> FloatArray:
    """Return the distances of the recent points from the levels before them, empty if unknown.

    They are in units of the largest distance of an earlier point. Years are too few to know that,
    and series that are mostly zero have no level.
    """
    values = history.values[-MAX_SEARCHED_POINTS:]
    is_short = history.frequency is Frequency.YEARLY or len(values) < _MIN_HISTORY_POINTS
    if is_short or is_mostly_zero(values):
        return np.empty(0)
    residuals, is_log = deseasonalize(values, history.periods)
    levels = window_medians(residuals, LEVEL_POINTS)[:-1]
    distances = np.abs(residuals[LEVEL_POINTS:] - levels)
    recent, earlier = distances[-_RECENT_POINTS:], distances[:-_RECENT_POINTS]
    # After a constant the unit is a factor of e, or the magnitude of the constant.
    of_constant = 1.0 if is_log else abs(float(np.median(values)))
    unit = float(earlier.max()) or of_constant
    return recent / unit if unit > 0 else np.empty(0)


def _count_interrupted(distances: FloatArray) -> int:
    """Return how many of the first points are unusual, 0 unless all others are usual."""
    is_unusual = np.abs(distances) >= MIN_UNUSUAL_HALF_WIDTHS
    count = len(distances) if is_unusual.all() else int(np.argmin(is_unusual))
    is_over = bool((np.abs(distances[count:]) <= MAX_USUAL_HALF_WIDTHS).all())
    return count if is_over else 0
