"""Name values that are probably typing errors: an extra digit, a lost decimal mark, a minus.

They are read as they are: a promotion may look the same.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dated_values import DatedValues, UngriddedSeries, ValueColumn
from app.tables.messages import quote
from app.tables.numbers.number_parts import is_currency
from app.tables.numbers.parsing import MIN_UNIT_FRACTION, is_plain
from app.tables.reading import Reading
from app.tables.units.unit_letters import unit_in
from app.timeseries.types import BoolArray, FloatArray

_MIN_VALUES = 10  # fewer do not show what is typical
_MAX_SUSPECTS_PER_SERIES = 2  # more are normal for the series
_MAX_REMARKS = 5
_MIN_SUSPECT_FACTOR = 5.0  # of a suspect, as a multiple of the median
_MAX_OTHER_FACTOR = 3.0  # of the largest other value, as a multiple of the median
# This quantile of the other values is at least this fraction of the median.
_MIN_LOW_QUANTILE = 0.05
_MIN_LOW_FRACTION = 0.25
_FACTOR_WORDS = {10.0: "ten times", 100.0: "a hundred times", 1000.0: "a thousand times"}
# A suspect, divided by its power of ten, is within this factor of its neighbors.
_MAX_CORRECTED_FACTOR = 1.6
_NEIGHBORS_PER_SIDE = 3


def is_unit_frequent(has_unit: pd.Series) -> bool:
    """Return whether a unit is in enough rows of a column not to be a typing error."""
    return bool(has_unit.sum() >= MIN_UNIT_FRACTION * len(has_unit))


def report_letters(column: ValueColumn, cells: pd.Series, reading: Reading) -> None:
    """Add a remark for a letter after one or two numbers of a column: 8l may be 81."""
    odd = [cell for cell in cells.unique() if not is_plain(cell) and _has_letters(cell)]
    if not 0 < len(odd) <= _MAX_SUSPECTS_PER_SERIES:
        return
    has_unit = cells.isin(odd)
    rows = cells.index[has_unit].tolist()
    if len(rows) > _MAX_SUSPECTS_PER_SERIES or is_unit_frequent(has_unit):
        return
    values = column.values[has_unit.to_numpy()].tolist()
    for row, cell, value in zip(rows, cells[has_unit], values, strict=True):
        if np.isfinite(value):
            text = f"{reading.row_label(row).capitalize()}: {quote(cell)} is read as {value:,.10g}"
            reading.add_remark("unlikely_value", f"{text}; check it.", [row])


def _has_letters(cell: str) -> bool:
    unit = unit_in(cell)
    return unit.isalpha() and not is_currency(unit)


class SuspectValue(NamedTuple):
    """A value that is probably a typing error: its position, and what is odd about it."""

    position: int
    oddity: str


def report_suspect_values(
    series: Sequence[UngriddedSeries], dated_values: DatedValues, reading: Reading
) -> None:
    """Add a remark for each of the first suspect values of series."""
    suspects = (
        (raw, suspect) for raw in series for suspect in find_suspect_values(raw.values.to_numpy())
    )
    remarked = 0
    for raw, suspect in suspects:
        time = raw.values.index[suspect.position]
        rows = dated_values.rows[
            (dated_values.names == raw.row_name) & (dated_values.times == time)
        ]
        if rows.size != 1:  # a sum of several
            continue
        row = int(rows[0])
        value = raw.values.iloc[suspect.position]
        date = str(time).removesuffix(" 00:00:00")
        source = f" of {quote(raw.name)}" if len(series) > 1 else ""
        subject = f"{reading.row_label(row).capitalize()}, {date}"
        text = f"{subject}: {value:,.10g}{source} is {suspect.oddity}"
        reading.add_remark("unlikely_value", f"{text}; check it.", [row])
        remarked += 1
        if remarked == _MAX_REMARKS:
            return


def find_suspect_values(values: FloatArray) -> list[SuspectValue]:
    """Return the suspect values of a series, shape (n,), NaN for none.

    Only a steady series has any: its other values are positive, and of one size.
    """
    positions = np.flatnonzero(np.isfinite(values))
    finite = values[positions]
    if finite.size < _MIN_VALUES:
        return []
    typical = float(np.median(finite))
    is_large, is_negative = finite > _MIN_SUSPECT_FACTOR * typical, finite < 0
    is_suspect: BoolArray = is_large | is_negative
    if typical <= 0 or not 0 < np.count_nonzero(is_suspect) <= _MAX_SUSPECTS_PER_SERIES:
        return []
    others = finite[~is_suspect]
    low, high = np.quantile(others, _MIN_LOW_QUANTILE), float(others.max())
    if low < _MIN_LOW_FRACTION * typical or high > _MAX_OTHER_FACTOR * typical:
        return []
    suspects = [
        SuspectValue(int(positions[position]), "the only negative value")
        for position in np.flatnonzero(is_negative).tolist()
        if np.count_nonzero(is_negative) == 1 and -finite[position] <= high
    ]
    for position in np.flatnonzero(is_large).tolist():
        times = _times_too_large(finite, position, is_suspect)
        if times:
            suspects.append(SuspectValue(int(positions[position]), f"about {times} its neighbors"))
    return suspects


def _times_too_large(finite: FloatArray, position: int, is_suspect: BoolArray) -> str | None:
    around = slice(max(0, position - _NEIGHBORS_PER_SIDE), position + _NEIGHBORS_PER_SIDE + 1)
    neighbors = finite[around][~is_suspect[around]]
    if neighbors.size < _NEIGHBORS_PER_SIDE:
        return None
    ratio = float(finite[position] / np.median(neighbors))
    fitting = (
        word
        for power, word in _FACTOR_WORDS.items()
        if 1 / _MAX_CORRECTED_FACTOR <= ratio / power <= _MAX_CORRECTED_FACTOR
    )
    return next(fitting, None)
