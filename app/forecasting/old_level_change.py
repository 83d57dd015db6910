"""A change of level that is older than ``level_change`` looks for: one certain step in a history.

Errors at past origins around such a step are as large as the step, and intervals would be too wide
as long as any of these origins counts. Levels of real series wander and return, so that only a step
counts that differs in kind from all other movements: no other is a third of it, and the series is
flat before it and after it. The history before it is then moved to the new level.
"""

import numpy as np

from app.forecasting.interruptions import LEVEL_POINTS, MAX_SEARCHED_POINTS
from app.forecasting.level_change import MEAN_TO_SIGMA, LevelChange, max_points_since
from app.forecasting.seasonality import deseasonalize
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.running_median import level_differences, window_medians
from app.timeseries.types import FloatArray

_MIN_POINTS = 80  # of 50 points, one random walk in 75 has such a step
# Points before the change, and since.
_MIN_SIDE_POINTS = 2 * LEVEL_POINTS
# Cycles of the shortest season on both sides.
_MIN_SIDE_CYCLES = 2
# The difference at the change over the largest elsewhere.
_MIN_CHANGE_RATIO = 3.0
# The levels on one side differ by at most this fraction of the change.
_MAX_SIDE_RANGE = 0.4
# The points next to a step are at most this fraction of the change from the level on their side.
_EDGE_POINTS, _MAX_EDGE_DISTANCE = 3, 0.3
_MIN_CHANGING_FRACTION = 0.5  # of the steps; a price that moves in steps may move again
# The spread before the change, moved, and that since differ by less than this log ratio.
_MAX_LOG_SPREAD_RATIO = 0.5
_SIZE_POINTS = 50  # on both sides, whose medians give the size of the change


def find_old_level_change(history: History) -> LevelChange | None:
    """Return the only change of a history's level, None unless it is certain and not recent."""
    values = history.values[-MAX_SEARCHED_POINTS:]
    side = max(_MIN_SIDE_POINTS, _MIN_SIDE_CYCLES * history.period)
    last = len(values) - max(side, max_points_since(len(values)) + 1)
    if history.frequency is Frequency.YEARLY or len(values) < _MIN_POINTS or last < side:
        return None
    residual = deseasonalize(values, history.periods)
    start = _find_step(residual)
    if start is None or not side <= start <= last:
        return None
    before, since = values[:start], values[start:]
    # The past cannot be moved to a level of 0.
    is_at_floor = np.median(since) <= floor_of(values)
    if is_at_floor or np.mean(np.diff(values) != 0) < _MIN_CHANGING_FRACTION:
        return None
    return _measure_change(history, before, since)


def _find_step(residual: FloatArray) -> int | None:
    """Return the first point after the only step of a series, None without a clear one."""
    sizes = np.abs(level_differences(residual, LEVEL_POINTS, LEVEL_POINTS))
    largest = int(np.argmax(sizes))
    elsewhere = np.delete(sizes, slice(max(0, largest - LEVEL_POINTS), largest + LEVEL_POINTS + 1))
    usual = float(elsewhere.max(initial=0.0))
    if usual <= 0 or sizes[largest] < _MIN_CHANGE_RATIO * usual:
        return None
    start = _locate_step(residual, largest + LEVEL_POINTS)
    sides = residual[:start], residual[start:]
    if min(len(side) for side in sides) < LEVEL_POINTS:
        return None
    old, new = (float(np.median(side)) for side in sides)
    height = abs(new - old)
    ranges = [float(np.ptp(window_medians(side, LEVEL_POINTS))) for side in sides]
    edges = [
        np.median(sides[0][-_EDGE_POINTS:]) - np.median(sides[0][-LEVEL_POINTS:]),
        np.median(sides[1][:_EDGE_POINTS]) - np.median(sides[1][:LEVEL_POINTS]),
    ]
    is_step = max(ranges) <= _MAX_SIDE_RANGE * height
    is_sharp = np.abs(edges).max() <= _MAX_EDGE_DISTANCE * height
    return start if is_step and is_sharp else None


def _locate_step(residual: FloatArray, index: int) -> int:
    """Return where points nearer to the later level replace points nearer to the earlier one."""
    begin, end = index - LEVEL_POINTS, index + LEVEL_POINTS
    old, new = np.median(residual[begin:index]), np.median(residual[index:end])
    is_new = (residual[begin:end] - (old + new) / 2) * (new - old) > 0
    return begin + int(np.argmax(np.concatenate([[0], np.cumsum(np.where(is_new, -1, 1))])))


def _measure_change(history: History, before: FloatArray, since: FloatArray) -> LevelChange | None:
    """Return the change, a factor if the spread has changed with the level, else a difference.

    It is None if neither explains the spread.
    """
    points = -(-_SIZE_POINTS // history.period) * history.period
    old_level, new_level = float(np.median(before[-points:])), float(np.median(since[:points]))
    old_spread = float(np.abs(before - np.median(before)).mean())
    new_spread = float(np.abs(since - np.median(since)).mean())
    if min(old_spread, new_spread) <= 0:
        return None
    by_difference = abs(np.log(new_spread / old_spread))
    by_factor = np.inf
    if min(before.min(), since.min()) > 0:
        by_factor = abs(np.log(new_spread / old_spread) - np.log(new_level / old_level))
    if min(by_difference, by_factor) > _MAX_LOG_SPREAD_RATIO:
        return None
    is_factor = bool(by_factor < by_difference)
    return LevelChange(
        index=len(history.values) - len(since),
        points=len(since),
        size=new_level / old_level if is_factor else new_level - old_level,
        is_factor=is_factor,
        scatter=MEAN_TO_SIGMA * new_spread,
    )
