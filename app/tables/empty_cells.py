"""Decide what empty cells mean: zeros, a longer step than that of the rows, or gaps."""

import numpy as np
import pandas as pd

from app.tables.dated_values import Entry
from app.tables.results import Fill, Layout, Reading
from app.timeseries.calendar.fit import find_spacing

_MIN_OWN_STEPS = 8  # values that show a step longer than that of the rows
# Share of the dates up to which empty cells at the end of a column are zeros: with more, it ends.
_MAX_END_SHARE = 0.1


def are_zeros(reading: Reading) -> bool:
    """Return whether empty cells below dates side by side are values of 0, as was answered."""
    return reading.answers.fill is Fill.ZERO and reading.chosen.layout is Layout.PIVOT


def resolve_empty_cells(entries: list[Entry], reading: Reading) -> list[Entry]:
    """Return series with zeros for their empty cells, if that was answered, also at the ends of a
    pivot's rows and of columns side by side; else those with values at longer steps without the
    dates between these."""
    if not are_zeros(reading):
        are_columns = reading.chosen.layout is Layout.COLUMNS and len(entries) > 1
        if reading.answers.fill is Fill.ZERO and are_columns:
            return _with_zero_ends(entries)
        return [_at_own_step(entry, reading) for entry in entries]
    return [
        entry
        if entry.substitutes is not None
        else entry._replace(substitutes=entry.values[entry.values.isna()].fillna(0.0))
        for entry in entries
    ]


def _with_zero_ends(entries: list[Entry]) -> list[Entry]:
    """Return columns with zeros at their ends, as far as others have values, where they have no
    longer run of empty cells than elsewhere: else they begin later, or have ended."""
    ends = [times for entry in entries if (times := entry.values.dropna().index).size]
    if not ends:
        return entries
    first, last = min(times[0] for times in ends), max(times[-1] for times in ends)
    return [_extended(entry, entry.values.loc[first:last]) for entry in entries]


def _extended(entry: Entry, values: pd.Series) -> Entry:
    """Return a column that ends like ``values``, which have its empty cells between those ends."""
    known = np.flatnonzero(values.notna().to_numpy())
    if not known.size or entry.substitutes is not None or entry.column.closing_order:
        return entry
    limit = max(int(np.diff(known).max(initial=1)) - 1, _MAX_END_SHARE * values.size)
    first, end = int(known[0]), int(known[-1]) + 1
    start = 0 if first <= limit else first
    end = values.size if values.size - end <= limit else end
    kept = values.iloc[start:end]
    return entry._replace(values=kept, substitutes=kept[kept.isna()].fillna(0.0))


def _at_own_step(entry: Entry, reading: Reading) -> Entry:
    known = entry.values.dropna()
    is_asked = reading.answers.fill is not None or reading.answers.data_frequency is not None
    if is_asked or entry.substitutes is not None:
        return entry
    if not _MIN_OWN_STEPS <= known.size < entry.values.size:
        return entry
    times = (known.index, entry.values.index)
    own, of_rows = (find_spacing(index.to_numpy().astype("datetime64[s]")) for index in times)
    if own is None or of_rows is None or own.frequency == of_rows.frequency:
        return entry
    if own.defects or own.step != 1 or own.entries != known.size:
        return entry
    text = f"“{entry.name}” has a value every {own}: read with this step, not as gaps."
    reading.add_remark("own_step", text)
    return entry._replace(values=known)
