"""Recognize columns that number rows, such as records, tickets, bookings and vouchers."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.tables.codes.key_names import is_named_count, is_named_document, is_named_key
from app.tables.dates.columns.date_columns import DateColumns
from app.tables.header.heading import Heading
from app.tables.values.running_balances import is_balance
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.timestamps import TimeArray

_MIN_ROWS = 10
# If neither the name nor the place of the column suggests row numbers: the members of a club may
# also grow by one from row to row.
_MIN_UNNAMED_ROWS = 30
MAX_COMPARED_CELLS = 50  # at first: these distinguish most columns of values from codes
_MIN_DIGITS, _MAX_DIGITS = 3, 15  # pieces that are sold have one or two; 15 fit an integer
# Some days have several entries, such as 90 tickets on 60 days (0.67); a day has one reading (1).
_MAX_DAYS_PER_ROW = 0.95
_MIN_DISTINCT_FRACTION = 0.95  # tickets all have their own numbers (1)
# A receipt has a row for each article (0.67), but visits of an hour are often the same (0.25).
_MIN_REPEATED_FRACTION = 0.5
# Few entries are recorded late: vouchers rise in 0.98 of the steps, power loads in 0.85.
_MIN_ORDERED_FRACTION = 0.9
# The usual step from row to row: vouchers are 1 to 17 apart, and balances 900.
_MAX_STEP = 20
_MAX_ORDERED_STEP = 2  # where times are in order, a larger step may be that of a meter
# Names must change in this fraction of the rows: the values of one name may grow, too.
_MIN_NAME_CHANGE_FRACTION = 0.5
# Ids are all different.
_MIN_ID_DIGITS = 16  # no double has as many
_MIN_ORDER_DIGITS = 8  # few amounts have as many
_MIN_DOCUMENT_DIGITS = 9  # of vouchers
_MIN_NAMED_DOCUMENT_DIGITS = 4  # in a column that is named after receipts
_ONE = re.compile(r"0{0,8}1(?:\.0?)?", re.ASCII)
_RECORD = re.compile(
    r"(?:record|rec|scan|seq(?:uence)?|index|row|line|entry)"
    r"[ _.-]?(?:no\.?|num(?:ber)?|nr\.?|id|rn|#)?",
    re.IGNORECASE,
)
_MIN_CONSECUTIVE_FRACTION = 0.95  # a logger may skip a few records
_MIN_NUMBERED_FRACTION = 0.5  # the other rows may be subtotals with a date


def are_entry_numbers(
    name: str, cells: np.ndarray, times: TimeArray, names: np.ndarray, others: Sequence[pd.Series]
) -> bool:
    """Return whether whole numbers number the entries of a list with several on some days.

    They are named like keys and all different, or they rise or fall steadily from row to row.

    Args:
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
    if filled.size < _MIN_ROWS or not _have_similar_lengths(filled[:MAX_COMPARED_CELLS]):
        return False
    if np.unique(days).size > _MAX_DAYS_PER_ROW * filled.size or not _have_similar_lengths(filled):
        return False
    numbers = filled.astype(np.int64)
    distinct_fraction = np.unique(numbers).size / filled.size
    if is_named_key(name) and distinct_fraction >= _MIN_DISTINCT_FRACTION:
        return True
    is_long = filled.size >= _MIN_UNNAMED_ROWS
    if not is_long or not _grow_by_entry(numbers, distinct_fraction, moments, names[is_filled]):
        return False
    return not is_balance(pd.Series(filled), [other[is_filled] for other in others])


def _have_similar_lengths(cells: np.ndarray) -> bool:
    """Return whether cells are whole numbers of about as many digits."""
    counts = _digit_counts(cells)
    if not counts or min(counts) < _MIN_DIGITS or max(counts) > min(_MAX_DIGITS, min(counts) + 1):
        return False
    return all(map(str.isascii, cells))


