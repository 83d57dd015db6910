"""Name values that are probably typing errors: an extra digit, a lost decimal mark, a minus.

They are read as they are: a promotion may look the same.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dated_values import DatedValues, Entry, ValueColumn
from app.tables.numbers.parsing import MIN_UNIT_FRACTION, is_currency, is_plain
from app.tables.results import Reading
from app.tables.table import Table, quote
from app.tables.units.cell_units import unit_in
from app.timeseries.types import BoolArray, FloatArray

_MIN_VALUES = 10
_MAX_SLIPS = 2  # of a series: more are how it is
_MAX_REMARKS = 5
# Times a typical value: a slip is beyond the first, all others are within the second.
_MIN_SLIP, _MAX_OTHER = 5.0, 3.0
_MIN_LOW_FRACTION, _MIN_LOW_QUANTILE = 0.25, 0.05  # of a typical value: hardly any other is below
_WORDS = {10.0: "ten times", 100.0: "a hundred times", 1000.0: "a thousand times"}
_MAX_OFF = 1.6  # times its neighbors, once a slip is divided
_NEIGHBORS = 3  # on each side


def is_frequent(has_unit: pd.Series) -> bool:
    """Return whether a unit is in enough rows of a column to be the column's, and no slip."""
    return bool(has_unit.sum() >= MIN_UNIT_FRACTION * len(has_unit))


def report_letters(column: ValueColumn, cells: pd.Series, table: Table, reading: Reading) -> None:
    """Add a remark for a letter behind one or two numbers of a column: 8l may be 81."""
    odd = [cell for cell in cells.unique() if not is_plain(cell) and _has_letters(cell)]
    if not 0 < len(odd) <= _MAX_SLIPS:
        return
    has_unit = cells.isin(odd)
    rows = cells.index[has_unit].tolist()
    if len(rows) > _MAX_SLIPS or is_frequent(has_unit):
        return
    read = column.values[has_unit.to_numpy()].tolist()
    for row, cell, value in zip(rows, cells[has_unit], read, strict=True):
        if np.isfinite(value):
            text = f"{table.row_label(row).capitalize()}: {quote(cell)} is read as {value:,.10g}"
            reading.add_remark("unlikely_value", f"{text}; check it.", [row])


def _has_letters(cell: str) -> bool:
    unit = unit_in(cell)
    return unit.isalpha() and not is_currency(unit)


class Slip(NamedTuple):
    """The position of a value, and what is odd about it."""

    position: int
    what: str


def report_slips(
    entries: Sequence[Entry], points: DatedValues, table: Table, reading: Reading
) -> None:
    """Add a remark for values of series that are likely slips."""
    slips = ((entry, slip) for entry in entries for slip in find_slips(entry.values.to_numpy()))
    remarked = 0
    for entry, slip in slips:
        time = entry.values.index[slip.position]
        rows = points.rows[(points.names == entry.row_name) & (points.times == time)]
        if rows.size != 1:  # a sum of several
            continue
        row = int(rows[0])
        value = entry.values.iloc[slip.position]
        date = str(time).removesuffix(" 00:00:00")
        of = f" of {quote(entry.name)}" if len(entries) > 1 else ""
        text = f"{table.row_label(row).capitalize()}, {date}: {value:,.10g}{of} is {slip.what}"
        reading.add_remark("unlikely_value", f"{text}; check it.", [row])
        remarked += 1
        if remarked == _MAX_REMARKS:
            return


def find_slips(values: FloatArray) -> list[Slip]:
    """Return the slips among the values of a series, shape (n,), NaN for none.

    Only a steady series has any: its other values are positive, and of one size.
    """
    positions = np.flatnonzero(np.isfinite(values))
    known = values[positions]
    if known.size < _MIN_VALUES:
        return []
    typical = float(np.median(known))
    is_large, is_negative = known > _MIN_SLIP * typical, known < 0
    is_slip: BoolArray = is_large | is_negative
    if typical <= 0 or not 0 < np.count_nonzero(is_slip) <= _MAX_SLIPS:
        return []
    others = known[~is_slip]
    low, high = np.quantile(others, _MIN_LOW_QUANTILE), float(others.max())
    if low < _MIN_LOW_FRACTION * typical or high > _MAX_OTHER * typical:
        return []
    slips = [
        Slip(int(positions[position]), "the only negative value")
        for position in np.flatnonzero(is_negative).tolist()
        if np.count_nonzero(is_negative) == 1 and -known[position] <= high
    ]
    for position in np.flatnonzero(is_large).tolist():
        times = _times_too_large(known, position, is_slip)
        if times:
            slips.append(Slip(int(positions[position]), f"about {times} its neighbors"))
    return slips


def _times_too_large(known: FloatArray, position: int, is_slip: BoolArray) -> str | None:
    """Return how many times a value is its neighbors, if that is a power of ten."""
    around = slice(max(0, position - _NEIGHBORS), position + _NEIGHBORS + 1)
    neighbors = known[around][~is_slip[around]]
    if neighbors.size < _NEIGHBORS:
        return None
    ratio = float(known[position] / np.median(neighbors))
    fitting = (word for power, word in _WORDS.items() if 1 / _MAX_OFF <= ratio / power <= _MAX_OFF)
    return next(fitting, None)
