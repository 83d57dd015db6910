"""Read tables with names and dates in one column, as in Excel's compact pivot tables: each item is
above its months."""

from dataclasses import replace

import numpy as np
import pandas as pd

from app.tables.dates.cells import is_written_date
from app.tables.numbers import is_numeric
from app.tables.results import Reading
from app.tables.table import Table, shorten
from app.tables.total_rows import TOTAL_LABEL
from app.timeseries.types import BoolArray, IntArray

_MAX_ROWS_ABOVE = 30
_MIN_NAMES = 2
_MIN_REPEATED_SHARE = 0.25  # of the rows: each item has the same dates
_MIN_SHARED_SHARE = 0.5  # of the dates of a name, that another one has
_MAX_SHOWN_NAMES = 4
_MAX_LABEL_LENGTH = 80


def split_name_rows(table: Table, reading: Reading) -> Table:
    """Return the table with names in a column of their own, and without the rows of their
    subtotals, if the first column has names above the same dates for each; report that."""
    if table.cells.shape[1] < 2:
        return table
    codes, distinct = pd.factorize(table.cells[0])
    if len(codes) - len(distinct) < _MIN_REPEATED_SHARE * len(codes):
        return table  # found early for most tables
    is_date = np.array([is_written_date(cell) for cell in distinct], dtype=bool)[codes]
    is_name = np.array([_is_name(cell) for cell in distinct], dtype=bool)[codes]
    head = _heads(is_name, is_date)
    return _split(table, head, is_date, reading) if _are_alike(codes, head, is_date) else table


def _is_name(cell: str) -> bool:
    is_text = 0 < len(cell) <= _MAX_LABEL_LENGTH and not is_numeric(cell)
    return is_text and not is_written_date(cell) and not TOTAL_LABEL.fullmatch(cell)


def _heads(is_name: BoolArray, is_date: BoolArray) -> IntArray:
    """Return the row of the name directly above the dates of each row, -1 without one."""
    rows = np.arange(is_name.size)
    is_first = is_date & np.concatenate([[False], ~is_date[:-1]])
    first = np.maximum.accumulate(np.where(is_first, rows, -1))
    above = np.maximum(first - 1, 0)
    heads: IntArray = np.where(is_date & (first > 0) & is_name[above], above, -1)
    return heads


def _are_alike(codes: IntArray, head: IntArray, is_date: BoolArray) -> bool:
    """Return whether all dates have a name above them, each name once, and the dates of each name
    are unique, and most of them are those of others."""
    heads = np.unique(head[is_date])
    if heads.size < _MIN_NAMES or heads[0] < 0 or np.unique(codes[heads]).size < heads.size:
        return False
    dates = pd.DataFrame({"date": codes[is_date], "name": head[is_date]})
    if dates.duplicated().any():
        return False
    is_shared = dates["date"].map(dates["date"].value_counts()) > 1
    return bool(is_shared.groupby(dates["name"]).mean().min() >= _MIN_SHARED_SHARE)


def _split(table: Table, head: IntArray, is_date: BoolArray, reading: Reading) -> Table:
    cells = table.cells[0].to_numpy(copy=True)
    heads = np.unique(head[is_date])
    names = np.where(is_date, cells[head], "")
    shown = [f"“{shorten(name)}”" for name in cells[heads[:_MAX_SHOWN_NAMES]].tolist()]
    more = f" and {heads.size - _MAX_SHOWN_NAMES:,} more" if heads.size > _MAX_SHOWN_NAMES else ""
    text = f"Names above their dates are series: {', '.join(shown)}{more}. Values in their own rows"
    rows = table.cells.index[heads].tolist()
    reading.add_remark("name_rows", f"{text} are left out, as subtotals.", rows)
    is_kept = np.ones(len(cells), dtype=bool)
    is_kept[heads] = False
    header = _header_above(table.cells.iloc[: heads[0]])
    if header is not None:
        names[header], cells[header] = cells[header], "date"
        is_kept[header + 1 : heads[0]] = False
    columns = [pd.Series(column, index=table.cells.index) for column in (cells, names)]
    whole = pd.concat([*columns, table.cells.iloc[:, 1:]], axis=1)
    return replace(table, cells=whole.set_axis(range(whole.shape[1]), axis=1)[is_kept])


def _header_above(rows: pd.DataFrame) -> int | None:
    """Return the position of the last row with several names and no number."""
    lines = rows.iloc[-_MAX_ROWS_ABOVE:].to_numpy().tolist()
    for back, line in enumerate(reversed(lines), 1):
        if sum(map(bool, line)) > 1:
            return None if any(map(is_numeric, line)) else len(rows) - back
    return None
