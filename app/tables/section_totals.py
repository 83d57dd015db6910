"""Recognize totals of sections: sums of the same number of rows directly above or below them."""

import numpy as np

from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import BoolArray, FloatArray

_MAX_PARTS = 100  # rows of a section
_MAX_DATES = 500  # that are looked at
_MIN_DATES = 3  # on which a total is not zero
_MIN_DIFFERENT = 5  # values of the total of a single row: two rows may be alike by chance
_MIN_SHARE = 0.9  # of dates
TOLERANCE = 1e-3  # of a total whose parts were rounded
MAX_ROUNDING_SHARE = 0.05  # of a total, that the rounding of its parts may make


class SectionSums:
    """The sums of the sections of a table.

    Args:
        values: Those of the rows, shape (n,).
        is_part: Which rows can be parts of a total: those that are not named as one.
        times: The dates of the rows.
        half_unit: The rounding of each part.
    """

    def __init__(
        self, values: FloatArray, is_part: BoolArray, times: TimeArray, half_unit: float
    ) -> None:
        order = np.argsort(times, kind="stable")
        time = times[order]
        part = is_part[order]
        value = np.nan_to_num(values)[order]
        starts = np.flatnonzero(np.concatenate([[True], time[1:] != time[:-1]]))
        date = np.searchsorted(starts, np.arange(time.size), side="right") - 1
        parts_before = np.concatenate([[0], np.cumsum(part)])
        self._rows, self._values = order[~part], value[~part]
        self._at = parts_before[:-1][~part]
        self._first = parts_before[starts][date][~part]
        self._last = parts_before[np.append(starts[1:], time.size)][date][~part]
        self._sums = np.concatenate([[0.0], np.cumsum(value[part])])
        self._half_unit = half_unit

    def include(self, of_label: BoolArray) -> bool:
        """Return whether the rows of a label, shape (n,), are totals of sections."""
        chosen = np.flatnonzero(of_label[self._rows] & (self._values != 0))[:_MAX_DATES]
        if chosen.size < _MIN_DATES:
            return False
        values, at = self._values[chosen, None], self._at[chosen, None]
        first, last = self._first[chosen, None], self._last[chosen, None]
        most = min(_MAX_PARTS, int(np.max(np.maximum(at - first, last - at))))
        counts = np.arange(1, most + 1)
        rounding = np.minimum(self._half_unit * counts, MAX_ROUNDING_SHARE * np.abs(values))
        tolerance = TOLERANCE * np.abs(values) + rounding
        are_alike = np.unique(values).size < _MIN_DIFFERENT
        for sign in (-1, 1):
            ends = at + sign * counts
            is_inside = (first <= ends) & (ends <= last)
            sums = sign * (self._sums[np.where(is_inside, ends, at)] - self._sums[at])
            is_sum = is_inside & (np.abs(sums - values) <= tolerance)
            if sign > 0 or are_alike:
                is_sum = is_sum[:, 1:]
            if (is_sum.mean(axis=0) >= _MIN_SHARE).any():
                return True
        return False
