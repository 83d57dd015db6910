"""Intervals after a jump at the very end of the history that nothing before compares to.

A new level or a single wild point: the past errors cannot tell which, since they knew neither. The
95 % interval then reaches from where the series was to where it is.
"""

import numpy as np
from scipy.special import ndtri

from app.forecasting.types import FloatArray

# A jump lies in the last points; the points before those say where the series was.
LATEST, LEVEL_OF = 3, 5
UNHEARD_OF = 2.0
FEWEST_KNOWN = 10


def last_jump(values: FloatArray, unheard_of: float) -> tuple[float, float] | None:
    """Return where ``values`` (n,) were and where they are, None without a jump in between.

    It is one when the last point lies more than ``unheard_of`` times as far from the level shortly
    before as any earlier point did from the level before that.
    """
    if len(values) < LATEST + LEVEL_OF + FEWEST_KNOWN:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(values[:-LATEST], LEVEL_OF)
    levels = np.median(windows, axis=1)
    away = np.abs(values[LATEST + LEVEL_OF - 1 :] - levels)
    if away[-1] <= unheard_of * away[:-LATEST].max():
        return None
    return float(levels[-1]), float(values[-1])


def reach_both_ends(
    bounds: tuple[FloatArray, FloatArray],
    median: FloatArray,
    values: FloatArray,
    confidence: float,
    unheard_of: float = UNHEARD_OF,
) -> tuple[FloatArray, FloatArray]:
    """Return ``bounds`` wide enough for what a last jump leaves open.

    Args:
        bounds: lower and upper, shape (h,) each.
        median: shape (h,).
        values: the history, shape (n,).
        confidence: of the interval; the whole reach belongs to 0.95.
        unheard_of: how many times larger than any before a jump is.
    """
    lower, upper = bounds
    jump = last_jump(values, unheard_of)
    if jump is None:
        return bounds
    share = min(1.0, float(ndtri((1 + confidence) / 2) / ndtri(0.975)))
    down = np.maximum(median - min(jump), 0.0) * share
    up = np.maximum(max(jump) - median, 0.0) * share
    return np.minimum(lower, median - down), np.maximum(upper, median + up)
