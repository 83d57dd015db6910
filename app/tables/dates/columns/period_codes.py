"""Find columns of periods in forms that may be numbers or codes, such as 202352 and 1H24."""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pandas as pd

from app.tables.dates.cells import is_date, is_yearless
from app.tables.dates.columns.date_columns import DateColumns, DateKind, join_columns, one_column
from app.tables.dates.columns.sample import MAX_COLUMNS_TRIED, ColumnSample
from app.tables.dates.counted_periods import COUNTED_UNITS, NTH
from app.tables.dates.fiscal import FISCAL_YEAR, split_fiscal_month
from app.tables.dates.month_names import month_of
from app.tables.dates.year_patterns import MODERN_YEAR
from app.tables.dates.yearless import has_short_years
from app.tables.table import is_mostly

_MIN_FORM_FRACTION = 0.9  # of the cells of a column; the others may be totals and notes
_MIN_MONTHS_ACROSS = 3
_DAY_MONTH = re.compile(r"\d{3,4}", re.ASCII)
_SLASHED_WEEK = re.compile(r"\d{1,2}/(?:\d{2}|\d{4})", re.ASCII)
_JOINED_WEEK = re.compile(
    rf"^({MODERN_YEAR})(?:[-/;]?(0[1-9]|[1-4]\d|5[0-3])|[-/;]([1-9]))$", re.ASCII
)
_MAX_PERIOD = 16  # of a fiscal year: 13 months of four weeks, or four after December
_NUMBERED_QUARTER = re.compile(
    rf"({MODERN_YEAR})(?:(?:[-/.]|KW)0?)?([1-4])(?: ?\(?[prse]\d?\)?/?)?", re.ASCII | re.IGNORECASE
)
# 2024/03, 2024/04 and 2025/01 may be months with gaps; six periods that go from 4 to 1 are
# quarters.
_MIN_QUARTERS = 6
_MIN_QUARTER_FRACTION = 0.8
_ORDINAL_DAY = re.compile(rf"^({MODERN_YEAR})-?([0-3]\d{{2}})(?=$|[T ])", re.ASCII)
_JOINED_DAY = re.compile(r"^(\d\d)(\d\d)(\d\d)$", re.ASCII)
_JOINED_DAY_FORMS = {"%y%m%d": r"\3.\2.\1", "%d%m%y": r"\1.\2.\3", "%m%d%y": r"\2.\1.\3"}
_MIN_JOINED_DAYS = 4
HALF_CODE = re.compile(r"([12])H ?'?(\d{4}|\d{2})", re.ASCII)  # 1h24 may be a duration


def find_kind(
    kind: DateKind, fits: Callable[[str], object], columns: ColumnSample
) -> DateColumns | None:
    """Find the first column of dates of a kind."""
    return _find_column(columns, lambda i: columns.is_mostly(i, fits), kind)


def find_short_years(columns: ColumnSample) -> DateColumns | None:
    """Find months with a year of two digits, such as Jan 22."""

    def has_months(index: int) -> bool:
        return has_short_years(columns.first_cells[index]) and columns.has_numbers_beside(index)

    return _find_column(columns, has_months, DateKind.YEARLESS)


def find_half_codes(columns: ColumnSample) -> DateColumns | None:
    """Find half-years such as 1H24."""

    def has_halves(index: int) -> bool:
        is_changing = len({*columns.spread_cells[index]}) > 1
        return is_changing and columns.is_mostly(index, HALF_CODE.fullmatch, _MIN_FORM_FRACTION)

    def normalize(cells: pd.Series) -> pd.Series:
        return cells.str.replace(HALF_CODE, r"H\1 \2", regex=True)

    return _find_column(columns, has_halves, normalize=normalize)


def find_numbered_quarters(columns: ColumnSample) -> DateColumns | None:
    """Find quarters such as 2024/03, 2024/04 r1/ and 20244: after number 4 comes number 1."""

    def has_quarters(index: int) -> bool:
        cells = columns.first_cells[index]
        matches = [match for match in map(_NUMBERED_QUARTER.fullmatch, cells) if match]
        numbers = [4 * int(match[1]) + int(match[2]) for match in matches]
        steps = {following - number for number, following in pairwise(numbers)}
        min_count = max(_MIN_QUARTERS, _MIN_QUARTER_FRACTION * sum(map(bool, cells)))
        is_series = len(numbers) >= min_count and steps in ({1}, {-1})
        return is_series and columns.has_numbers_beside(index)

    return _find_column(columns, has_quarters, normalize=_normalize_quarters)


