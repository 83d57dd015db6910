"""Days of a month across, beside a column with the numbers of months: write these as months."""

import calendar
import re
from dataclasses import replace

import numpy as np
import pandas as pd

from app.tables.dates.column_sample import ColumnSample
from app.tables.dates.header_row import find_header
from app.tables.pivots.clock import find_days
from app.tables.table import Table

_DAY = re.compile(
    r"(?:d|day|tag|jour|d[ií]a|giorno|dag|dzień|gün)?[ _.-]?0?([1-9]|[12]\d|3[01])",
    re.ASCII | re.IGNORECASE,
)
_MAX_REPEATED = 0.1  # fraction of rows with the name and the month of another one
_AFTER = 13  # rows without a month come after all others
_YEAR = re.compile(r"(?:19|20)\d{2}", re.ASCII)


def write_months(table: Table) -> Table:
    """Return a table of days across with its months as 2024-01, or as January without years.

    Without years, they are of one: each name has a month once, and the rows are put in their order.
    """
    cells = table.cells
    sample = ColumnSample(cells)
    names = [_plain_day(name) for name in sample.names]
    month = sample.find_named("month") if find_days(names) else None
    if month is None:
        return table
    header = find_header(cells)
    written = cells.copy()
    written.iloc[header] = names
    below = cells.iloc[header + 1 :]
    numbers = pd.to_numeric(below[month], errors="coerce")
    is_month = numbers.between(1, 12)
    years = (i for i in range(sample.width) if sample.is_named(i, "year"))
    year = next((i for i in years if sample.is_mostly(i, _YEAR.fullmatch, 0.9)), None)
    if year is not None:
        labels = below[year] + "-" + below[month].str.zfill(2)
        written.iloc[:, year] = ""
    else:
        others = [i for i, name in enumerate(names) if i != month and not _DAY.fullmatch(name)]
        if below[is_month].duplicated([*others, month]).mean() > _MAX_REPEATED:
            return table
        labels = numbers.where(is_month, 0).astype(int).map(lambda n: calendar.month_name[n])
    written.iloc[header + 1 :, month] = labels.where(is_month, below[month]).to_numpy()
    if year is None:
        order = np.argsort(numbers.where(is_month, _AFTER).to_numpy(), kind="stable")
        written = written.iloc[[*range(header + 1), *(header + 1 + order)]]
    return replace(table, cells=written)


def _plain_day(name: str) -> str:
    """Return ``1`` for ``D_01`` and the like, other names as they are."""
    match = _DAY.fullmatch(name)
    return match[1] if match else name
