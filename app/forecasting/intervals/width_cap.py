"""Cap the width of an interval by the largest changes of the series over as many steps.

Learned factors come from other series, and a change of level makes all past errors around it as
large as the change. A stationary series soon returns to its level; another may wander, or grow
faster than before. Bounds stay

    stationary  within the largest change from the median, and within 1.45 times the largest in as
                many steps from the last value
    wandering   within the history's range from the median, or 1.25 times the largest change

With few points the largest change is small by chance, and more is allowed.
"""

import numpy as np

from app.forecasting.preprocessing.stationarity import (
    KPSS_1_PERCENT,
    KPSS_5_PERCENT,
    kpss_statistic,
)
from app.forecasting.types import Bounds
from app.timeseries.types import FloatArray

# In largest changes.
_MAX_LAST_MOVE = 1.45  # from the last value of a stationary series
_MAX_WANDERING_MOVE = 1.25  # from the median of a wandering one
_FULL_CHANGE_POINTS = 40  # fewer do not show the largest change
_MAX_LAGS = 24
_MAX_CHANGE_POINTS = 10_000  # the number of last points in which changes are looked for


def largest_changes(values: FloatArray, horizon: int) -> FloatArray:
    """Return the largest change of ``values`` (n,) over 1 to ``horizon`` steps, shape (h,).

    There are few changes over more than half of the history: the largest one is assumed to grow
    with the square root of the steps, as in a random walk.
    """
    seen_steps = max(1, min(horizon, len(values) // 2))
    changes = [np.abs(values[lag:] - values[:-lag]).max() for lag in range(1, seen_steps + 1)]
    beyond = np.arange(seen_steps, horizon) + 1.0
    return np.concatenate([changes, max(changes) * np.sqrt(beyond / seen_steps)])


def widest_bounds(median: FloatArray, values: FloatArray) -> Bounds:
    """Return the lowest lower and the highest upper bound that the history explains.

    Args:
        median: Shape (h,). Bounds of a wandering series may be as far from it as it is from the
            last value.
        values: The history, shape (n,).
    """
    recent = values[-_MAX_CHANGE_POINTS:]
    largest = max(1.0, _FULL_CHANGE_POINTS / len(recent)) * largest_changes(recent, len(median))
    max_change = np.maximum.accumulate(largest)
    last = recent[-1]
    median_distance = np.maximum.accumulate(np.abs(median - last))
    if_wandering = np.maximum(
        _MAX_WANDERING_MOVE * max_change, np.maximum(median_distance, np.ptp(recent))
    )
    # The test with lags accepts autocorrelated noise as stationary, the one without lags a wave.
    lags = min(_MAX_LAGS, int(np.sqrt(len(recent)) / 2))
    statistic = min(kpss_statistic(recent, lags), kpss_statistic(recent, 0))
    evidence = (statistic - KPSS_5_PERCENT) / (KPSS_1_PERCENT - KPSS_5_PERCENT)
    wandering = float(np.clip(evidence, 0.0, 1.0))
    side = max_change + wandering * (if_wandering - max_change)
    middle = last + wandering * (median - last)
    reach = _MAX_LAST_MOVE * largest + wandering * (if_wandering - _MAX_LAST_MOVE * largest)
    lowest = np.minimum(np.maximum(median - side, middle - reach), median)
    return lowest, np.maximum(np.minimum(median + side, middle + reach), median)


def cap_width(bounds: Bounds, limits: Bounds) -> Bounds:
    """Return lower and upper bounds within ``limits``, all of shape (h,)."""
    return np.maximum(bounds[0], limits[0]), np.minimum(bounds[1], limits[1])