def find_ordinal_days(columns: ColumnSample) -> DateColumns | None:
    """Find days of the year such as 2024-032 and 2024032, in a column that is named like a date.

    Numbers of documents look like this, too.
    """

    def has_days(index: int) -> bool:
        are_days = columns.is_mostly(index, _ORDINAL_DAY.match, _MIN_FORM_FRACTION)
        return are_days and _is_only_date(columns, index) and columns.has_numbers_beside(index)

    return _find_column(columns, has_days, normalize=normalize_ordinal_days)


def normalize_ordinal_days(cells: pd.Series) -> pd.Series:
    """Write days of the year as days of a month, with what follows them."""

    def normalize(match: re.Match[str]) -> str:
        first, days = dt.date(int(match[1]), 1, 1), dt.timedelta(int(match[2]) - 1)
        day = first + days
        return str(day) if day.year == first.year else match[0]

    return cells.str.replace(_ORDINAL_DAY, normalize, regex=True)


def find_joined_weeks(columns: ColumnSample) -> DateColumns | None:
    """Find weeks such as 202352: their numbers are beyond those of months, or they are named so.

    Numbers of documents look like 2023-52, too, so these have to be named like dates.
    """
    for index, cells in enumerate(columns.spread_cells[:MAX_COLUMNS_TRIED]):
        is_named = columns.is_named(index, "weeks")
        if is_named and is_mostly(cells, _SLASHED_WEEK.fullmatch, _MIN_FORM_FRACTION):
            return one_column(index, normalize=_normalize_weeks)
        if len(cells) > 1 and is_mostly(cells, _JOINED_WEEK.fullmatch, _MIN_FORM_FRACTION):
            matches = filter(None, map(_JOINED_WEEK.fullmatch, cells))
            is_beyond = any(int(match[2] or match[3]) > _MAX_PERIOD for match in matches)
            if is_mostly(cells, str.isdigit):
                is_week = columns.is_steady(index)
            else:
                is_week = is_named or _is_only_date(columns, index)
            if (is_named or is_beyond) and is_week and columns.has_numbers_beside(index):
                return one_column(index, normalize=_normalize_joined_weeks)
    return None


def find_week_numbers(columns: ColumnSample) -> DateColumns | None:
    """Find a column that is named after weeks and counts them, without a year."""
    week = columns.find_named("week")
    if week is None or not columns.has_numbers_beside(week):
        return None
    return one_column(week, DateKind.YEARLESS, _normalize_weeks)


def find_counted_periods(columns: ColumnSample) -> DateColumns | None:
    """Find a column that counts periods from 0 or 1 and is named after them.

    They may be in any order if it is named ``Nth day``. If they begin with 0000, one of several
    words of the name is enough: Google Analytics writes ``Día N.º``. Where months are side by side,
    days are those of a month.
    """
    if sum(map(bool, map(month_of, columns.names))) >= _MIN_MONTHS_ACROSS:
        return None
    for index, name in enumerate(columns.names[:MAX_COLUMNS_TRIED]):
        is_padded = columns.first_cells[index][:1] == ["0000"]
        words = [name, *(name.split() if is_padded else ())]
        named_units = (u for u, form in COUNTED_UNITS.items() if any(map(form.search, words)))
        unit = next(named_units, None)
        is_nth = name.casefold().startswith(NTH)
        is_counted = (
            columns.is_mostly(index, str.isdigit) if is_nth else columns.is_row_counter(index)
        )
        if unit and is_counted and columns.has_numbers_beside(index):
            unit = NTH + unit if is_nth else unit
            return one_column(index, DateKind.COUNTED, partial(_add_unit, unit))
    return None


def find_days_and_months(columns: ColumnSample) -> DateColumns | None:
    """Find days and months in three or four digits, such as 3112, in a column named like a date."""

    def has_days(index: int) -> bool:
        if not (columns.is_named(index, "date") and columns.has_numbers_beside(index)):
            return False
        cells = columns.spread_cells[index]
        padded = [cell.zfill(4) for cell in cells if _DAY_MONTH.fullmatch(cell)]
        has_days_first = any(cell[:2] > "12" for cell in padded)
        is_filled = len(padded) >= _MIN_FORM_FRACTION * len(cells)
        are_days = all(is_yearless(f"{cell[:2]}.{cell[2:]}.") for cell in padded)
        return has_days_first and is_filled and are_days

    return _find_column(columns, has_days, DateKind.YEARLESS, _normalize_days)


