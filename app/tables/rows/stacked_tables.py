"""Cut off what is below the first of several tables in one file."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from app.tables.dates.columns.date_columns import DateColumns
from app.tables.header.heading import Heading, names_in
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.reading import Reading
from app.tables.table import Table, is_mostly

_MIN_HEADER_PERIODS = 3
_MAX_HEADERS_COMPARED = 1_000  # each takes 4 ms


def keep_first_table(
    table: Table, heading: Heading, dates: DateColumns, reading: Reading
) -> Heading:
    """Return the heading with the rows of the first table.

    Another table begins where the name of the dates is repeated next to other names of numbers. A
    header with the same names begins another page of the first table.
    """
    body = heading.body
    column = dates.columns[0]
    names, name_row = _name_of_dates(table, heading, column)
    if not names:
        return heading
    cells = body.to_numpy()
    numeric: set[int] = set()  # columns of the first page, as pages may be many
    compared: set[tuple[str, ...]] = set()
    for position in np.flatnonzero((body[column] == names).to_numpy()).tolist():
        row = cells[position].tolist()
        filled = [cell for cell in row if not is_missing(cell)]
        start = position - name_row
        if start < 1 or len(filled) < 2 or any(map(is_numeric, filled)):
            continue
        repeated = body.iloc[start : start + heading.row_count]
        header = tuple(repeated.to_numpy().ravel().tolist())
        if header in compared:
            continue
        compared.add(header)
        if len(compared) > _MAX_HEADERS_COMPARED:
            break
        above = body.iloc[:start]
        numeric = numeric or {n for n in body if is_mostly(above[n].tolist(), is_numeric)}
        pairs = enumerate(zip(names_in(repeated), heading.written, strict=True))
        if numeric & {n for n, (cell, name) in pairs if cell.casefold() != name.casefold()}:
            _report_other_table(body.index[start:], reading)
            return replace(heading, body=above)
    return heading


def _name_of_dates(table: Table, heading: Heading, column: int) -> tuple[str, int]:
    cells = table.cells[column]
    rows = cells[cells.index <= heading.row].tolist()[-heading.row_count :]
    return next(((cell, name_row) for name_row, cell in enumerate(rows) if cell), ("", 0))


def cut_stacked_pivots(
    table: Table, rows: range, is_period: Callable[[str], object], reading: Reading
) -> Table | None:
    """Return a table without the rows that repeat a header of periods; None if there are none.

    If the labels next to the periods are the same below such a row, another table begins there, and
    only the first is kept; otherwise it is the header of another page.

    ``rows``: the positions of rows that may be the first header.
    """
    cells = table.cells
    grid = cells.to_numpy()
    for position, row in zip(rows, grid[rows.start : rows.stop].tolist(), strict=True):
        periods = [column for column, cell in enumerate(row) if cell and is_period(cell)]
        filled = sum(map(bool, row))
        if len(periods) < _MIN_HEADER_PERIODS or 2 * len(periods) < filled:
            continue
        header = np.array([row[column] for column in periods], dtype=object)
        # As one array: pandas is slow with 5,000 columns.
        is_header = np.asarray((grid[:, periods] == header).all(axis=1), dtype=bool)
        is_header[:position] = False
        headers = np.flatnonzero(is_header).tolist()
        if len(headers) < 2:
            continue
        is_header[position] = False
        other = _find_other_table(cells, headers, periods)
        if other is None:
            return replace(table, cells=cells[~is_header])
        _report_other_table(cells.index[other:], reading)
        kept = cells.iloc[:other][~is_header[:other]]
        last = len(kept)
        while last > position + 1 and not any(map(is_numeric, kept.iloc[last - 1])):
            last -= 1  # without the title of the other table
        return replace(table, cells=kept.iloc[:last])
    return None


def _report_other_table(rows: pd.Index, reading: Reading) -> None:
    text = f"Another table begins in {reading.row_label(int(rows[0]))}: only the first is read."
    reading.add_remark("stacked_tables", text, rows.tolist())


def _find_other_table(
    cells: pd.DataFrame, headers: Sequence[int], periods: Sequence[int]
) -> int | None:
    """Return the first header below which labels of the first page are repeated."""
    labels = cells.iloc[:, : periods[0]]  # to the right of the periods may be totals
    others = cells.drop(columns=cells.columns[periods]) if labels.empty else labels
    first, *later = pairwise([*headers, len(cells)])
    first_labels = _row_labels(others.iloc[first[0] + 1 : first[1]])
    for start, end in later:
        if not first_labels.isdisjoint(_row_labels(others.iloc[start + 1 : end])):
            return start
    return None


def _row_labels(cells: pd.DataFrame) -> set[tuple[str, ...]]:
    return {tuple(row) for row in cells.to_numpy().tolist() if any(row)}
