"""How wide an interval from past errors may be at all.

One change of level makes all errors around it as large as itself, and few past origins make an
interval several times as wide as the errors: together up to ten times what the series has ever
moved. A random walk's range over n steps is about 1.6 sqrt(n) standard deviations of a step (Feller
1951), so that 95 % of what it does in k steps more lie within 1.2 sqrt(k / n) of that range.
"""

import numpy as np

from app.forecasting.types import FloatArray

# In ranges of the history: at once, and what is added by as many steps as the history has.
AT_ONCE, AS_LONG_AGAIN = 1.0, 2.0


def cap_width(
    bounds: tuple[FloatArray, FloatArray], median: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds that lie no further from the median than the history explains.

    Args:
        bounds: lower and upper, each of shape (h,).
        median: shape (h,); how far it goes from the last value is allowed beyond it as well.
        values: the history, shape (n,).
    """
    lower, upper = bounds
    steps = np.arange(1, len(median) + 1)
    widest = np.ptp(values) * (AT_ONCE + AS_LONG_AGAIN * np.sqrt(steps / len(values)))
    widest += np.maximum.accumulate(np.abs(median - values[-1]))
    return np.maximum(lower, median - widest), np.minimum(upper, median + widest)
