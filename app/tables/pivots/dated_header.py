"""Write periods side by side as dates: numbers such as 45322 and 202401, months such as Jan 22."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from app.tables.dates.cells import EXCEL_EPOCH, date_reader, is_written_date, is_yearless
from app.tables.dates.yearless import has_short_years, read_short_years
from app.tables.numbers.parsing import is_numeric
from app.tables.pivots.melt import Pivot
from app.tables.pivots.period_header import MAX_ROWS_TRIED
from app.tables.table import Table
from app.timeseries.seconds import DAY_SECONDS

_MIN_SERIALS = 6  # fewer numbers may be regular by chance
_SERIAL_DAYS = range(30_000, 60_000)  # 1982 to 2064
_MONTHS, _QUARTERS, _YEARS = range(28, 32), range(89, 93), range(365, 367)
_MIN_MONTHS = 3
_JOINED = re.compile(r"(?:19|20)\d{4}(?:\d{2})?", re.ASCII)  # 202401 or 20240131
_CAN_BE_MONTH = re.compile(r"[\s/]")  # keeps most numbers from being parsed


def date_serials(table: Table) -> tuple[Table, str]:
    """Return the table with dates for serial numbers in its first row, and what to say of it.

    The numbers have to be regular. The sentence is "" if there are none, or if numbers or periods
    are above.
    """
    rows = table.cells.iloc[:MAX_ROWS_TRIED].to_numpy().tolist()
    for position, row in enumerate(rows):
        serials = {i: int(cell) for i, cell in enumerate(row) if _is_serial(cell)}
        if len(serials) >= _MIN_SERIALS and _are_regular([*serials.values()]):
            cells = table.cells.copy()
            for column, serial in serials.items():
                cells.iat[position, column] = str(np.datetime64(serial - EXCEL_EPOCH, "D"))
            example = f"{row[next(iter(serials))]} is {cells.iat[position, next(iter(serials))]}"
            text = f"The numbers side by side are dates, Excel's serial numbers: {example}."
            return replace(table, cells=cells), text
        if any(map(_is_above_data, row)):
            break
    return table, ""


def _is_above_data(cell: str) -> bool:
    return cell != "" and (is_numeric(cell) or is_written_date(cell) or is_yearless(cell))


def _is_serial(cell: str) -> bool:
    return len(cell) == 5 and cell.isascii() and cell.isdecimal() and int(cell) in _SERIAL_DAYS


def _are_regular(serials: Sequence[int]) -> bool:
    """Return whether days are equally far apart, or the ends or beginnings of periods."""
    steps = {later - earlier for earlier, later in pairwise(serials)}
    return any(
        all(step in allowed for step in steps)
        for allowed in ({1}, {7}, {14}, _MONTHS, _QUARTERS, _YEARS)
    )


def date_numbers(table: Table) -> tuple[Table, Mapping[str, str]]:
    """Return the table with dates for months, weeks or days such as 202401, 202353 and 20240131.

    They have to follow each other in the first row that has numbers. Also return what was written
    for each.
    """
    rows = table.cells.iloc[:MAX_ROWS_TRIED].to_numpy().tolist()
    for position, row in enumerate(rows):
        numbers = {i: cell for i, cell in enumerate(row) if _JOINED.fullmatch(cell)}
        if len(numbers) >= _MIN_SERIALS:
            dates = _follow_each_other([*numbers.values()])
            if dates:
                cells = table.cells.copy()
                cells.iloc[position, [*numbers]] = dates
                return replace(table, cells=cells), dict(zip(dates, numbers.values(), strict=True))
        if any(map(_is_above_data, row)):
            break
    return table, {}


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


def date_short_years(table: Table) -> tuple[Table, Mapping[str, str]]:
    """Return the table with months such as Jan 22 as dates, and what was written for each.

    Of a single cell ``22`` could be a day.
    """
    rows = table.cells.iloc[:MAX_ROWS_TRIED].to_numpy().tolist()
    for position, row in enumerate(rows):
        likely = [cell if _CAN_BE_MONTH.search(cell) else "" for cell in row]
        read = {i: date.seconds for i, date in enumerate(read_short_years(likely)) if date}
        has_days = any(is_yearless(cell) for i, cell in enumerate(likely) if i not in read)
        are_months = len({*read.values()}) >= _MIN_MONTHS and not has_days
        if are_months and has_short_years([row[i] for i in read]):
            dates = {i: str(np.datetime64(seconds, "s"))[:7] for i, seconds in read.items()}
            cells = table.cells.copy()
            cells.iloc[position] = [dates.get(i, cell) for i, cell in enumerate(row)]
            return replace(table, cells=cells), {dates[i]: row[i] for i in dates}
    return table, {}


def with_written_periods(pivot: Pivot, written: Mapping[str, str]) -> Pivot:
    """Return the pivot with its periods as the table came with them."""
    if not pivot.header or not written:
        return pivot
    periods = [written.get(period, period) for period in pivot.header.periods]
    return replace(pivot, header=replace(pivot.header, periods=periods))
