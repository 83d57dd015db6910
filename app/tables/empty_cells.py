"""Decide what empty cells mean: zeros, a longer step than that of the rows, or gaps."""

from app.tables.dated_values import Entry
from app.tables.results import Fill, Layout, Reading
from app.timeseries.calendar.fit import find_spacing

_MIN_OWN_STEPS = 8  # values that show a step longer than that of the rows


def are_zeros(reading: Reading) -> bool:
    """Return whether empty cells below dates side by side are values of 0, as was answered."""
    return reading.answers.fill is Fill.ZERO and reading.chosen.layout is Layout.PIVOT


def resolve_empty_cells(entries: list[Entry], reading: Reading) -> list[Entry]:
    """Return series with zeros for their empty cells, if that was answered, also at the ends of a
    pivot's rows; else those with values at longer steps without the dates between these."""
    if not are_zeros(reading):
        return [_at_own_step(entry, reading) for entry in entries]
    return [
        entry
        if entry.substitutes is not None
        else entry._replace(substitutes=entry.values[entry.values.isna()].fillna(0.0))
        for entry in entries
    ]


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
