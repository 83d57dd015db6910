"""Days of a month across: write the months next to them, by name or by number, with their years."""

import calendar
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import pandas as pd

from app.tables.dates.columns.sample import is_name_of
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import COUNTED_MONTH, join_years_above, order_parts, read_year
from app.tables.pivots.clock import find_days
from app.tables.pivots.missing_years import date_labels, find_title_year
from app.tables.reading import Reading
from app.tables.samples import is_mostly
from app.tables.table import Table

_DAY = re.compile(
    r"(?:d|day|tag|jour|d[ií]a|giorno|dag|dzień|gün)?[ _.-]?0?([1-9]|[12]\d|3[01])",
    re.ASCII | re.IGNORECASE,
)
_MAX_COLUMNS_TRIED = 20
_SAMPLE_ROWS = 50
# Rows of one name differ in their month; if more of them repeat it, the columns are not days.
_MAX_REPEATED_ROW_FRACTION = 0.1


def date_month_rows(table: Table, row: int, reading: Reading) -> Table | None:
    """Return the table with years in the months before a row of days; None without such months.

    A column or a title has the years, or the first one is asked.
    """
    header = [_plain_day(cell) for cell in table.cells.iloc[row].tolist()]
    days = find_days(header)
    below = table.cells.iloc[row + 1 :]
    before = [*range(days[0])][:_MAX_COLUMNS_TRIED] if days else []
    month = _find_months(header, below, before)
    if month is None:
        return None
    numbers = {
        cell: int(cell) if COUNTED_MONTH.fullmatch(cell) else month_of(cell)
        for cell in below[month].unique()
    }
    rows = below[below[month].map(numbers.get).notna()]
    months = rows[month].map(
        lambda cell: calendar.month_name[int(cell)] if cell.isdigit() else cell
    )
    names = [i for i in before if i != month]
    year = next((i for i in names if is_mostly([*filter(None, rows[i])], read_year)), None)
    if year is None:
        title_year = find_title_year(table.cells.iloc[:row], reading)
        dates = _date_months(months, rows[names], title_year, reading)
    else:
        years = rows[year].where(rows[year] != "").ffill().fillna("")
        dates = join_years_above(years, months, reading)
    if dates is None:
        return None
    cells = table.cells.copy()
    cells.iloc[row] = header
    cells.loc[dates.index, month] = dates
    if year is not None:
        cells.loc[dates.index, year] = ""
    return replace(table, cells=cells)


def _find_months(header: Sequence[str], below: pd.DataFrame, columns: list[int]) -> int | None:
    """Return the column of the names of months, or of their numbers below such a name."""
    sample = below.iloc[:_SAMPLE_ROWS]
    named_columns = (i for i in columns if is_mostly(sample[i].tolist(), month_of))
    numbered_columns = (
        i
        for i in columns
        if is_name_of(header[i], "month") and is_mostly(sample[i].tolist(), COUNTED_MONTH.fullmatch)
    )
    return next(chain(named_columns, numbered_columns), None)


def _date_months(
    months: pd.Series, names: pd.DataFrame, title_year: int | None, reading: Reading
) -> pd.Series | None:
    """Return months with years; each name has one year, which may begin in any month.

    Without names, a month that is repeated is of the next year; with names, return None then.
    """
    of_names = names.groupby([*names.columns]).ngroup() if names.shape[1] else months.map(len) * 0
    is_again = pd.DataFrame({"name": of_names, "month": months}).duplicated()
    if is_again.mean() <= _MAX_REPEATED_ROW_FRACTION:
        labels = order_parts(of_names, months)
        dates = date_labels(labels, title_year, reading)
        return dates and months.map(dict(zip(labels, dates, strict=True)))
    dates = None if names.shape[1] else date_labels([*months], title_year, reading)
    return dates and pd.Series(dates, index=months.index, dtype=object)


def _plain_day(name: str) -> str:
    """Return ``1`` for ``D_01`` and the like, other names as they are."""
    match = _DAY.fullmatch(name)
    return match[1] if match else name
