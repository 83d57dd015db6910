"""Fill cells that stand for several rows: merged cells, and the years of a pivot table."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

import numpy as np
import pandas as pd

from app.tables.dates.cells import (
    DateGranularity,
    date_reader,
    is_date,
    is_written_date,
    is_yearless,
)
from app.tables.dates.columns.sample import find_header
from app.tables.dates.year_labels import QUARTER_OF_YEAR, is_part_of_year, join_years, read_year
from app.tables.numbers.parsing import is_numeric
from app.tables.reading import Reading
from app.tables.rows.total_rows import TOTAL_LABEL, is_total_label
from app.tables.table import SAMPLE_CELLS, Table, is_mostly

_MAX_GROUP_COLUMNS = 5  # the leftmost columns may name groups
_MAX_UNIT_ROWS = 2
_MIN_MEAN_GROUP_ROWS = 3
_MIN_MONTH_FRACTION = 0.7  # the other rows may be quarters, and totals
_MIN_INTERVAL_DAYS = 2
_MIN_TIMED_ROW_FRACTION = 0.7  # the other rows may be totals
_MIN_NAMES_PER_DATE = 1.5
_MIN_ROWS_PER_NAME = 2
_MIN_NAMED_ROW_FRACTION = 0.9
_MAX_TOTAL_LENGTH = 60
_MONTHS_SO_FAR = re.compile(r"(?<=年) ?\d{1,2} ?月?[-~至～－]\d{1,2} ?月$", re.ASCII)
_CLOCK = re.compile(r"\d{1,2}[:h]\d{2}(?:\D|$)", re.ASCII)


def fill_merged_cells(table: Table, reading: Reading) -> Table:
    """Return the table with the names and years of groups of rows in each of their rows."""
    cells = table.cells
    header = find_header(cells)
    start = header + 1 + _count_unit_rows(cells.iloc[header + 1 : header + 1 + _MAX_UNIT_ROWS])
    body = cells.iloc[start:]
    if len(body) < 2 * _MIN_MEAN_GROUP_ROWS:
        return table
    filled = {}
    for column in cells.columns[:_MAX_GROUP_COLUMNS]:
        if _is_merged(body, column):
            filled[column] = body[column].where(body[column] != "").ffill().fillna("")
            name = cells[column].iloc[header] or f"column {column + 1}"
            reading.add_remark("filled_down", f"Each “{name}” is that of the rows below it, too.")
    if not filled:
        return _carry_years(_join_year_rows(table, start, reading), start)
    return replace(table, cells=_with_columns(cells, start, filled))


def _count_unit_rows(rows: pd.DataFrame) -> int:
    """Return how many rows below a header have units: only words, and none in the first column."""
    words = ((not row[0] and not any(map(is_numeric, row))) for row in rows.to_numpy().tolist())
    return sum(takewhile(bool, words))


def _is_merged(body: pd.DataFrame, column: int) -> bool:
    """Return whether a column has each name once, in the first of its rows.

    Another column restarts at each name: the cell next to each is the same, such as January.
    """
    cells = body[column]
    if (cells != "").all():
        return False
    distinct = cells.unique()
    is_total = cells.isin([*filter(_is_total, distinct)])
    if column + 1 in body:
        has_nothing_beside = (body[column + 1] == "") & (cells != "")
        is_total |= has_nothing_beside & cells.isin([*filter(is_total_label, distinct)])
    named_rows = body[(cells != "") & ~is_total]
    named_rows = named_rows[(named_rows.to_numpy() != "").sum(axis=1) > 1]  # else it is a note
    names = named_rows[column].tolist()
    if column + 1 in body and _are_days_of_intervals(names, body[column + 1]):
        return True
    if _are_dates_of_names(body, column, names):
        return True
    is_spread = len(names) >= 2 and len(names) * _MIN_MEAN_GROUP_ROWS <= len(body)
    if not is_spread or body[column].iloc[0] == "" or len({*names}) < len(names):
        return False
    are_years = all(map(read_year, names))
    if not are_years and any(is_numeric(name) or is_date(name) for name in names):
        return False
    others = named_rows.drop(columns=column).iloc[int(are_years) :]  # the first year may be a part
    labels = others.loc[:, (others != "").all() & (others.nunique() == 1)]
    return any(_is_label(labels[other].iloc[0]) for other in labels)


def _are_days_of_intervals(days: Sequence[str], clocks: pd.Series) -> bool:
    """Return whether there are a few dates next to times of day, or hours that are counted."""
    timed = sum(map(bool, map(_CLOCK.match, clocks)))
    if not timed and is_numeric(clocks.iloc[0]):
        steps = pd.to_numeric(clocks, errors="coerce").diff()
        timed = int((steps == 1).sum()) + len(days)
    return (
        len(days) >= _MIN_INTERVAL_DAYS
        and len({*days}) == len(days)
        and len(days) * _MIN_MEAN_GROUP_ROWS <= timed
        and all(map(is_written_date, days))
        and timed >= _MIN_TIMED_ROW_FRACTION * len(clocks)
    )


def _are_dates_of_names(body: pd.DataFrame, column: int, dates: Sequence[str]) -> bool:
    """Return whether each date is next to the first of a few names, which repeat for each date."""
    is_spread = 1 < len(dates) <= len(body) / _MIN_NAMES_PER_DATE and body[column].iloc[0] != ""
    if not is_spread or not all(is_written_date(cell) or is_yearless(cell) for cell in dates):
        return False
    groups = (body[column] != "").cumsum()
    for _, names in body.loc[:, body.columns > column].iloc[:, :_MAX_GROUP_COLUMNS].items():
        filled = names[names != ""]
        min_filled = max(
            _MIN_ROWS_PER_NAME * filled.nunique(), _MIN_NAMED_ROW_FRACTION * len(names)
        )
        is_once_each = not pd.DataFrame({"of": groups, "name": filled}).dropna().duplicated().any()
        if len(filled) >= min_filled and is_once_each and not any(map(is_numeric, filled.unique())):
            return True
    return False


def _is_total(cell: str) -> bool:
    words = cell.strip("0123456789 ")
    return bool(words) and len(cell) <= _MAX_TOTAL_LENGTH and bool(TOTAL_LABEL.fullmatch(words))


def _is_label(cell: str) -> bool:
    is_part = is_yearless(cell) or QUARTER_OF_YEAR.fullmatch(cell)
    return bool(is_part or is_date(cell) or cell in {"1", "01"})


def _carry_years(table: Table, start: int) -> Table:
    """Return the table with years after months and quarters below the first one of each year.

    The first one has the year, and the others follow in order: 2023 Q4, 2024 Q1, Q2.
    """
    first = table.cells[0].iloc[start:]
    if not is_mostly(first.iloc[:SAMPLE_CELLS].tolist(), is_part_of_year):
        return table
    read = date_reader()
    is_part = first.map(is_part_of_year)
    dates = first[~is_part].map(read)
    granularity = {date.granularity if date else None for date in dates}
    if (
        len(dates) < 2
        or is_part.iloc[0]
        or not granularity <= {DateGranularity.MONTH, DateGranularity.QUARTER}
    ):
        return table
    years = dates.map(lambda date: str(np.datetime64(date.seconds, "s"))[:4])
    with_years = first.where(~is_part, first + " " + years.reindex(first.index).ffill())
    seconds = [date.seconds for date in map(read, with_years) if date]
    if len(seconds) < len(first) or any(later <= earlier for earlier, later in pairwise(seconds)):
        return table
    return replace(table, cells=_with_columns(table.cells, start, {0: with_years}))


def _join_year_rows(table: Table, start: int, reading: Reading) -> Table:
    """Return the table with years that are above their months, as in Excel, after each of these.

    Rows of years, and of quarters between them, have the totals of their months.
    """
    first = table.cells[0].iloc[start:]
    if not read_year(first.iloc[0]):
        return table
    labels = first.str.replace(_MONTHS_SO_FAR, "", regex=True)
    is_year = labels.map(read_year).notna().to_numpy()
    is_quarter = first.map(QUARTER_OF_YEAR.fullmatch).notna().to_numpy()
    is_month = first.map(is_yearless).to_numpy(dtype=bool)
    if is_month.sum() < _MIN_MONTH_FRACTION * np.count_nonzero(~is_quarter):
        return table
    years = labels.where(is_year).ffill()
    dates = join_years(years[is_month], first[is_month], reading, parts_first=True)
    cells = _with_columns(table.cells, start, {0: dates.reindex(first.index).fillna(first)})
    keep = np.concatenate([np.ones(start, dtype=bool), ~is_year & ~is_quarter])
    return replace(table, cells=cells[keep])


def _with_columns(cells: pd.DataFrame, start: int, columns: dict[int, pd.Series]) -> pd.DataFrame:
    changed = cells.copy()
    for column, values in columns.items():
        changed.iloc[start:, column] = values.to_numpy()
    return changed
