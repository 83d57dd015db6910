"""Recognize numbers of entries, such as tickets and bookings, by their values in any language."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.tables.codes.key_names import is_named_count, is_named_key
from app.tables.values.running_balances import is_balance
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.timestamps import TimeArray

_MIN_ROWS, _MIN_NAMED_ROWS = 30, 10
_SAMPLE = 50  # cells that distinguish most columns of values from numbers of entries
_MIN_DIGITS, _MAX_DIGITS = 3, 15
_MAX_DAYS_PER_ROW = 0.95  # A list of entries has several entries on some days.
# Different numbers for each row: nearly all differ, or each entry has about two rows.
_MIN_DISTINCT_FRACTION, _MIN_REPEATED_FRACTION = 0.95, 0.5
_MIN_ORDERED_FRACTION = 0.9  # of the steps: a few entries are recorded late
# The usual step from row to row. Where times are in order, a larger step may be that of a meter.
_MAX_STEP, _MAX_TIMED_STEP = 20, 2
# Names must change in this fraction of the rows: within the rows of one name, values may grow.
_MIN_NAME_CHANGE_FRACTION = 0.5


def are_entry_numbers(
    name: str, cells: np.ndarray, times: TimeArray, names: np.ndarray, others: Sequence[pd.Series]
) -> bool:
    """Return whether whole numbers number the entries of a list with several on some days.

    They are named like keys and all different, or grow steadily with the rows, or fall.

    Args:
        name: The name of the column.
        cells: The cells of the column, one for each row.
        times: The dates of the rows.
        names: The names of the rows' series.
        others: The other columns of numbers: a balance that grows by one of them is a value.
    """
    if is_named_count(name):
        return False
    is_filled = cells != ""
    filled, moments = cells[is_filled], times[is_filled]
    days = moments.astype("datetime64[D]")
    if filled.size < _MIN_NAMED_ROWS or not _have_like_lengths(filled[:_SAMPLE]):
        return False
    if np.unique(days).size > _MAX_DAYS_PER_ROW * filled.size or not _have_like_lengths(filled):
        return False
    numbers = filled.astype(np.int64)
    distinct_fraction = np.unique(numbers).size / filled.size
    if is_named_key(name) and distinct_fraction >= _MIN_DISTINCT_FRACTION:
        return True
    is_long = filled.size >= _MIN_ROWS
    if not is_long or not _grow_by_entry(numbers, distinct_fraction, moments, names[is_filled]):
        return False
    return not is_balance(pd.Series(filled), [other[is_filled] for other in others])


def _have_like_lengths(cells: np.ndarray) -> bool:
    """Return whether cells are whole numbers of about as many digits, without signs and marks."""
    lengths = {*map(len, cells)}
    is_alike = min(lengths) >= _MIN_DIGITS and max(lengths) <= min(_MAX_DIGITS, min(lengths) + 1)
    return is_alike and all(cell.isascii() and cell.isdecimal() for cell in cells)


def _grow_by_entry(
    numbers: np.ndarray, distinct_fraction: float, times: TimeArray, names: np.ndarray
) -> bool:
    """Return whether numbers grow, or fall, by small steps from entry to entry."""
    steps, changes = np.diff(numbers), np.diff(times).astype(np.int64)
    if changes[steps == 0].all() and (steps == 0).any():
        return False  # a level that holds from time to time: rows of one entry have one time
    ordered_fraction = max((steps >= 0).mean(), (steps <= 0).mean())
    codes, distinct_names = pd.factorize(names)
    if len(distinct_names) > 1 and (np.diff(codes) != 0).mean() < _MIN_NAME_CHANGE_FRACTION:
        return False
    is_strict = len(distinct_names) > 1 or distinct_fraction < _MIN_DISTINCT_FRACTION
    if distinct_fraction < _MIN_REPEATED_FRACTION or ordered_fraction < (
        1 if is_strict else _MIN_ORDERED_FRACTION
    ):
        return False
    max_step = _MAX_STEP
    moments = np.unique(times)
    if moments.size == times.size:
        spacing = find_spacing(moments)
        if spacing is not None and spacing.is_mostly_regular:
            return False  # as those of a meter
        max_step = _MAX_TIMED_STEP if (changes > 0).all() or (changes < 0).all() else _MAX_STEP
    return bool(np.median(np.abs(steps[steps != 0])) <= max_step)
