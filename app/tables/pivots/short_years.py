"""Write months with a year of two digits that are side by side, such as Jan 22, as dates."""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from app.tables.dates.cells import is_yearless
from app.tables.dates.yearless import has_short_years, read_short_years
from app.tables.pivots.header import MAX_ROWS_TRIED
from app.tables.pivots.melt import Pivot
from app.tables.table import Table

_MIN_MONTHS = 3
_CAN_BE_MONTH = re.compile(r"[\s/]")  # keeps most numbers from being parsed


def date_short_years(table: Table) -> tuple[Table, Mapping[str, str]]:
    """Return the table with dates in its first row of such months, and what was written for each.

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
