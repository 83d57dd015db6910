"""Unpivot tables with periods side by side, such as months across and years down."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from itertools import islice, pairwise

import numpy as np
import pandas as pd

from app.tables.clock_pivot import find_days, find_hours, is_month_label, join_days, join_hours
from app.tables.dates.cells import is_written_date, is_yearless, read_season
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import COUNTED_MONTH, join_years, read_year
from app.tables.numbers import is_missing, is_numeric
from app.tables.results import Reading, TableBounds
from app.tables.samples import is_mostly, sample_size
from app.tables.series_names import too_many_points_error
from app.tables.table import Table, check_size
from app.tables.weekday_pivot import join_weekdays, label_weeks

_MAX_ROWS_TRIED = 20
_SAMPLE, _SAMPLE_CELLS, _MIN_SAMPLE = 50, 20_000, 5
_MIN_PERIODS = 3
_MAX_LABELS_TRIED = 20
_YEAR = re.compile(r"(?:19|20)\d{2}", re.ASCII)
_POINT_MONTH = re.compile(
    r"(?:19|20)\d{2}\.(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])\.(?:19|20)\d{2}", re.ASCII
)
_QUARTER = re.compile(r"[qt][1-4]", re.ASCII | re.IGNORECASE)
_MONTHS = [str(month) for month in range(1, 13)]
_FLAG = re.compile(r"(?<=[\d:]) [a-z]{1,3}$", re.ASCII)


def _is_part(cell: str) -> bool:
    return bool(month_of(cell) or _QUARTER.fullmatch(cell))


def _is_label_of_year(cell: str) -> bool:
    return bool(is_yearless(cell) or _QUARTER.fullmatch(cell) or COUNTED_MONTH.fullmatch(cell))


def _is_period(cell: str) -> bool:
    return is_written_date(cell) or _POINT_MONTH.fullmatch(cell) is not None


@dataclass(frozen=True)
class _Pivot:
    """``row``: the index of the row with the periods; ``across``: their columns; ``down``: the
    column with the other part of the dates, None if the periods are whole dates."""

    row: int
    across: list[int]
    down: int | None
    are_years: bool = False
    join: Callable[[pd.Series, pd.Series], pd.Series] | None = None  # joins labels and periods


def unpivot(
    table: Table, header: int | None, bounds: TableBounds, reading: Reading
) -> Table | None:
    """Return the table with one value in each row; None if it is not a pivot table."""
    table = _strip_flags(_merge_years(table))
    rows = range(min(_MAX_ROWS_TRIED, len(table.cells)))
    if header is not None:
        rows = range(*table.cells.index.slice_indexer(header, header).indices(len(table.cells)))
    kind_of = cache(_kind_of)  # the tried rows share the cells below
    finders = (_find_clock_pivot, _find_pivot)
    pivots = (find(table.cells, row, kind_of) for row in rows for find in finders)
    pivot = next(filter(None, pivots), None)
    if pivot is None and (weeks := label_weeks(table, rows, bounds.this_year, reading)):
        table, header_row, days, label = weeks
        pivot = _Pivot(header_row, days, label, join=join_weekdays)
    if pivot is None:
        return None
    body = table.cells.iloc[pivot.row + 1 :, pivot.across]
    if np.count_nonzero(body.to_numpy() != "") > bounds.max_total_points:
        raise too_many_points_error(bounds)
    return _melt(table, pivot, reading)


def _find_clock_pivot(
    cells: pd.DataFrame, row: int, kind_of: Callable[[str], "_CellKind"]
) -> _Pivot | None:
    """Return the pivot with the hours of a day, or the days of a month, across."""
    header = cells.iloc[row].tolist()
    for parts, fits, join in (
        (find_hours(header), is_written_date, join_hours),
        (find_days(header), is_month_label, join_days),
    ):
        if parts and row + 1 < len(cells):
            columns = cells.iloc[row + 1 : row + 1 + _SAMPLE].to_numpy().T.tolist()
            labels = islice(_other_columns(parts, len(header)), _MAX_LABELS_TRIED)
            label = next((i for i in labels if is_mostly(columns[i], fits)), None)
            if label is not None and any(_has_values(columns[i], kind_of) for i in parts):
                return _Pivot(row, parts, label, join=join)
    return None


def _find_pivot(
    cells: pd.DataFrame, row: int, kind_of: Callable[[str], "_CellKind"]
) -> _Pivot | None:
    limit = sample_size(
        cells.shape[1], max_cells=_SAMPLE_CELLS, min_rows=_MIN_SAMPLE, max_rows=_SAMPLE
    )
    header, *body = cells.iloc[row : row + 1 + limit].to_numpy().tolist()
    if not body:
        return None
    columns = list(zip(*body, strict=True))

    def across(fits: Callable[[str], object]) -> list[int]:
        return [
            i for i, cell in enumerate(header) if fits(cell) and _has_values(columns[i], kind_of)
        ]

    def down(fits: Callable[[str], object], taken: Sequence[int]) -> int | None:
        free = list(islice(_other_columns(taken, len(header)), _MAX_LABELS_TRIED))
        return next((i for i in free if is_mostly(columns[i], fits)), None)

    whole, seasons = across(_is_period), across(read_season)
    if len(seasons) >= len(whole):  # 2009/10 could be a month
        whole = seasons
    are_within_years = whole is seasons and down(_is_label_of_year, seasons) is not None
    if len(whole) >= _MIN_PERIODS and not are_within_years and down(is_written_date, whole) is None:
        return _Pivot(row, whole, None)
    counts = [i for i, cell in enumerate(header) if cell in _MONTHS]
    if [header[i] for i in counts] != _MONTHS[: len(counts)] or len(counts) < _MIN_PERIODS:
        counts = []
    for parts in (across(_is_part), counts):
        if len(parts) >= _MIN_PERIODS or (len(parts) == 2 and len(header) == 3):
            years = down(read_year, parts)
            if years is not None or (parts is not counts and len(body) == 1):
                return _Pivot(row, parts, years)
    years_across = across(read_year)
    if len(years_across) >= 2 and down(is_written_date, years_across) is None:
        labels = down(_is_label_of_year, years_across)
        if labels is not None and not is_numeric(header[labels]):
            return _Pivot(row, years_across, labels, are_years=True)
        numbers = [int(header[i]) for i in years_across if _YEAR.fullmatch(header[i])]
        are_plain = len(numbers) == len(years_across) >= _MIN_PERIODS
        if are_plain and {abs(after - before) for before, after in pairwise(numbers)} == {1}:
            return _Pivot(row, years_across, None)
    return None


def _merge_years(table: Table) -> Table:
    """Return the table with the years above months or quarters written into their row."""
    cells = table.cells
    rows = cells.iloc[:_MAX_ROWS_TRIED].to_numpy().tolist()
    for lower, (upper, names) in enumerate(pairwise(rows), 1):
        parts = [column for column, name in enumerate(names) if _is_part(name)]
        above = [upper[column] for column in parts]
        if len(parts) < _MIN_PERIODS or not _YEAR.fullmatch(above[0]):
            continue
        if all(not cell or _YEAR.fullmatch(cell) for cell in above):
            year = ""
            for column, cell in zip(parts, above, strict=True):
                year = cell or year
                names[column] = f"{names[column]} {year}"
            merged = cells.iloc[lower:].copy()
            merged.iloc[0] = names
            return replace(table, cells=merged)
    return table


def _strip_flags(table: Table) -> Table:
    """Return a table of Eurostat without the letters behind values, such as p for provisional."""
    cells = table.cells
    if cells.empty or not any("\\TIME_PERIOD" in cell for cell in cells.iloc[0]):
        return table
    return replace(table, cells=cells.replace(_FLAG, "", regex=True))


def _other_columns(taken: Collection[int | None], width: int) -> Iterator[int]:
    taken = set(taken)
    return (i for i in range(width) if i not in taken)


class _CellKind(Enum):
    """The content of a cell below a row of periods."""

    HOLE = 0
    NUMBER = 1
    OTHER = 2


def _kind_of(cell: str) -> _CellKind:
    if is_missing(cell):
        return _CellKind.HOLE
    is_number = is_numeric(cell) and not is_written_date(cell)
    return _CellKind.NUMBER if is_number else _CellKind.OTHER


def _has_values(cells: Iterable[str], kind_of: Callable[[str], _CellKind] = _kind_of) -> bool:
    """Return whether there are numbers and nothing else."""
    kinds = set(map(kind_of, set(cells)))
    return _CellKind.NUMBER in kinds and _CellKind.OTHER not in kinds


def _melt(table: Table, pivot: _Pivot, reading: Reading) -> Table:
    header = table.cells.iloc[pivot.row].tolist()
    cells = table.cells.iloc[pivot.row + 1 :]
    check_size(len(cells), len(pivot.across))
    others = list(_other_columns((*pivot.across, pivot.down), len(header)))
    left_out = [i for i in others if _has_values(cells[i])]
    if left_out:
        shown = ", ".join(header[i] or f"column {i + 1}" for i in left_out)
        reading.add_remark("column_left_out", f"Left out, beside the periods: {shown}.")
    names = [i for i in others if i not in left_out and (cells[i] != "").any()]
    kept = names if pivot.down is None else [*names, pivot.down]
    long = cells.melt(kept, pivot.across, "period", "value", ignore_index=False)
    if not pivot.are_years:  # the values of a row stay together
        long = long.sort_index(kind="stable")
    long = long[long["value"] != ""]
    periods = long["period"].map(dict(enumerate(header)))
    if pivot.down is None:
        dates = periods
    elif pivot.join:
        dates = pivot.join(long[pivot.down], periods)
    else:
        years, parts = periods, long[pivot.down]
        if not pivot.are_years:
            years, parts = parts, periods
        dates = join_years(years, parts, reading, parts_first=pivot.are_years)
    value = " ".join(cells[i].iloc[0] for i in names) if len(cells) == 1 else ""
    heading = [
        (header[pivot.down] if pivot.down is not None else "") or "date",
        *(header[i] for i in names),
        value or "value",
    ]
    body = pd.concat([dates, *(long[i] for i in names), long["value"]], axis=1)
    body.columns = range(len(heading))
    top = pd.DataFrame([heading], index=[table.cells.index[pivot.row]], columns=body.columns)
    return replace(table, cells=pd.concat([top, body]))
