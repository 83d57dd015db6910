"""How wide an interval may be at all: a few times what the series has ever moved in as many steps.

Learned factors were found on other series, and one change of level makes all past errors around it
as large as itself. What a series did in so many steps bounds what it will do: over enough stretches
the largest change is two standard deviations of one and more, so that a bound one and a half times
as far away leaves 95 % inside. Of few points the largest seen says less, and more is allowed; so it
is of a series that wanders or grows, to which the same may happen faster than before.
"""

import numpy as np

from app.forecasting.types import FloatArray

# In largest changes, on either side of the median, for so many points and more.
CHANGES, ENOUGH_POINTS = 1.5, 40
# Changes are looked for among so many last points.
MOST_POINTS = 10_000


def largest_changes(values: FloatArray, horizon: int) -> FloatArray:
    """Return the largest change of ``values`` (n,) within 1 to ``horizon`` steps, shape (h,).

    Beyond half of the history, where few stretches are left to look at, it is taken to grow with
    the square root of the steps, as a random walk's does.
    """
    seen = max(1, min(horizon, len(values) // 2))
    recent = values[-MOST_POINTS:]
    largest = [np.abs(recent[lag:] - recent[:-lag]).max() for lag in range(1, seen + 1)]
    known: FloatArray = np.maximum.accumulate(largest)
    beyond = np.arange(seen, horizon) + 1.0
    return np.concatenate([known, known[-1] * np.sqrt(beyond / seen)])


def cap_width(
    bounds: tuple[FloatArray, FloatArray], median: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds that lie no further from the median than the history explains.

    Args:
        bounds: lower and upper, each of shape (h,).
        median: shape (h,); as far as it goes from the last value, bounds may go from it.
        values: the history, shape (n,).
    """
    few = max(1.0, ENOUGH_POINTS / len(values))
    widest = CHANGES * few * largest_changes(values, len(median))
    away = np.maximum.accumulate(np.abs(median - values[-1]))
    widest = np.maximum(widest, np.maximum(away, np.ptp(values)))
    return np.maximum(bounds[0], median - widest), np.minimum(bounds[1], median + widest)
