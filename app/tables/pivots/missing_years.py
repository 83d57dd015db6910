"""Date months, days, or months beside the days across, whose year is missing or beside them."""

import calendar
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np
import pandas as pd

from app.tables.dates.cells import match_form
from app.tables.dates.columns.date_columns import DateKind
from app.tables.dates.columns.sample import is_name_of
from app.tables.dates.forms import YEARLESS_FORMS
from app.tables.dates.month_names import month_of
from app.tables.dates.rows import read_dates
from app.tables.dates.year_labels import COUNTED_MONTH, join_years_above, order_parts, read_year
from app.tables.dates.year_patterns import MODERN_YEAR
from app.tables.numbers.parsing import is_numeric
from app.tables.pivots.clock import find_days
from app.tables.pivots.labels import WEEK_LABEL
from app.tables.reading import Reading
from app.tables.table import Table, is_mostly
from app.timeseries.calendar.fit import find_spacing

_MIN_LABELS = 3
_MAX_LABELS_SEARCHED = 1_000
# For years that name the rows.
_MAX_ROWS_SEARCHED = 50
_MAX_NAMES_SEARCHED = 20
# The fraction of labels that may follow a gap: every other month may be missing, but hardly a day.
_MAX_MONTH_GAP_FRACTION = 0.5
_MAX_DAY_GAP_FRACTION = 0.1
_MAX_YEARS_BACK = 60
_MAX_TITLE_LENGTH = 200
# Not in a date such as 02.11.2026, or a fiscal year such as 2025/26.
_YEAR = re.compile(rf"(?<![\w.,/:-]){MODERN_YEAR}(?!\w|[.,/:-]\d)", re.ASCII)
_LAST_WORD = re.compile(r"([^\W\d_]{1,30})\W{0,3}\Z")
_DAY = re.compile(
    r"(?:d|day|tag|jour|d[ií]a|giorno|dag|dzień|gün)?[ _.-]?0?([1-9]|[12]\d|3[01])",
    re.ASCII | re.IGNORECASE,
)
_MAX_COLUMNS_TRIED = 20
_SAMPLE_ROWS = 50
# Rows of one name differ in their month; if more of them repeat it, the columns are not days.
_MAX_REPEATED_ROW_FRACTION = 0.1


def date_yearless(table: Table, row: int, reading: Reading) -> Table | None:
    """Return the table with dates for the labels of a row without a year; None without such labels.

    The year of the first one is asked, unless the rows above or the name of the sheet have one.
    """
    header = table.cells.iloc[row].tolist()
    across = np.flatnonzero([_is_label(cell) for cell in header[:_MAX_LABELS_SEARCHED]])
    labels = [header[i] for i in across]
    if len({*labels}) < _MIN_LABELS:
        return None
    if all(map(WEEK_LABEL.fullmatch, labels)) and not _may_be_weeks(table, row, {*across.tolist()}):
        return None
    dates = date_labels(labels, find_title_year(table.cells.iloc[:row], reading), reading)
    if dates is None:
        return None
    cells = table.cells.copy()
    cells.iloc[row, across] = dates
    return replace(table, cells=cells)


def _may_be_weeks(table: Table, row: int, across: Collection[int]) -> bool:
    """Return whether labels such as V1 may be weeks: other columns name the rows, and not by years.

    If all columns have such labels, R has made them up.
    """
    below = table.cells.iloc[row + 1 : row + 1 + _MAX_ROWS_SEARCHED]
    others = [*islice((c for c in range(below.shape[1]) if c not in across), _MAX_NAMES_SEARCHED)]
    years = (is_mostly(below.iloc[:, c].tolist(), _YEAR.fullmatch) for c in others)
    return bool(others) and not any(years)


def _is_label(cell: str) -> bool:
    return bool(month_of(cell) or (not is_numeric(cell) and match_form(cell, YEARLESS_FORMS)))


def date_labels(
    labels: Sequence[str], title_year: int | None, reading: Reading
) -> list[str] | None:
    """Return labels with a year, as in ISO 8601; None if they are in no order."""
    column = pd.Series(labels, dtype=object)
    form = "M" if all(map(month_of, labels)) else "D"
    dated = read_dates(column, DateKind.YEARLESS, reading, title_year=title_year)
    steps = np.diff(dated.times).astype(np.int64)
    spacing = find_spacing(np.unique(dated.times))
    is_ordered = (steps >= 0).all() or (steps <= 0).all()
    if np.isnat(dated.times).any() or not is_ordered or not spacing:
        return None
    # Jan 22, Jan 23 and Jan 24 before Feb 22 are months of years that are not in order.
    if spacing.defect_count > (
        _MAX_MONTH_GAP_FRACTION if form == "M" else _MAX_DAY_GAP_FRACTION
    ) * len(labels):
        return None
    return [str(date) for date in dated.times.astype(f"datetime64[{form}]")]


def find_title_year(above: pd.DataFrame, reading: Reading) -> int | None:
    """Return the only year in the rows above a table and the name of its sheet, None without one.

    A year that is part of a date does not count.
    """
    years: set[int] = set()
    for title in (*above.to_numpy().ravel(), reading.chosen.sheet or ""):
        for match in _YEAR.finditer(title[:_MAX_TITLE_LENGTH]):
            last_word = _LAST_WORD.search(title[: match.start()])
            if not (last_word and month_of(last_word[1])):
                years.add(int(match[0]))
    this_year = reading.bounds.today.year
    likely_years = [year for year in years if this_year - _MAX_YEARS_BACK <= year <= this_year + 1]
    return likely_years[0] if len(likely_years) == 1 else None


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
