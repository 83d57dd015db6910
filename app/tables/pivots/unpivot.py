"""Unpivot tables with periods side by side, such as months across and years down."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from app.tables.answers import Layout
from app.tables.dates.cells import read_split_year
from app.tables.errors import too_many_points_error
from app.tables.pivots.clock import clear_missing_days, find_clock_pivot, find_day_rows
from app.tables.pivots.dated_header import (
    date_header,
    mark_short_eras,
    merge_years,
    with_written_periods,
)
from app.tables.pivots.labels import is_month_or_quarter, is_period_label
from app.tables.pivots.melt import FoundPivot, Pivot, kind_of_cell, melt_pivot
from app.tables.pivots.missing_years import date_month_rows, date_yearless
from app.tables.pivots.period_header import MAX_ROWS_TRIED
from app.tables.pivots.periods_across import find_periods_across
from app.tables.pivots.weekdays_across import find_weeks
from app.tables.reading import Choice, Reading
from app.tables.rows.stacked_tables import cut_stacked_pivots
from app.tables.table import Table, sample_height

_MAX_CELLS_SEARCHED = 40_000  # in the first rows, for periods
_UNNAMED_WIDTH = 2  # a long table of dates and values, without names, has two columns
_T_LABEL = re.compile(r"t[1-4]", re.ASCII | re.IGNORECASE)
# Names of years in languages in which no word for quarters begins with T.
_YEAR_WITHOUT_T = re.compile(r"years?|jahr|jaar", re.IGNORECASE)
_FLAG = re.compile(r"(?<=[\d:]) [a-z]{1,3}$", re.ASCII)
_EUROSTAT_NAME_ENDS = ("\\time", "\\time_period")  # ends of the name of its first column


def unpivot(table: Table, header: int | None, reading: Reading) -> Table | None:
    """Return the table with one value in each row; None if it is not a pivot table."""
    merged = merge_years(mark_short_eras(table), reading)
    dated = date_header(_without_eurostat_flags(merged, reading))
    rows = _header_rows(dated.table, header)
    dated_pivot = (
        reading.attempt(partial(_find_stacked, dated.table, rows))
        or _find_yearless(date_month_rows, dated.table, rows, reading)
        or _find_first_pivot(dated.table, rows)
        or find_weeks(dated.table, rows, reading)
        or _find_yearless(date_yearless, dated.table, rows, reading)
    )
    if dated_pivot is None:
        return None
    if dated.serials:
        reading.add_remark("serial_dates", dated.serials)
    pivot = dated_pivot.pivot
    cleared = clear_missing_days(dated_pivot)
    body = cleared.cells.iloc[pivot.first :, pivot.across]
    max_points = reading.bounds.max_total_points
    if np.count_nonzero(body.to_numpy() != "") > max_points:
        raise too_many_points_error(reading.bounds)
    has_gaps = pivot.down is None and body.size <= max_points
    long = melt_pivot(
        cleared, with_written_periods(pivot, dated.written), reading, has_gaps=has_gaps
    )
    if long.cells.shape[1] == _UNNAMED_WIDTH and reading.answers.layout is None:
        _ask_quarters_with_t(pivot, cleared.cells.iloc[pivot.row].tolist(), reading)
    return long


def _header_rows(table: Table, header: int | None) -> range:
    count, width = table.cells.shape
    if header is not None:
        return range(*table.cells.index.slice_indexer(header, header).indices(count))
    return range(min(sample_height(width, MAX_ROWS_TRIED, max_cells=_MAX_CELLS_SEARCHED), count))


def _ask_quarters_with_t(pivot: Pivot, header: Sequence[str], reading: Reading) -> None:
    """Ask whether T1 to T4 are quarters, if the name of the years is of another language."""
    names = [header[i] for i in pivot.across]
    if pivot.down is None or not _YEAR_WITHOUT_T.fullmatch(header[pivot.down]):
        return
    if all(map(_T_LABEL.fullmatch, names)):
        names_text = ", ".join(names)
        choices = [
            Choice(Layout.PIVOT, "quarters of each year", "one series"),
            Choice(Layout.COLUMNS, "a series of years each", f"{len(names)} series"),
        ]
        reading.ask("layout", f"What are the columns {names_text}?", choices)


def _find_stacked(table: Table, rows: range, reading: Reading) -> FoundPivot | None:
    """Return the first pivot of several below each other."""

    def is_period(cell: str) -> bool:
        return bool(is_month_or_quarter(cell) or is_period_label(cell) or read_split_year(cell))

    first = cut_stacked_pivots(table, rows, is_period, reading)
    return _find_first_pivot(first, rows) if first else None


def _find_yearless(
    date: Callable[[Table, int, Reading], Table | None], table: Table, rows: range, reading: Reading
) -> FoundPivot | None:
    """Return the first pivot that has years after ``date``, and the table with these."""

    def find(row: int, attempt: Reading) -> FoundPivot | None:
        dated = date(table, row, attempt)
        return _find_first_pivot(dated, range(row, row + 1)) if dated else None

    pivots = (reading.attempt(partial(find, row)) for row in rows)
    return next(filter(None, pivots), None)


def _find_first_pivot(table: Table, rows: range) -> FoundPivot | None:
    kind_of = cache(kind_of_cell)  # the tried rows share the cells below
    finders = (find_clock_pivot, find_day_rows, find_periods_across)
    tried = rows[: max(0, len(table.cells) - rows.start)]
    pivots = (find(table.cells, row, kind_of) for row in tried for find in finders)
    return next((FoundPivot(table, pivot) for pivot in pivots if pivot), None)


def _without_eurostat_flags(table: Table, reading: Reading) -> Table:
    """Return a table of Eurostat without its flags: ``:`` for a missing value, ``12.3 p`` for 12.3.

    Elsewhere such letters may be units: ``value_marks.py`` decides by the whole column.
    """
    cells = table.cells
    if cells.empty or not any(cell.lower().endswith(_EUROSTAT_NAME_ENDS) for cell in cells.iloc[0]):
        return table
    plain = cells.replace(_FLAG, "", regex=True)
    if not plain.equals(cells):
        text = "Letters after values, such as p for provisional, are left out."
        reading.add_remark("flags_left_out", text)
    return replace(table, cells=plain.replace(":", ""))
