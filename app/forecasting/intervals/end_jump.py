"""Intervals after a jump at the end of the history that is larger than any before.

It may be a new level or an outlier, and past errors include neither. The 95 % interval then reaches
from the old level to the new one.
"""

import numpy as np

from app.forecasting.intervals.normal import fraction_of_95
from app.forecasting.types import Bounds
from app.timeseries.running_median import level_differences
from app.timeseries.types import FloatArray

# The number of last points that contain the jump, and of points before them for the old level.
_JUMP_WINDOWS = ((2, 3), (3, 5), (6, 5))
_MIN_JUMP_RATIO = 2.0
# A single step must be at least this fraction of a jump; otherwise it is growth.
_MIN_STEP_FRACTION = 0.5
_MIN_DISTANCES = 4
_MIN_RELIABLE_DISTANCES = 10
_FEW_DISTANCES_FACTOR = 2.0  # by which a jump must exceed the largest of fewer distances, too

Jump = tuple[float, float]  # the old level and the new one


def find_end_jump(values: FloatArray, min_ratio: float = _MIN_JUMP_RATIO) -> Jump | None:
    """Return the jump at the end of ``values`` (n,), None without one.

    The last point is more than ``min_ratio`` times as far from the level shortly before it as any
    earlier point was from the level before that one.
    """
    for latest, level_of in _JUMP_WINDOWS:
        jump = _jump_within(values, latest, level_of, min_ratio)
        if jump is not None:
            return jump
    return None


def _jump_within(values: FloatArray, latest: int, level_of: int, min_ratio: float) -> Jump | None:
    distance_count = len(values) - 2 * latest - level_of + 1
    if distance_count < _MIN_DISTANCES:
        return None
    distances = np.abs(level_differences(values, level_of, 1, gap=latest - 1))
    factor = 1.0 if distance_count >= _MIN_RELIABLE_DISTANCES else _FEW_DISTANCES_FACTOR
    if distances[-1] <= factor * min_ratio * distances[:-latest].max():
        return None
    steps = np.abs(np.diff(values[-latest - 1 :]))
    if steps.max() < _MIN_STEP_FRACTION * distances[-1]:
        return None
    return float(np.median(values[-latest - level_of : -latest])), float(values[-1])


def widen_to_both_levels(
    bounds: Bounds, median: FloatArray, jump: Jump | None, confidence: float
) -> Bounds:
    """Return the bounds, moved outwards so that from 95 % on they contain both levels of a jump."""
    lower, upper = bounds
    if jump is None:
        return bounds
    fraction = fraction_of_95(confidence)
    down = np.maximum(median - min(jump), 0.0) * fraction
    up = np.maximum(max(jump) - median, 0.0) * fraction
    return lower - down, upper + up
