"""Permanent changes of level: the history before the change is moved to the new level.

A candidate is a point at which the medians of neighbouring windows, without the season, differ by
more than at any earlier point. The light model then forecasts from the point before it. If its
season, trend and interval explain the points since, nothing has changed. If all of them are far
outside the interval on one side, and about equally far, the level has changed. If noise makes that
uncertain, it is likely, and the end of the history is unclear. If only the first ones are, the
level was interrupted, as by an outage.

The thresholds were chosen on 77 public sets, each left out in turn: levels of real series return
more often than levels of simulated ones (``docs/developing/accuracy.md``).
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.intervals.normal import fraction_of_95, normal_half_width
from app.forecasting.levels.recent_interruption import (
    LEVEL_POINTS,
    MAX_SEARCHED_POINTS,
    MAX_USUAL_HALF_WIDTHS,
    ForecastFunction,
    Interruption,
    distances_from,
    unclear_end,
)
from app.forecasting.preprocessing.seasonality import deseasonalize
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.running_median import level_differences, window_medians
from app.timeseries.types import FloatArray

# Fewer points since a change may be outliers. Older changes are for `old_change`.
_MIN_POINTS_SINCE, _MAX_POINTS_SINCE = 3, 150
_MIN_POINTS_PER_POINT_SINCE = 4  # points of the history for each point since a change
# The difference from the level before, over the largest earlier difference.
_MIN_CANDIDATE_RATIO = 1.3  # a candidate may also be an outage
_MIN_CHANGE_RATIO = 3.0
# A change is likely, but not certain, from this ratio on, and from this product of the ratio and
# `_clearness`, also not small, on. After more points models follow it by themselves.
_MIN_LIKELY_RATIO = 1.5
_MIN_EVIDENCE = 1.2
_MIN_LIKELY_CLEARNESS = 0.5
_MAX_LIKELY_POINTS = 24
_EVEN_POINTS = 2  # a likely change of two points would be as likely to return as to stay
# The candidate is the first point whose difference is at least this fraction of the largest one.
_CLEAR_FRACTION = 0.7
# The minimum distances of the points since a change from the forecast, in half-widths of its 95 %
# interval.
_MIN_MEDIAN_HALF_WIDTHS = 2.0
_MIN_MOVED_HALF_WIDTHS = 1.0  # of at least `_MIN_MOVED_FRACTION` of the points
_MIN_MOVED_FRACTION = 0.9
# The points since a change scatter around the new level by less than this fraction of the change.
_MAX_SCATTER_FRACTION = 0.3
_MAX_SCATTER_GROWTH = 2.0
# The medians of both halves of these points differ by less than this fraction of the change, plus
# noise.
_MAX_MOVEMENT_FRACTION = 0.25
# A change multiplies a positive series, unless the points since scatter this many times as much
# around a factor as around a difference.
_MAX_FACTOR_SCATTER_RATIO = 1.5
# After n points the level has a standard deviation of this fraction of the change, divided by n.
_LEVEL_DEVIATION = 0.5
# The interval reaches back to the old level by this fraction of the change over n, at most 1.
_RETURN_FRACTION = 3.0
# A mean absolute deviation times this estimates a normal standard deviation: sqrt(pi / 2), rounded.
MEAN_TO_SIGMA = 1.25


@dataclass(frozen=True)
class LevelCandidate:
    """The ``index`` of the first point of what may be a new level.

    ``ratio`` is its difference from the level before, over the largest earlier difference.
    """

    index: int
    ratio: float


@dataclass(frozen=True)
class LevelChange:
    """A change of the level of a history.

    Attributes:
        index: The index of the first point of the new level.
        points: The number of points of the new level.
        size: The new level divided by the old one where ``is_factor``, else their difference.
        is_factor: Whether the change multiplies the values.
        scatter: The standard deviation of these points around the new level.
    """

    index: int
    points: int
    size: float
    is_factor: bool
    scatter: float

    def remove_from(self, history: History) -> History:
        """Return the history with the values before the change moved to the new level."""
        moved = history.values.copy()
        if self.is_factor:
            moved[: self.index] *= self.size
        else:
            moved[: self.index] += self.size
            moved = np.maximum(moved, floor_of(history.values))
        return replace(history, values=moved)

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution with wider intervals: the new level is known from few points.

        The error of the level and those of the distribution add up as independent errors do. The
        interval also reaches towards the old level, to which the series may return.
        """
        change = distribution.median * (1.0 - 1.0 / self.size) if self.is_factor else self.size
        limited = change
        if self.is_factor:
            # A level that fell to a thousandth is not uncertain by thousands of its own size.
            limited = np.clip(change, -np.abs(distribution.median), np.abs(distribution.median))
        level_deviation = np.hypot(
            _LEVEL_DEVIATION * np.abs(limited) / self.points, self.scatter / np.sqrt(self.points)
        )
        distance = change if self.points < LEVEL_POINTS else limited
        return_distance = min(1.0, _RETURN_FRACTION / self.points) * distance

        def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
            level_error = normal_half_width(confidence) * level_deviation
            below = np.hypot(distribution.median - lower, level_error)
            above = np.hypot(upper - distribution.median, level_error)
            back = fraction_of_95(confidence) * return_distance
            lower = distribution.median - below - np.maximum(back, 0.0)
            upper = distribution.median + above - np.minimum(back, 0.0)
            return np.maximum(lower, floor), upper

        later = distribution.provenance.level_change
        return distribution.map_bounds(widen).with_provenance(
            level_change=self.index if later is None else later
        )