def find_fiscal_months(columns: ColumnSample, *, has_dates: bool) -> DateColumns | None:
    """Find months such as FY23 Apr; without other dates, also columns of FY23 and of months."""

    def find_mostly(fits: Callable[[str], object]) -> int | None:
        searched = range(min(columns.width, MAX_COLUMNS_TRIED))
        return next((i for i in searched if columns.is_mostly(i, fits, _MIN_FORM_FRACTION)), None)

    fiscal_month = find_mostly(split_fiscal_month)
    if fiscal_month is not None:
        return one_column(fiscal_month, DateKind.FISCAL_MONTH)
    year = None if has_dates else find_mostly(FISCAL_YEAR.fullmatch)
    if year is None:
        return None
    months = (i for i in range(columns.width) if columns.is_mostly(i, month_of, _MIN_FORM_FRACTION))
    month = next((i for i in months if len({*columns.spread_cells[i]}) > 1), None)
    if month is None or not columns.has_numbers_beside(year, month):
        return None
    return replace(join_columns((year, month)), kind=DateKind.FISCAL_MONTH)


def find_joined_days(columns: ColumnSample) -> DateColumns | None:
    """Find days such as 240131, if they rise or fall in only one order of day, month and year."""

    def find_forms(index: int) -> list[str]:
        cells = pd.Series([c for c in columns.first_cells[index] if _JOINED_DAY.match(c)])
        days = {
            replacement: pd.to_datetime(cells, format=form, errors="coerce")
            for form, replacement in _JOINED_DAY_FORMS.items()
        }
        return [
            replacement
            for replacement, read in days.items()
            if read.nunique() >= _MIN_JOINED_DAYS
            and (read.is_monotonic_increasing or read.is_monotonic_decreasing)
        ]

    def has_days(index: int) -> bool:
        are_days = columns.is_mostly(index, _JOINED_DAY.match, _MIN_FORM_FRACTION)
        is_only = are_days and _is_only_date(columns, index) and columns.has_numbers_beside(index)
        return is_only and len(find_forms(index)) == 1

    dates = _find_column(columns, has_days)
    if dates is None:
        return None
    [column] = dates.columns
    [form] = find_forms(column)
    return one_column(column, normalize=lambda c: c.str.replace(_JOINED_DAY, form, regex=True))


def _find_column(
    columns: ColumnSample,
    fits: Callable[[int], bool],
    kind: DateKind = DateKind.FULL,
    normalize: Callable[[pd.Series], pd.Series] = lambda cells: cells,
) -> DateColumns | None:
    """Return the first column that fits; ``normalize`` writes its cells in a form that is known."""
    index = next((i for i in range(min(columns.width, MAX_COLUMNS_TRIED)) if fits(i)), None)
    return None if index is None else one_column(index, kind, normalize)


def _is_only_date(columns: ColumnSample, index: int) -> bool:
    """Return whether a column is named like a date, and no other column has dates."""
    others = [i for i in columns.find_fitting(is_date) if i != index]
    return columns.is_named(index, "date") and not others


def _normalize_days(cells: pd.Series) -> pd.Series:
    padded = cells.str.zfill(4)
    days = padded.str[:2] + "." + padded.str[2:] + "."
    return cells.where(~cells.str.fullmatch(_DAY_MONTH), days)


def _add_unit(unit: str, cells: pd.Series) -> pd.Series:
    return cells.where(~cells.str.fullmatch(r"\d{1,7}"), unit + " " + cells)


def _normalize_weeks(cells: pd.Series) -> pd.Series:
    return "KW " + cells


def _normalize_quarters(cells: pd.Series) -> pd.Series:
    matches = cells.map(_NUMBERED_QUARTER.fullmatch)
    quarters = matches.map(lambda match: match and f"{match[1]}-Q{match[2]}")
    return cells.where(matches.isna(), quarters)


def _normalize_joined_weeks(cells: pd.Series) -> pd.Series:
    def normalize(match: re.Match[str]) -> str:
        return f"{match[1]}-W{match[2] or match[3]:0>2}"

    return cells.str.replace(_JOINED_WEEK, normalize, regex=True)
