"""Intervals after a jump at the very end of the history, unlike anything before.

A new level or a single outlier: the past errors cannot show which, as they contain neither. The
95 % interval then spans from where the series was to where it is.
"""

import numpy as np

from app.forecasting.intervals.normal import share_of_95
from app.timeseries.types import FloatArray

# Numbers of last points that contain the jump, and of points before them that give the old level.
JUMP_WINDOWS = ((2, 3), (3, 5), (6, 5))
MIN_JUMP_RATIO = 2.0
# One step must make at least this share of a jump; otherwise it is growth.
MIN_STEP_FRACTION = 0.5
# With few known distances, the largest one says less about which are exceptional.
ENOUGH_DISTANCES, MIN_DISTANCES = 10, 4
FEW_DISTANCES_FACTOR = 2.0


Jump = tuple[float, float]  # where a series was, and where it is


def find_end_jump(values: FloatArray, min_ratio: float = MIN_JUMP_RATIO) -> Jump | None:
    """Return the jump at the end of ``values`` (n,), None without one.

    It is a jump when the last point is more than ``min_ratio`` times as far from the level shortly
    before as any earlier point was from the level before that.
    """
    for latest, level_of in JUMP_WINDOWS:
        jump = _jump_within(values, latest, level_of, min_ratio)
        if jump is not None:
            return jump
    return None


def _jump_within(values: FloatArray, latest: int, level_of: int, min_ratio: float) -> Jump | None:
    known = len(values) - 2 * latest - level_of + 1
    if known < MIN_DISTANCES:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(values[:-latest], level_of)
    levels = np.median(windows, axis=1)
    away = np.abs(values[latest + level_of - 1 :] - levels)
    factor = 1.0 if known >= ENOUGH_DISTANCES else FEW_DISTANCES_FACTOR
    if away[-1] <= factor * min_ratio * away[:-latest].max():
        return None
    steps = np.abs(np.diff(values[-latest - 1 :]))
    if steps.max() < MIN_STEP_FRACTION * away[-1]:
        return None
    return float(levels[-1]), float(values[-1])


def widen_to_both_levels(
    bounds: tuple[FloatArray, FloatArray], median: FloatArray, jump: Jump | None, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return ``bounds`` that contain both possible levels after a jump, plus the usual errors.

    Args:
        bounds: lower and upper, shape (h,) each.
        median: shape (h,).
        jump: from ``find_end_jump``.
        confidence: of the interval; the whole span belongs to 0.95.
    """
    lower, upper = bounds
    if jump is None:
        return bounds
    share = share_of_95(confidence)
    down = np.maximum(median - min(jump), 0.0) * share
    up = np.maximum(max(jump) - median, 0.0) * share
    return lower - down, upper + up
