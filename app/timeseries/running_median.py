"""Running medians of a series, differences between them, and outliers clipped to them.

Apart from `app.timeseries.robust`, because web workers import that and do not load SciPy.
"""

import numpy as np
from scipy.ndimage import median_filter, rank_filter

from app.timeseries.robust import clip_to_sigmas
from app.timeseries.types import FloatArray


def running_median(values: FloatArray, window: int) -> FloatArray:
    """Return the centred running median, shape (n,).

    The series is mirrored in its first and its last point, so that an outlier there counts once.
    """
    return np.asarray(median_filter(values, size=window, mode="mirror"))


def clip_to_median(values: FloatArray, window: int, sigmas: float) -> FloatArray:
    """Clip a series (n,) to ``sigmas`` robust standard deviations of its running median."""
    return clip_to_sigmas(values, running_median(values, min(window, len(values))), sigmas)


def level_differences(values: FloatArray, before: int, after: int, gap: int = 0) -> FloatArray:
    """Return the median of each window less that of the window before it.

    Args:
        values: Shape (n,).
        before: Points of the earlier window.
        after: Points of the later window.
        gap: Points between the two.

    Returns:
        One difference for each pair of windows, shape (n - before - gap - after + 1,).
    """
    later = window_medians(values[before + gap :], after)
    return later - window_medians(values, before)[: len(later)]


def window_medians(values: FloatArray, window: int) -> FloatArray:
    """Return the median of each window of ``window`` points, shape (n - window + 1,)."""
    rank = window // 2
    complete = slice(len(values) - window + 1)
    upper = rank_filter(values, rank, size=window, origin=-rank)[complete]
    if window % 2:
        return np.asarray(upper)
    lower = rank_filter(values, rank - 1, size=window, origin=-rank)[complete]
    return np.asarray((lower + upper) / 2)
