"""The series in a CSV table: its columns chosen, its dates and numbers read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from forecast_client.cells import times_of
from forecast_client.columns import check_column, listed, time_column_of, value_column_of
from forecast_client.csv_dates import looks_like_clock, looks_like_date, parse_dates
from forecast_client.csv_file import Table
from forecast_client.csv_numbers import is_missing, looks_numeric, parse_numbers
from forecast_client.errors import DataError
from forecast_client.raw import Raw

LOOKED_AT = 20


@dataclass(frozen=True)
class Form:
    """How a table is read; None: as the table shows. ``day_first``: what 03/04/2024 is."""

    time_column: str | None = None
    value_column: str | None = None
    id_column: str | None = None
    decimal: str | None = None
    date_format: str | None = None
    day_first: bool | None = None


@dataclass(frozen=True)
class Read:
    """The series of a table by id, None where there is one; ``decimals`` as they were written."""

    series: dict[str | None, Raw]
    decimals: int


def read_series(table: Table, form: Form) -> Read:
    """Return the series in a table.

    Raises:
        DataError: A column cannot be recognised, or a cell cannot be read.
    """
    names = table.names
    if form.id_column is not None:
        check_column(names, form.id_column, "id_column")
        names = [name for name in names if name != form.id_column]
    dates = [name for name in names if _all_like(table.columns[name], looks_like_date)]
    time = time_column_of(names, form.time_column, dates)
    names = [name for name in names if name != time]
    clock = _clock_beside(table, time, names)
    names = [name for name in names if name != clock]
    if not names:
        raise DataError(f"there is no column of values beside {listed([time])}")
    numbers = [name for name in names if _all_like(table.columns[name], looks_numeric)]
    value = value_column_of(names, form.value_column, numbers)
    cells = table.columns[time]
    if clock is not None:
        cells = [" ".join(pair) for pair in zip(cells, table.columns[clock], strict=True)]
    moments = parse_dates(cells, table.lines, form.date_format, form.day_first)
    found = parse_numbers(table.columns[value], table.lines, form.decimal)
    groups = _groups(table, form.id_column)
    series = {name: _raw(moments, found.values, places, value) for name, places in groups.items()}
    return Read(series, found.decimals)


def _clock_beside(table: Table, time: str, names: Sequence[str]) -> str | None:
    """Return the column of the times of day, where that of the dates has none."""
    if any(":" in cell for cell in table.columns[time]):
        return None
    clocks = (name for name in names if _all_like(table.columns[name], looks_like_clock))
    return next(clocks, None)


def _groups(table: Table, id_column: str | None) -> dict[str | None, Sequence[int]]:
    """Return the places of the rows of each id."""
    if id_column is None:
        return {None: range(len(table.lines))}
    groups: dict[str | None, list[int]] = {}
    for place, cell in enumerate(table.columns[id_column]):
        if not cell.strip():
            raise DataError(f"line {table.lines[place]} has nothing in column {id_column!r}")
        groups.setdefault(cell.strip(), []).append(place)
    return dict(groups)


def _raw(
    moments: Sequence[datetime], values: Sequence[float], places: Sequence[int], name: str
) -> Raw:
    wall, zone, utc = times_of([moments[place] for place in places], "timestamps:")
    return Raw(wall, [values[place] for place in places], zone, utc, name=name)


def _all_like(cells: Sequence[str], looks: Callable[[str], bool]) -> bool:
    """Whether the first cells that are not empty all look like something."""
    there = [cell for cell in cells if not is_missing(cell)][:LOOKED_AT]
    return bool(there) and all(looks(cell) for cell in there)
