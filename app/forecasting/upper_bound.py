"""An upper bound that the history proves: 100 %, a capacity, a price that is never exceeded."""

from dataclasses import replace

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.types import Bounds, Fit
from app.timeseries.types import FloatArray

# The largest value is a bound if the series came to it this often, over this share of the history.
MIN_VISITS, MIN_SPREAD = 3, 0.25
# Frequencies of the largest values of a series without a bound fall: that of the largest, squared,
# is below this many times the highest of those of the next few values.
MAX_SQUARE_RATIO, NEIGHBOURS = 9, 3


def find_upper_bound(values: FloatArray) -> float | None:
    """Return the value that a history of shape (n,) has often reached and never passed, or None.

    Counts reach their largest value often, too, but others below it more often.
    """
    distinct, counts = np.unique(values, return_counts=True)
    at_largest = values == distinct[-1]
    visits = np.flatnonzero(at_largest & ~np.concatenate([[False], at_largest[:-1]]))
    if len(distinct) == 1 or len(visits) < MIN_VISITS:
        return None
    if visits[-1] - visits[0] < MIN_SPREAD * len(values):
        return None
    neighbour = counts[-1 - NEIGHBOURS : -1].max()
    return float(distinct[-1]) if counts[-1] ** 2 >= MAX_SQUARE_RATIO * neighbour else None


def bound_fit(fit: Fit, bound: float) -> Fit:
    """Return the fit with nothing above ``bound``, and a notice where anything was."""
    if bound >= max(fit.median.max(), fit.interval(CONFIDENCE_LEVELS[-1])[1].max()):
        return fit

    def interval(confidence: float) -> Bounds:
        lower, upper = fit.interval(confidence)
        return np.minimum(lower, bound), np.minimum(upper, bound)

    notice = (
        f"nothing is forecast above {bound:,.10g}: the series often reached it and never passed it"
    )
    return replace(
        fit, median=np.minimum(fit.median, bound), interval=interval, notices=(*fit.notices, notice)
    )
