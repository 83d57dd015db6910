"""Mark years of eras without a sign of it, such as R5 or 112, next to months such as 1月."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from app.tables.pivots.period_header import MAX_ROWS_TRIED
from app.tables.table import Table

_MAX_COLUMNS_TRIED = 20
_MONTH = re.compile(r"[0-9０-９]{1,2} ?月")
_YEAR = re.compile(r"[RHS](\d{1,2})|(11\d)", re.ASCII)  # in Taiwan, 2021 to 2030


def mark_short_eras(table: Table) -> Table:
    """Return the table with 年 after such years, which follow each other.

    They are above the months, or in the first column below a row of months.
    """
    top = table.cells.iloc[:MAX_ROWS_TRIED, :_MAX_COLUMNS_TRIED].to_numpy()
    rows = [i for i, row in enumerate(top.tolist()) if any(map(_MONTH.fullmatch, row))]
    if not rows:
        return table
    cells = table.cells.copy()
    if rows[0]:
        cells.iloc[rows[0] - 1] = _mark_years(cells.iloc[rows[0] - 1].tolist())
    if len(rows) == 1:
        below = slice(rows[0] + 1, rows[0] + 1 + MAX_ROWS_TRIED)
        cells.iloc[below, 0] = _mark_years(cells.iloc[below, 0].tolist())
    return table if cells.equals(table.cells) else replace(table, cells=cells)


def _mark_years(cells: Sequence[str]) -> Sequence[str]:
    matches = {i: match for i, cell in enumerate(cells) if (match := _YEAR.fullmatch(cell))}
    years = [int(match[1] or match[2]) for match in matches.values()]
    if {later - earlier for earlier, later in pairwise(years)} != {1}:
        return cells
    return [f"{cell}年" if i in matches else cell for i, cell in enumerate(cells)]
