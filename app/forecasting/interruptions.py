"""Interruptions of a level near the end of a history, as by an outage or an error of data entry.

A few points that are unlike any before, and that are over, have nothing to say about the future; a
model that is fitted to them follows them. The light model forecasts from the point before the first
of them, and its forecast replaces them.

The thresholds were chosen on 67,000 histories that end at random places of 2,700 public series
(``docs/developing/level-changes.md``).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.intervals.end_jump import widen_to_both_levels
from app.forecasting.seasonality import deseasonalize
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.running_median import window_medians
from app.timeseries.types import FloatArray

ForecastFunction = Callable[[History, int], ForecastDistribution]

MAX_SEARCHED_POINTS = 1_040  # the newest points, whose usual distances are known
LEVEL_POINTS = 10  # a level is the median of this many points
_RECENT_POINTS = 10  # the newest points, among which an interruption is searched
_MIN_HISTORY_POINTS = 30
# The distance of the first point from the level before it, over the largest earlier distance.
_MIN_DISTANCE_RATIO = 2.0
# Distances from the forecast, in half-widths of its 95 % interval: of a point that is unusual, of
# the farthest one, and at most of all others.
_MIN_HALF_WIDTHS, _MIN_FARTHEST_HALF_WIDTHS, MAX_USUAL_HALF_WIDTHS = 2.0, 3.0, 1.5
# More unusual points than the first may be a new level until the second number of usual ones
# follows.
_MAX_SHORT_POINTS, _MIN_USUAL_POINTS = 2, 3
# The last point or two may be a new level, unless they are further from the median of all before
# them than this many times the range of those: real new levels are within 2.3 of it.
_MIN_LAST_RANGES = 3.0
# The half-widths of a forecast without the unusual points are too small by this factor: what has
# happened once may happen again.
_WIDENING = 1.3


@dataclass(frozen=True)
class Interruption:
    """Points that are replaced by what was expected.

    Attributes:
        index: The first interrupted point.
        expected: The values that were expected instead.
        last_value: The value of the last one if the history ends with it, else None.
    """

    index: int
    expected: FloatArray
    last_value: float | None = None

    def remove_from(self, history: History) -> History:
        values = history.values.copy()
        values[self.index : self.index + len(self.expected)] = self.expected
        return replace(history, values=values)

    def add_to(self, fit: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the fit with wider intervals and a notice.

        An interval of 95 % reaches to ``last_value``.
        """
        jump = None if self.last_value is None else (float(self.expected[-1]), self.last_value)

        def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
            lower = fit.median - _WIDENING * (fit.median - lower)
            upper = fit.median + _WIDENING * (upper - fit.median)
            lower, upper = widen_to_both_levels((lower, upper), fit.median, jump, confidence)
            return np.maximum(lower, floor), upper

        notice = f"unusual values were set aside: {len(self.expected)}"
        notices = (notice, *fit.provenance.notices)
        return fit.map_bounds(widen).with_provenance(notices=notices)


def find_interruption(history: History, forecast: ForecastFunction) -> Interruption | None:
    """Return what interrupts the level among the last points, None if nothing does.

    Args:
        history: The history of a series that varies.
        forecast: Forecasts a history over a horizon, with intervals.
    """
    ratios = _distance_ratios(history)
    if ratios.max(initial=0.0) < _MIN_DISTANCE_RATIO:
        return None
    points = len(ratios) - int(np.argmax(ratios >= _MIN_DISTANCE_RATIO))
    index = len(history.values) - points
    before, since = history.values[:index], history.values[index:]
    fit = forecast(replace(history, values=before), points)
    distances, _ = distances_from(fit, since)
    count = _count_interrupted(distances)
    if count == 0 or np.abs(distances).max() < _MIN_FARTHEST_HALF_WIDTHS:
        return None
    if count < points:
        is_over = count <= _MAX_SHORT_POINTS or points - count >= _MIN_USUAL_POINTS
        return Interruption(index, fit.median[:count]) if is_over else None
    is_wild = np.abs(since - np.median(before)).min() > _MIN_LAST_RANGES * np.ptp(before) > 0
    is_short = count <= _MAX_SHORT_POINTS
    return Interruption(index, fit.median, float(since[-1])) if is_short and is_wild else None


def distances_from(fit: ForecastDistribution, actual: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how far actual values are from the median, in half-widths of the 95 % interval.

    The second result is these half-widths, above or below the median as the values are; distances
    below it are negative.
    """
    lower, upper = fit.interval(0.95)
    errors = actual - fit.median
    half_widths = np.where(errors > 0, upper - fit.median, fit.median - lower)
    return np.asarray(errors / np.maximum(half_widths, np.finfo(float).tiny)), half_widths


def _distance_ratios(history: History) -> FloatArray:
    """Return the distances of the recent points from the levels before them, none if unknown.

    They are in units of the largest distance of an earlier point from the level before that. Years
    are too few to know it, and series that are mostly zero have no level: any value may be new.
    """
    values = history.values[-MAX_SEARCHED_POINTS:]
    is_short = history.frequency is Frequency.YEARLY or len(values) < _MIN_HISTORY_POINTS
    if is_short or 2 * np.count_nonzero(values) <= len(values):
        return np.empty(0)
    residual = deseasonalize(values, history.periods)
    levels = window_medians(residual, LEVEL_POINTS)[:-1]
    distances = np.abs(residual[LEVEL_POINTS:] - levels)
    recent, earlier = distances[-_RECENT_POINTS:], distances[:-_RECENT_POINTS]
    # A constant has no usual distance: a factor of e, or its own size.
    size = 1.0 if values.min() > 0 else abs(float(np.median(values)))
    usual = float(earlier.max()) or size
    return recent / usual if usual > 0 else np.empty(0)


def _count_interrupted(distances: FloatArray) -> int:
    """Return how many leading points are unusual, 0 if one of the others is not usual."""
    is_unusual = np.abs(distances) >= _MIN_HALF_WIDTHS
    count = len(distances) if is_unusual.all() else int(np.argmin(is_unusual))
    is_over = bool((np.abs(distances[count:]) <= MAX_USUAL_HALF_WIDTHS).all())
    return count if is_over else 0
