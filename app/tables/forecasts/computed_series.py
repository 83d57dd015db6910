"""Find computed series, such as totals and profits, which sums must not count twice."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from app.tables.rows.total_rows import TOTAL_TOLERANCE_FRACTION, is_total_label
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_SERIES_SEARCHED = 200
_MAX_DIFFERENCE_PARTS = 30  # with 40, a table takes three times as long
_MAX_LAST_DATES = 24
_MIN_DISTINCT_VALUES = 5  # series with fewer different values may be equal by chance
_MAX_SIGN_CHANGES = 3  # as in sales - costs + other income - expenses
# Fraction of the largest value; the parts of a total that is named one may be rounded more.
_UNNAMED_FRACTION = 1e-6


def find_computed(names: Sequence[str], values: FloatArray) -> BoolArray:
    """Return which series are sums of others, or differences of such sums.

    The others are two or more, directly above or below a sum, or directly above a difference.

    Args:
        names: The names of the series, in the order of the table.
        values: The series, shape (series, dates).
    """
    last = values[:, -_MAX_LAST_DATES:]
    is_computed = np.zeros(len(last), dtype=bool)
    if len(last) > _MAX_SERIES_SEARCHED:
        return is_computed
    candidates = [i for i, row in enumerate(last) if np.unique(row).size >= _MIN_DISTINCT_VALUES]
    for is_difference in (False, False, True):  # a second time: totals of totals below them
        for index in candidates:
            if is_computed[index]:
                continue
            own = last[index]
            above = last[:index][~is_computed[:index]][::-1]
            below = last[index + 1 :][~is_computed[index + 1 :]]
            is_named = is_total_label(names[index])
            fraction = TOTAL_TOLERANCE_FRACTION if is_named else _UNNAMED_FRACTION
            tolerance = fraction * np.abs(own).max()
            is_computed[index] = (
                _is_difference(own, above, tolerance)
                if is_difference
                else _is_sum(own, above, tolerance) or _is_sum(own, below, tolerance)
            )
    return is_computed


def _is_sum(values: FloatArray, parts: FloatArray, tolerance: float) -> bool:
    return _has_equal(np.cumsum(parts, axis=0)[1:], values, tolerance)


def _is_difference(values: FloatArray, parts: FloatArray, tolerance: float) -> bool:
    """Return whether values are sums of the first parts whose signs change up to three times."""
    sums = np.cumsum(parts[:_MAX_DIFFERENCE_PARTS], axis=0)
    for changes in range(1, min(_MAX_SIGN_CHANGES, len(sums) - 1) + 1):
        ends = _ends_of_parts(len(sums), changes + 1)
        signs = (-1.0) ** np.arange(changes + 1)
        weights = signs - np.append(signs[1:], 0)  # of the sums up to each end
        first_totals = np.abs(sums[ends, 0] @ weights)
        ends = ends[np.abs(first_totals - abs(values[0])) <= tolerance]
        totals = np.tensordot(sums[ends], weights, axes=(1, 0))
        if _has_equal(totals, values, tolerance) or _has_equal(totals, -values, tolerance):
            return True
    return False


@lru_cache
def _ends_of_parts(count: int, groups: int) -> IntArray:
    """Return where the parts of each group end, shape (choices, groups)."""
    return np.array([*combinations(range(count), groups)], dtype=np.int64)


def _has_equal(rows: FloatArray, values: FloatArray, tolerance: float) -> bool:
    return bool((np.abs(rows - values) <= tolerance).all(axis=1).any())
