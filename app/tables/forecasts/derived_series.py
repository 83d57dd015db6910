"""Find the series that are computed from others, such as totals and a profit: no sum has them."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from app.tables.rows.total_rows import TOTAL_TOLERANCE_FRACTION, is_total_label
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_SERIES = 200  # of a table that is searched
_MAX_PARTS = 30  # of a difference; with 40, a table takes three times as long
_MAX_DATES = 24  # that are looked at: the last ones
_MIN_DIFFERENT = 5  # values of a series that is computed: others may be alike by chance
_MAX_SIGN_CHANGES = 3  # as of sales - costs + other income - expenses
_PRECISION = 1e-6  # of the largest value, if a series is not named a total


def find_computed(names: Sequence[str], values: FloatArray) -> BoolArray:
    """Return which series are sums of others, or differences of such sums.

    The others are at least two directly before or behind a series; of differences before it.

    Args:
        names: Those of the series, in the order of the table.
        values: The series, shape (series, dates).
    """
    last = values[:, -_MAX_DATES:]
    is_computed = np.zeros(len(last), dtype=bool)
    if len(last) > _MAX_SERIES:
        return is_computed
    candidates = [i for i, row in enumerate(last) if np.unique(row).size >= _MIN_DIFFERENT]
    for is_difference in (False, False, True):  # a second time: totals of totals below them
        for number in candidates:
            if is_computed[number]:
                continue
            own = last[number]
            before = last[:number][~is_computed[:number]][::-1]
            behind = last[number + 1 :][~is_computed[number + 1 :]]
            fraction = TOTAL_TOLERANCE_FRACTION if is_total_label(names[number]) else _PRECISION
            tolerance = fraction * np.abs(own).max()
            is_computed[number] = (
                _is_difference(own, before, tolerance)
                if is_difference
                else _is_sum(own, before, tolerance) or _is_sum(own, behind, tolerance)
            )
    return is_computed


def _is_sum(values: FloatArray, parts: FloatArray, tolerance: float) -> bool:
    """Return whether values are the sum of the first parts, at least two."""
    return _has_equal(np.cumsum(parts, axis=0)[1:], values, tolerance)


def _is_difference(values: FloatArray, parts: FloatArray, tolerance: float) -> bool:
    """Return whether values are sums of the first parts whose signs change up to three times."""
    sums = np.cumsum(parts[:_MAX_PARTS], axis=0)
    for changes in range(1, min(_MAX_SIGN_CHANGES, len(sums) - 1) + 1):
        ends = _ends_of_parts(len(sums), changes + 1)
        signs = (-1.0) ** np.arange(changes + 1)
        weights = signs - np.append(signs[1:], 0)  # of the sums up to each end
        first = np.abs(sums[ends, 0] @ weights)
        ends = ends[np.abs(first - abs(values[0])) <= tolerance]
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
