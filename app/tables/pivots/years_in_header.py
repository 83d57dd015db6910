"""Write years next to months or quarters in a header into one row with them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pandas as pd

from app.tables.dates.cells import read_fiscal
from app.tables.dates.year_labels import have_one_word, join_years_above, read_year
from app.tables.pivots.labels import QUARTER_LABEL, is_month_or_quarter, is_period_label
from app.tables.pivots.period_header import MAX_ROWS_TRIED
from app.tables.reading import Reading
from app.tables.table import Table

_MIN_PERIODS = 3
_YEAR = re.compile(r"(?:19|20)\d{2}", re.ASCII)
_MAX_COLUMNS_TRIED = 20
_MONTH = re.compile(r"[0-9０-９]{1,2} ?月")
_ERA_YEAR = re.compile(r"[RHS](\d{1,2})|(11\d)", re.ASCII)  # in Taiwan, 2021 to 2030


def merge_years(table: Table, reading: Reading) -> Table:
    """Return the table with the years above months or quarters written into their row."""
    cells = table.cells
    rows = cells.iloc[:MAX_ROWS_TRIED].to_numpy().tolist()
    for lower, (upper, names) in enumerate(pairwise(rows), 1):
        dates = _date_years_below(upper, names, reading)
        if dates is not None:
            return replace(table, cells=_with_header(cells, lower, dates))
        parts = [column for column, name in enumerate(names) if is_month_or_quarter(name)]
        above = [upper[column] for column in parts]
        if len(parts) < _MIN_PERIODS or not above[0]:
            continue
        filled = [cell for cell in above if cell]
        are_quarters = all(QUARTER_LABEL.fullmatch(names[column]) for column in parts)
        if (all(map(read_year, filled)) and have_one_word(filled)) or (
            are_quarters and all(map(read_fiscal, filled))
        ):
            years = pd.Series(above, index=parts).replace("", None).ffill()
            labels = pd.Series(names)[parts]
            dates = join_years_above(years, labels, reading)
            if all(map(is_period_label, dates)):  # not Jan of 2024/25
                return replace(table, cells=_with_header(cells, lower, dates))
    return table


def _date_years_below(
    above: Sequence[str], names: Sequence[str], reading: Reading
) -> pd.Series | None:
    """Return the dates of years that repeat below each month or quarter; None for others."""
    below = {i: cell for i, cell in enumerate(names) if _YEAR.fullmatch(cell)}
    if len(below) < _MIN_PERIODS or len({*below.values()}) == len(below):
        return None
    parts = pd.Series([above[i] for i in below], index=[*below]).replace("", None).ffill()
    if parts.isna().any() or parts.nunique() < 2 or not parts.map(is_month_or_quarter).all():
        return None
    return join_years_above(pd.Series(below), parts, reading)


def _with_header(cells: pd.DataFrame, row: int, dates: pd.Series) -> pd.DataFrame:
    """Return the rows from one on, with dates in some of its columns."""
    merged = cells.iloc[row:].copy()
    merged.iloc[0, dates.index] = dates
    return merged


def mark_short_eras(table: Table) -> Table:
    """Return the table with 年 after years of eras that lack it, such as R5 or 112.

    The years follow each other, above months such as 1月 or in the first column below these.
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
    matches = {i: match for i, cell in enumerate(cells) if (match := _ERA_YEAR.fullmatch(cell))}
    years = [int(match[1] or match[2]) for match in matches.values()]
    if {later - earlier for earlier, later in pairwise(years)} != {1}:
        return cells
    return [f"{cell}年" if i in matches else cell for i, cell in enumerate(cells)]