def _grow_by_entry(
    numbers: np.ndarray, distinct_fraction: float, times: TimeArray, names: np.ndarray
) -> bool:
    """Return whether numbers grow, or fall, by small steps from entry to entry."""
    steps, changes = np.diff(numbers), np.diff(times).astype(np.int64)
    if changes[steps == 0].all() and (steps == 0).any():
        return False  # a level that lasts: rows of one entry have the same time
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
            return False  # as the readings of a meter are
        max_step = _MAX_ORDERED_STEP if (changes > 0).all() or (changes < 0).all() else _MAX_STEP
    return bool(np.median(np.abs(steps[steps != 0])) <= max_step)


def are_ids(cells: np.ndarray, times: TimeArray, *, is_list: bool) -> bool:
    """Return whether whole numbers of one length and many digits are all different.

    At regular times they are values, such as stored bytes.
    """
    filled = cells[cells != ""]
    if filled.size < _MIN_ROWS:
        return False
    digits = _MIN_ORDER_DIGITS if is_list else _MIN_ID_DIGITS
    if not have_one_length(filled, digits) or pd.unique(filled).size < filled.size:
        return False
    spacing = None if is_list else find_spacing(np.unique(times))
    return spacing is None or not spacing.is_mostly_regular


def are_document_numbers(name: str, cells: np.ndarray) -> bool:
    """Return whether numbers of many digits rise or fall slowly from row to row, as of vouchers."""
    is_named = is_named_document(name)
    if not have_one_length(cells, _MIN_NAMED_DOCUMENT_DIGITS if is_named else _MIN_DOCUMENT_DIGITS):
        return False
    numbers = pd.Series(cells).str.slice(-_MAX_DIGITS).astype(np.int64).to_numpy()
    steps = np.diff(numbers)
    is_ordered = steps.any() and ((steps >= 0).all() or (steps <= 0).all())
    return bool(is_ordered and np.median(np.abs(steps)) <= _MAX_STEP)


def have_one_length(cells: np.ndarray, min_length: int) -> bool:
    """Return whether cells are whole numbers of the same length."""
    counts = _digit_counts(cells[:MAX_COMPARED_CELLS])
    if len(counts) != 1 or min(counts) < min_length:
        return False  # found early for most columns
    return _digit_counts(pd.unique(cells)) == counts


def _digit_counts(cells: np.ndarray) -> set[int]:
    """Return the counts of digits of whole numbers; none if a cell has a sign, mark or letter."""
    return {*map(len, cells)} if all(map(str.isdecimal, cells)) else set()


def is_row_counter(heading: Heading, column: int, cells: np.ndarray, dates: DateColumns) -> bool:
    """Return whether a column counts the rows with dates, or all."""
    min_rows = _MIN_ROWS if column < min(dates.columns) else _MIN_UNNAMED_ROWS
    parts = (cells, heading.body[column].to_numpy())
    return any(_are_row_numbers(heading.written[column], part, min_rows) for part in parts)


def _are_row_numbers(name: str, cells: np.ndarray, min_rows: int) -> bool:
    """Return whether cells count the rows from 1, up or down.

    The records of a logger are counted from any number, and may skip rows.
    """
    filled = cells[cells != ""]
    if filled.size < max(min_rows, _MIN_NUMBERED_FRACTION * cells.size):
        return False
    is_record = _RECORD.fullmatch(name) is not None
    if not (is_record or any(_ONE.fullmatch(end) for end in (filled[0], filled[-1]))):
        return False  # found early for most columns
    return _fraction_of_ones(filled) >= (_MIN_CONSECUTIVE_FRACTION if is_record else 1)


def _fraction_of_ones(cells: np.ndarray) -> float:
    """Return the fraction of the steps that are 1 or, if these are more, -1."""
    steps = np.diff(pd.to_numeric(pd.Series(cells), errors="coerce").to_numpy())
    return float(max((steps == 1).mean(), (steps == -1).mean()))
