"""A change of level that is older than those of ``recent_change``: one certain step in a history.

Past origins near such a step have errors as large as the step, which would make intervals too wide.
Levels of real series wander and return, so only an exceptional step counts: no other movement is a
third of it, and the series is flat before it and after it. The history before it is then moved to
the new level.
"""

import numpy as np

from app.forecasting.levels.recent_change import (
    MEAN_TO_SIGMA,
    LevelChange,
    first_of_level,
    max_points_since,
)
from app.forecasting.levels.recent_interruption import LEVEL_POINTS, MAX_SEARCHED_POINTS
from app.forecasting.preprocessing.level_shifts import spread_changes
from app.forecasting.preprocessing.seasonality import deseasonalize
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.numbers import changing_fraction
from app.timeseries.robust import mean_deviation
from app.timeseries.running_median import level_differences, window_medians
from app.timeseries.types import FloatArray

_MIN_STEP_POINTS = 80  # one random walk of 50 points in 75 has such a step
# Each side of the change has this many points, and cycles of the shortest season.
_MIN_SIDE_POINTS = 2 * LEVEL_POINTS
_MIN_SIDE_CYCLES = 2
_MIN_DIFFERENCE_RATIO = 3.0  # the difference at the change over the largest elsewhere
_MAX_SIDE_RANGE = 0.4  # the range of the levels on one side, as a fraction of the change
# The median of this many points next to the change is at most this fraction of the change from the
# level on their side.
_EDGE_POINTS = 3
_MAX_EDGE_DISTANCE = 0.3
_MIN_CHANGING_FRACTION = 0.5  # of the steps; a price that moves in steps may move again
# The spreads on both sides, after the move, differ by less than this log ratio.
_MAX_LOG_SPREAD_RATIO = 0.5
_SIZE_POINTS = 50  # on each side, whose medians give the size of the change


def find_old_level_change(history: History) -> LevelChange | None:
    """Return the only change of a history's level, None unless it is certain and not recent."""
    values = history.values[-MAX_SEARCHED_POINTS:]
    side = max(_MIN_SIDE_POINTS, _MIN_SIDE_CYCLES * history.period)
    last = len(values) - max(side, max_points_since(len(values)) + 1)
    if history.frequency is Frequency.YEARLY or len(values) < _MIN_STEP_POINTS or last < side:
        return None
    residuals, _ = deseasonalize(values, history.periods)
    start = _find_step(residuals)
    if start is None or not side <= start <= last:
        return None
    before, since = values[:start], values[start:]
    # The past cannot be moved to a level of 0.
    is_at_floor = np.median(since) <= floor_of(values)
    if is_at_floor or changing_fraction(values) < _MIN_CHANGING_FRACTION:
        return None
    return _measure_change(history, before, since)


def _find_step(residuals: FloatArray) -> int | None:
    """Return the index of the first point after the only step, None without a clear one."""
    distances = np.abs(level_differences(residuals, LEVEL_POINTS, LEVEL_POINTS))
    largest = int(np.argmax(distances))
    near = slice(max(0, largest - LEVEL_POINTS), largest + LEVEL_POINTS + 1)
    elsewhere = float(np.delete(distances, near).max(initial=0.0))
    if elsewhere <= 0 or distances[largest] < _MIN_DIFFERENCE_RATIO * elsewhere:
        return None
    around = residuals[largest : largest + 2 * LEVEL_POINTS]
    old, new = np.median(around[:LEVEL_POINTS]), np.median(around[LEVEL_POINTS:])
    start = largest + first_of_level(around, (old + new) / 2, new - old)
    sides = residuals[:start], residuals[start:]
    if min(len(side) for side in sides) < LEVEL_POINTS:
        return None
    height = abs(float(np.median(sides[1])) - float(np.median(sides[0])))
    ranges = [float(np.ptp(window_medians(side, LEVEL_POINTS))) for side in sides]
    edges = [
        np.median(sides[0][-_EDGE_POINTS:]) - np.median(sides[0][-LEVEL_POINTS:]),
        np.median(sides[1][:_EDGE_POINTS]) - np.median(sides[1][:LEVEL_POINTS]),
    ]
    is_step = max(ranges) <= _MAX_SIDE_RANGE * height
    is_sharp = np.abs(edges).max() <= _MAX_EDGE_DISTANCE * height
    return start if is_step and is_sharp else None


def _measure_change(history: History, before: FloatArray, since: FloatArray) -> LevelChange | None:
    """Return the change: a factor if the spread has changed with the level, else a difference.

    It is None if the spread has changed otherwise.
    """
    points = -(-_SIZE_POINTS // history.period) * history.period
    old_level, new_level = float(np.median(before[-points:])), float(np.median(since[:points]))
    is_positive = min(before.min(), since.min()) > 0
    level_ratio = new_level / old_level if is_positive else np.nan
    by_difference, by_factor = spread_changes(before, since, level_ratio)
    is_factor = by_factor < by_difference
    if (by_factor if is_factor else by_difference) > _MAX_LOG_SPREAD_RATIO:
        return None
    return LevelChange(
        index=len(history.values) - len(since),
        points=len(since),
        size=level_ratio if is_factor else new_level - old_level,
        is_factor=is_factor,
        scatter=MEAN_TO_SIGMA * mean_deviation(since),
    )