def find_level_change(
    history: History, forecast: ForecastFunction
) -> LevelChange | Interruption | None:
    """Return the change or the interruption of a history's level, None if there is neither.

    Args:
        history: The history of a series that varies.
        forecast: Forecasts a history over a horizon, with intervals.
    """
    candidate = find_level_candidate(history)
    if candidate is None:
        return None
    values = history.values
    before, since = values[: candidate.index], values[candidate.index :]
    distribution = forecast(replace(history, values=before), len(since))
    distances, half_widths = distances_from(distribution, since)
    outage = _count_outage_points(distances)
    if outage:
        return Interruption(candidate.index, distribution.median[:outage])
    is_unlike_any = candidate.ratio >= _MIN_CHANGE_RATIO
    end = unclear_end(history, candidate.index, distribution.median)
    if np.median(since) <= floor_of(values):
        # The past cannot be moved to a level of 0.
        is_unusual = (np.abs(distances) >= _MIN_MOVED_HALF_WIDTHS).all()
        return end if is_unlike_any and is_unusual else None
    change = _measure_change(candidate.index, since, distribution.median, half_widths)
    clearness = _clearness(distances)
    if change and is_unlike_any and clearness >= _MIN_MOVED_HALF_WIDTHS:
        return change
    has_evidence = clearness >= _MIN_LIKELY_CLEARNESS and candidate.ratio >= max(
        _MIN_LIKELY_RATIO, _MIN_EVIDENCE / clearness
    )
    if not (change and end and has_evidence and len(since) <= _MAX_LIKELY_POINTS):
        return None
    return replace(end, weight=1.0 / (1.0 + (_EVEN_POINTS / len(since)) ** 2))


def _count_outage_points(distances: FloatArray) -> int:
    """Return how many of the first points are far from the forecast, by two half-widths or more.

    It is 0 if a later point is far, too, or if the last ones are not usual again.
    """
    is_far = distances * np.sign(distances[0]) >= _MIN_MEDIAN_HALF_WIDTHS
    count = int(is_far.sum())
    is_over = bool(np.all(np.abs(distances[-_MIN_POINTS_SINCE:]) <= MAX_USUAL_HALF_WIDTHS))
    return count if is_over and count >= _MIN_POINTS_SINCE and is_far[:count].all() else 0


def _clearness(distances: FloatArray) -> float:
    """Return how far points (k,) are on one side of a forecast, in ``_MIN_MOVED_HALF_WIDTHS``.

    Its middle is at least twice as far, and one point in ten, but none of the last, may be nearer.
    """
    middle = float(np.median(distances))
    sides = distances * np.sign(middle)
    nearer_points = len(sides) - int(np.ceil(_MIN_MOVED_FRACTION * len(sides)))
    nearest = min(np.sort(sides)[nearer_points], *sides[-_MIN_POINTS_SINCE:])
    return float(min(abs(middle) / _MIN_MEDIAN_HALF_WIDTHS, nearest))


