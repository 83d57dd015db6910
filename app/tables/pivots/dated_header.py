"""Write periods side by side as dates: numbers, months such as Jan 22, and years above months."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dates.cells import (
    EXCEL_EPOCH,
    date_reader,
    is_written_date,
    is_yearless,
    read_fiscal,
)
from app.tables.dates.year_labels import have_one_word, join_years_above, read_year
from app.tables.dates.year_patterns import FULL_YEAR
from app.tables.dates.yearless import has_short_years, read_short_years
from app.tables.numbers.parsing import is_numeric
from app.tables.pivots.labels import QUARTER_LABEL, is_month_or_quarter, is_period_label
from app.tables.pivots.melt import Pivot
from app.tables.pivots.period_header import MAX_ROWS_TRIED
from app.tables.reading import Reading
from app.tables.table import Table
from app.timeseries.seconds import DAY_SECONDS

_MIN_SERIALS = 6  # fewer numbers may be regular by chance
_SERIAL_DAYS = range(30_000, 60_000)  # 1982 to 2064
# The days of periods.
_MONTHS = range(28, 32)
_QUARTERS = range(89, 93)
_YEARS = range(365, 367)
_MIN_MONTHS = 3
_JOINED = re.compile(r"(?:19|20)\d{4}(?:\d{2})?", re.ASCII)  # 202401 or 20240131
_CAN_BE_MONTH = re.compile(r"[\s/]")  # keeps most numbers from being parsed
_MIN_PERIODS = 3
_MAX_COLUMNS_TRIED = 20
_MONTH = re.compile(r"[0-9０-９]{1,2} ?月")
_ERA_YEAR = re.compile(r"[RHS](\d{1,2})|(11\d)", re.ASCII)  # in Taiwan, 2021 to 2030


class DatedHeader(NamedTuple):
    """A table with dates for the periods in its header.

    Attributes:
        written: What was written for each date; {} for serial numbers, which stay dates.
        serials: A sentence about serial numbers, "" without any.
    """

    table: Table
    written: Mapping[str, str] = {}
    serials: str = ""


def date_header(table: Table) -> DatedHeader:
    """Return the table with dates for numbers, or for months such as Jan 22, in a row of periods.

    Numbers have to be in the first row that has any.
    """
    rows = table.cells.iloc[:MAX_ROWS_TRIED].to_numpy().tolist()
    first_data = next((i for i, row in enumerate(rows) if any(map(_is_above_data, row))), len(rows))
    kinds = (
        (_serial_dates, rows[: first_data + 1]),
        (_joined_dates, rows[: first_data + 1]),
        (_short_year_dates, rows),
    )
    candidates = (
        (position, find_dates is _serial_dates, dates)
        for find_dates, tried in kinds
        for position, row in enumerate(tried)
        if (dates := find_dates(row))
    )
    position, are_serials, dates = next(candidates, (0, False, {}))
    if not dates:
        return DatedHeader(table)
    cells = table.cells.copy()
    cells.iloc[position, [*dates]] = [*dates.values()]
    dated, written = replace(table, cells=cells), rows[position]
    if not are_serials:
        return DatedHeader(dated, {date: written[i] for i, date in dates.items()})
    column, date = next(iter(dates.items()))
    example = f"{written[column]} is {date}"
    text = f"The numbers side by side are dates, Excel's serial numbers: {example}."
    return DatedHeader(dated, serials=text)


def _serial_dates(row: Sequence[str]) -> dict[int, str]:
    """Return the dates of regular serial numbers in a row, by column; {} for others."""
    serials = {i: int(cell) for i, cell in enumerate(row) if _is_serial(cell)}
    if len(serials) < _MIN_SERIALS or not _are_regular([*serials.values()]):
        return {}
    return {i: str(np.datetime64(day - EXCEL_EPOCH, "D")) for i, day in serials.items()}


def _is_above_data(cell: str) -> bool:
    return cell != "" and (is_written_date(cell) or is_numeric(cell) or is_yearless(cell))


def _is_serial(cell: str) -> bool:
    return len(cell) == 5 and cell.isascii() and cell.isdecimal() and int(cell) in _SERIAL_DAYS


def _joined_dates(row: Sequence[str]) -> dict[int, str]:
    """Return months, weeks or days such as 202401, 202353 and 20240131 as dates, by column."""
    numbers = {i: cell for i, cell in enumerate(row) if _JOINED.fullmatch(cell)}
    dates = _follow_each_other([*numbers.values()]) if len(numbers) >= _MIN_SERIALS else []
    return dict(zip(numbers, dates, strict=False))


def _follow_each_other(numbers: Sequence[str]) -> list[str]:
    """Return numbers as months, weeks or days that are regular; [] for others."""
    spellings = (
        [f"{number[:4]}-{number[4:]}" for number in numbers],
        [f"{number[:4]}-W{number[4:]}" for number in numbers],
        [f"{number[:4]}-{number[4:6]}-{number[6:]}" for number in numbers],
    )
    read = date_reader()
    for dates in spellings:
        days = [date.seconds // DAY_SECONDS for cell in dates if (date := read(cell))]
        is_falling = days[:1] > days[-1:]
        if len(days) == len(dates) and _are_regular(days[::-1] if is_falling else days):
            return dates
    return []


def _are_regular(serials: Sequence[int]) -> bool:
    """Return whether days are equally far apart, or the ends or beginnings of periods."""
    steps = {later - earlier for earlier, later in pairwise(serials)}
    return any(
        all(step in allowed for step in steps)
        for allowed in ({1}, {7}, {14}, _MONTHS, _QUARTERS, _YEARS)
    )


def _short_year_dates(row: Sequence[str]) -> dict[int, str]:
    """Return months such as Jan 22 as dates, by column; in a single one 22 could be a day."""
    likely = [cell if _CAN_BE_MONTH.search(cell) else "" for cell in row]
    seconds_by_column = {i: date.seconds for i, date in enumerate(read_short_years(likely)) if date}
    has_days = any(is_yearless(cell) for i, cell in enumerate(likely) if i not in seconds_by_column)
    are_months = len({*seconds_by_column.values()}) >= _MIN_MONTHS and not has_days
    if not are_months or not has_short_years([row[i] for i in seconds_by_column]):
        return {}
    return {i: str(np.datetime64(seconds, "s"))[:7] for i, seconds in seconds_by_column.items()}


def with_written_periods(pivot: Pivot, written: Mapping[str, str]) -> Pivot:
    """Return the pivot with its periods as written; the keys of ``written`` are dates."""
    if not pivot.header or not written:
        return pivot
    periods = [written.get(period, period) for period in pivot.header.periods]
    return replace(pivot, header=replace(pivot.header, periods=periods))


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
    below = {i: cell for i, cell in enumerate(names) if FULL_YEAR.fullmatch(cell)}
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
