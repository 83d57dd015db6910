"""Unpivot tables with periods side by side, such as months across and years down."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice, pairwise

import numpy as np
import pandas as pd

from app.tables.codes.key_names import is_named_thing
from app.tables.dates.ambiguous_forms import is_week_with_s
from app.tables.dates.cells import (
    date_reader,
    is_written_date,
    read_season,
)
from app.tables.dates.columns.likely import is_likely_date
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import (
    have_one_word,
    keep_alike,
    read_year,
)
from app.tables.names.series_names import too_many_points_error
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.pivots.clock import clear_missing_days, find_clock_pivot, find_day_rows
from app.tables.pivots.dated_header import date_serials, date_short_years, with_written_periods
from app.tables.pivots.labels import is_label_of_year, is_named_part, is_part, is_period
from app.tables.pivots.melt import (
    CellKind,
    FoundPivot,
    Pivot,
    are_numbers,
    has_values,
    kind_of_cell,
    melt_pivot,
    other_columns,
)
from app.tables.pivots.missing_years import date_yearless
from app.tables.pivots.month_days import date_month_rows
from app.tables.pivots.period_header import MAX_ROWS_TRIED, read_header
from app.tables.pivots.short_eras import mark_short_eras
from app.tables.pivots.weekdays_across import find_weeks
from app.tables.pivots.weeks import COUNTED_WEEK, are_weeks, join_weeks
from app.tables.pivots.years_in_header import merge_years
from app.tables.results import Choice, Layout, Reading, TableBounds
from app.tables.rows.stacked_tables import cut_stacked_pivots
from app.tables.samples import is_mostly, sample_size
from app.tables.table import Table

_SAMPLE, _SAMPLE_CELLS, _MIN_SAMPLE = 50, 20_000, 5
_MIN_PERIODS = 3
_MAX_LABELS_TRIED = 20
_MAX_HEADER_CELLS = 40_000  # that are searched for periods
_UNNAMED_WIDTH = 2  # columns of dates and of values
_YEAR = re.compile(r"(?:19|20)\d{2}", re.ASCII)
_BEYOND_QUARTERS = re.compile(r"[qt][5-9]", re.ASCII | re.IGNORECASE)  # of questions or tests
_WITH_T = re.compile(r"t[1-4]", re.ASCII | re.IGNORECASE)
# Names of years in languages in which no word for quarters begins with T.
_YEAR_WITHOUT_T = re.compile(r"years?|jahr|jaar", re.IGNORECASE)
_MONTHS = [str(month) for month in range(1, 13)]
_FLAG = re.compile(r"(?<=[\d:]) [a-z]{1,3}$", re.ASCII)
_EUROSTAT = ("\\time", "\\time_period")  # ends of the name of its first column


def unpivot(
    table: Table, header: int | None, bounds: TableBounds, reading: Reading
) -> Table | None:
    """Return the table with one value in each row; None if it is not a pivot table."""
    merged = merge_years(mark_short_eras(table), reading)
    dated, of_serials = date_serials(_strip_flags(merged, reading))
    spelled, written = date_short_years(dated)
    count = len(spelled.cells)
    tried = sample_size(
        spelled.cells.shape[1],
        max_cells=_MAX_HEADER_CELLS,
        min_rows=_MIN_SAMPLE,
        max_rows=MAX_ROWS_TRIED,
    )
    rows = range(min(tried, count))
    if header is not None:
        rows = range(*spelled.cells.index.slice_indexer(header, header).indices(count))
    dated_pivot = (
        reading.attempt(partial(_find_stacked, spelled, rows))
        or _find_yearless(date_month_rows, spelled, rows, bounds.this_year, reading)
        or _find_first_pivot(spelled, rows)
        or find_weeks(spelled, rows, bounds.this_year, reading)
        or _find_yearless(date_yearless, spelled, rows, bounds.this_year, reading)
    )
    if dated_pivot is None:
        return None
    if of_serials:
        reading.add_remark("serial_dates", of_serials)
    pivot = dated_pivot.pivot
    cleared = clear_missing_days(dated_pivot)
    body = cleared.cells.iloc[pivot.first :, pivot.across]
    if np.count_nonzero(body.to_numpy() != "") > bounds.max_total_points:
        raise too_many_points_error(bounds)
    has_gaps = pivot.down is None and body.size <= bounds.max_total_points
    long = melt_pivot(cleared, with_written_periods(pivot, written), reading, has_gaps=has_gaps)
    if long.cells.shape[1] == _UNNAMED_WIDTH and reading.answers.layout is None:
        _ask_quarters_with_t(pivot, cleared.cells.iloc[pivot.row].tolist(), reading)
    return long


def _ask_quarters_with_t(pivot: Pivot, header: Sequence[str], reading: Reading) -> None:
    """Ask whether T1 to T4 are quarters, if the name of the years is of another language."""
    names = [header[i] for i in pivot.across]
    if pivot.down is None or not _YEAR_WITHOUT_T.fullmatch(header[pivot.down]):
        return
    if all(map(_WITH_T.fullmatch, names)):
        shown = ", ".join(names)
        choices = [
            Choice(Layout.PIVOT, "quarters of each year", "one series"),
            Choice(Layout.COLUMNS, "a series of years each", f"{len(names)} series"),
        ]
        reading.ask("layout", f"What are the columns {shown}?", choices)


def _find_first_pivot(table: Table, rows: range) -> FoundPivot | None:
    kind_of = cache(kind_of_cell)  # the tried rows share the cells below
    finders = (find_clock_pivot, find_day_rows, _find_pivot)
    tried = rows[: max(0, len(table.cells) - rows.start)]
    pivots = (find(table.cells, row, kind_of) for row in tried for find in finders)
    return next((FoundPivot(table, pivot) for pivot in pivots if pivot), None)


def _find_stacked(table: Table, rows: range, reading: Reading) -> FoundPivot | None:
    """Return the first pivot of several below each other."""
    first = cut_stacked_pivots(table, rows, _is_part_or_period, reading)
    return _find_first_pivot(first, rows) if first else None


def _is_part_or_period(cell: str) -> bool:
    return bool(is_part(cell) or is_period(cell) or read_season(cell))


def _find_yearless(
    date: Callable[[Table, int, int, Reading], Table | None],
    table: Table,
    rows: range,
    this_year: int,
    reading: Reading,
) -> FoundPivot | None:
    """Return the first pivot that has years after ``date``, and the table with these."""

    def find(row: int, attempt: Reading) -> FoundPivot | None:
        dated = date(table, row, this_year, attempt)
        return _find_first_pivot(dated, range(row, row + 1)) if dated else None

    pivots = (reading.attempt(partial(find, row)) for row in rows)
    return next(filter(None, pivots), None)


def _find_pivot(
    cells: pd.DataFrame, row: int, kind_of: Callable[[str], "CellKind"]
) -> Pivot | None:
    limit = sample_size(
        cells.shape[1], max_cells=_SAMPLE_CELLS, min_rows=_MIN_SAMPLE, max_rows=_SAMPLE
    )
    written, *rows = cells.iloc[row : row + 1 + limit].to_numpy().tolist()
    if not rows:
        return None
    above = cells.iloc[row - 1].tolist() if row else [""] * len(written)
    whole_header = read_header(above, written, rows, is_period)
    header = whole_header.periods
    body = rows[whole_header.rows_below :]
    body = [cells for cells in body if any(map(is_numeric, cells))] or body  # others are notes
    columns = list(zip(*body, strict=True))

    def across(fits: Callable[[str], object]) -> list[int]:
        fitting = [i for i, cell in enumerate(header) if fits(cell)]
        numeric = {i for i in fitting if has_values(columns[i], kind_of)}
        # In the other ones a word may say why there is no value.
        return [
            i for i in fitting if i in numeric or (len(numeric) > 1 and are_numbers(columns[i]))
        ]

    def down(fits: Callable[[str], object], taken: Sequence[int]) -> int | None:
        free = list(islice(other_columns(taken, len(header)), _MAX_LABELS_TRIED))
        return next((i for i in free if is_mostly(columns[i], fits)), None)

    whole, seasons = across(is_period), across(read_season)
    if len(seasons) >= len(whole):  # 2009/10 could be a month
        whole = seasons
    years_across = keep_alike(across(read_year), header)
    fits_part = is_label_of_year if whole is seasons else is_named_part
    are_years = bool(whole) and {*whole} <= {*years_across}
    are_within_years = are_years and down(fits_part, whole) is not None
    if len(whole) >= _MIN_PERIODS:
        fits = read_season if whole is seasons else is_period
        whole = _with_empty(whole, header, columns, fits)
    whole = _without_longer(whole, header)
    if len(whole) >= _MIN_PERIODS and not are_within_years and down(is_likely_date, whole) is None:
        return Pivot(row, whole, None, header=whole_header)
    counts = [i for i, cell in enumerate(header) if cell in _MONTHS]
    if [header[i] for i in counts] != _MONTHS[: len(counts)] or len(counts) < _MIN_PERIODS:
        counts = []
    named = across(month_of)
    if len(named) < _MIN_PERIODS and not any(map(_BEYOND_QUARTERS.fullmatch, header)):
        named = across(is_part)
    for parts in (named, counts):
        if len(parts) >= _MIN_PERIODS or (len(parts) == 2 and len(header) == 3):
            years = down(read_year, parts)
            if parts is counts and years is not None and read_year(header[years]):
                continue  # a row of values
            if years is not None and is_named_thing(header[years]):
                continue
            years = years if years is not None and have_one_word(columns[years]) else None
            if years is not None or (parts is not counts and len(body) == 1):
                return Pivot(row, parts, years)
    if len(years_across) < 2:
        return None
    return _find_years_across(row, years_across, down, columns, (above, header))


def _find_years_across(
    row: int,
    years: list[int],
    down: Callable[[Callable[[str], object], Sequence[int]], int | None],
    columns: Sequence[Sequence[str]],
    headers: tuple[Sequence[str], Sequence[str]],
) -> Pivot | None:
    """Return the pivot with years across, and months, days, quarters or weeks down, or names.

    ``down`` finds the column that fits; ``headers``: the row above the years, and theirs.
    """
    if down(is_written_date, years) is not None:
        return None
    above, header = headers
    is_plain = (label := read_year(header[years[0]])) is None or not label.word
    labels = down(is_label_of_year if is_plain else is_named_part, years)
    if labels is not None and not is_numeric(header[labels]):
        return Pivot(row, years, labels, are_years=True)
    weeks = down(COUNTED_WEEK.fullmatch, years) if is_plain else None
    if weeks is not None and are_weeks((above[weeks], header[weeks]), columns[weeks]):
        return Pivot(row, years, weeks, are_years=True, join=join_weeks)
    numbers = [int(header[i]) for i in years if _YEAR.fullmatch(header[i])]
    are_plain = len(numbers) == len(years) >= _MIN_PERIODS
    if are_plain and {abs(after - before) for before, after in pairwise(numbers)} == {1}:
        return Pivot(row, years, None)
    return None


def _with_empty(
    columns: list[int],
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    is_period: Callable[[str], object],
) -> list[int]:
    """Return columns, and the columns of other periods that have no values."""
    known = {*columns}
    return [
        i
        for i, cell in enumerate(header)
        if i in known or (is_period(cell) and all(map(is_missing, {*cells[i]})))
    ]


def _without_longer(columns: list[int], header: Sequence[str]) -> list[int]:
    """Return columns without longer periods, such as quarters between their months."""
    read = date_reader(has_weeks_with_s=any(is_week_with_s(header[i]) for i in columns))
    dates = {i: date for i in columns if (date := read(header[i]))}
    counts = Counter(date.coarseness for date in dates.values())
    if len(counts) < 2:
        return columns
    usual = counts.most_common(1)[0][0]
    return [i for i in columns if i not in dates or dates[i].coarseness <= usual]


def _strip_flags(table: Table, reading: Reading) -> Table:
    """Return a table of Eurostat without its marks.

    These are colons for missing values, and letters behind values, such as p for provisional.
    """
    cells = table.cells
    if cells.empty or not any(cell.lower().endswith(_EUROSTAT) for cell in cells.iloc[0]):
        return table
    plain = cells.replace(_FLAG, "", regex=True)
    if not plain.equals(cells):
        text = "Letters behind values, such as p for provisional, are left out."
        reading.add_remark("flags_left_out", text)
    return replace(table, cells=plain.replace(":", ""))