def _measure_change(
    index: int, since: FloatArray, expected: FloatArray, half_widths: FloatArray
) -> LevelChange | None:
    """Return the change that moves the ``expected`` values to the points ``since``.

    It is None if these scatter or still move. ``half_widths`` are those of the forecast. All have
    shape (k,).
    """
    errors = since - expected
    difference = float(np.median(errors))
    size, is_factor, residuals = difference, False, errors - difference
    if expected.min() > 0 and since.min() > 0:
        factor = float(np.median(since / expected))
        by_factor = since - factor * expected
        if np.abs(by_factor).mean() <= _MAX_FACTOR_SCATTER_RATIO * np.abs(residuals).mean():
            size, is_factor, residuals = factor, True, by_factor
    scatter = MEAN_TO_SIGMA * float(np.abs(residuals).mean())
    # The scatter of a series grows with its level; a ramp to many times it does not count.
    height = abs(difference) * (min(max(1.0, size), _MAX_SCATTER_GROWTH) if is_factor else 1.0)
    if scatter > _MAX_SCATTER_FRACTION * height or _is_still_moving(residuals, height, half_widths):
        return None
    return LevelChange(
        index=index, points=len(since), size=size, is_factor=is_factor, scatter=scatter
    )


def _is_still_moving(residuals: FloatArray, height: float, half_widths: FloatArray) -> bool:
    """Return whether the residuals around the new level keep moving by more than noise."""
    half = (len(residuals) + 1) // 2
    movement = float(np.median(residuals[-half:]) - np.median(residuals[:half]))
    noise = float(np.median(half_widths)) / np.sqrt(half)
    return bool(abs(movement) > _MAX_MOVEMENT_FRACTION * height + noise)


def max_points_since(points: int) -> int:
    """Return how many points a new level may have to be judged by a forecast from before it."""
    return min(_MAX_POINTS_SINCE, points // _MIN_POINTS_PER_POINT_SINCE)


def find_level_candidate(history: History) -> LevelCandidate | None:
    """Return where a level unlike any before begins, None without one."""
    values = history.values[-MAX_SEARCHED_POINTS:]
    earlier = len(values) - max_points_since(len(values))
    if history.frequency is Frequency.YEARLY or earlier < 2 * LEVEL_POINTS:
        return None
    residuals, _ = deseasonalize(values, history.periods)
    levels = window_medians(residuals, LEVEL_POINTS)
    recent = np.arange(earlier, len(values) - _MIN_POINTS_SINCE + 1)
    # The last windows have fewer points: there the level is the upper of two middle points.
    last = [np.sort(residuals[i : i + LEVEL_POINTS]) for i in recent[-LEVEL_POINTS:]]
    last_levels = [points[len(points) // 2] for points in last]
    after = np.concatenate([levels[recent[:-LEVEL_POINTS]], last_levels])
    differences = after - levels[recent - LEVEL_POINTS]
    distances = np.abs(differences)
    largest = _largest_difference(residuals[:earlier], LEVEL_POINTS)
    # A series whose medians are equal, such as one that is mostly zero, shows no level.
    if largest == 0 or distances.max() <= _MIN_CANDIDATE_RATIO * largest:
        return None
    first = int(np.argmax(distances >= _CLEAR_FRACTION * distances.max()))
    index, difference = int(recent[first]), float(differences[first])
    middle = float(np.median(residuals[index - LEVEL_POINTS : index])) + difference / 2
    start = (
        index - 2 + first_of_level(residuals[index - 2 : index + LEVEL_POINTS], middle, difference)
    )
    since = min(LEVEL_POINTS, len(values) - start)
    if since < _MIN_POINTS_SINCE:
        return None
    # A median of few points differs by more from the level before them than a median of many.
    largest = max(largest, _largest_difference(residuals[:earlier], since))
    ratio = float(distances.max()) / largest
    if ratio <= _MIN_CANDIDATE_RATIO:
        return None
    return LevelCandidate(start + len(history.values) - len(values), ratio)


def _largest_difference(residuals: FloatArray, points: int) -> float:
    """Return the largest difference of the median of ``points`` points from the level before."""
    return float(np.abs(level_differences(residuals, LEVEL_POINTS, points)).max())


def first_of_level(residuals: FloatArray, middle: float, difference: float) -> int:
    """Return the index at which points of the new level replace points of the old one.

    ``middle`` is halfway between both levels, ``difference`` the new one less the old one.
    """
    half = abs(difference) / 2
    old_scores = np.clip((middle - residuals) * np.sign(difference), -half, half)
    return int(np.argmax(np.concatenate([[0.0], np.cumsum(old_scores)])))
