"""Find the column of dates, or several columns that combine to dates."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import pandas as pd

from app.tables.dates.cells import (
    is_date,
    is_written_date,
    is_yearless,
    read_fiscal,
    read_season,
    read_serial,
)
from app.tables.dates.column_sample import MAX_SINGLES, ColumnSample
from app.tables.dates.month_names import month_of
from app.tables.samples import is_mostly

_MAX_PAIRS = 50
_YEAR = re.compile(r"(?:1[6-9]|2[01])\d{2}", re.ASCII)
_SLASHED_WEEK = re.compile(r"\d{1,2}/(?:\d{2}|\d{4})", re.ASCII)
_JOINED_WEEK = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|[1-4]\d|5[0-3])", re.ASCII)
_TIME_OF_DAY = re.compile(
    r"\d{1,2}[:h]\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?", re.ASCII | re.IGNORECASE
)
_HAS_CLOCK = re.compile(r"\d[:h]\d{2}", re.ASCII)


class DateKind(StrEnum):
    """How dates are written."""

    FULL = "full"
    SERIAL = "serial"
    YEARLESS = "yearless"
    FISCAL = "fiscal"
    SEASON = "season"


_DATE_TESTS: dict[DateKind, Callable[[str], object]] = {
    DateKind.FULL: is_date,
    DateKind.SERIAL: read_serial,
    DateKind.YEARLESS: is_yearless,
    DateKind.FISCAL: read_fiscal,
    DateKind.SEASON: lambda cell: read_season(cell) or is_date(cell),
}


@dataclass(frozen=True)
class DateColumns:
    """The columns of dates; ``join`` combines them for rows, with "" where a part is missing."""

    columns: tuple[int, ...]
    kind: DateKind
    join: Callable[[pd.DataFrame], pd.Series]

    def is_date(self, cell: str) -> bool:
        return bool(_DATE_TESTS[self.kind](cell))


def find_dates(
    cells: pd.DataFrame, wanted: int | None = None
) -> tuple[DateColumns | None, list[int]]:
    """Return the columns of dates, including ``wanted``, and all single candidates."""
    columns = ColumnSample(cells)
    candidates = columns.find_like(is_written_date)
    finders: tuple[Callable[[ColumnSample], DateColumns | None], ...] = (
        _find_seasons,
        _find_joined_weeks,
        lambda columns: _find_single(columns, [wanted] if wanted in candidates else candidates),
        _find_parts,
        _find_pair,
        partial(_find_kind, DateKind.FISCAL),
        _find_numeric,
        partial(_find_kind, DateKind.YEARLESS),
        _find_counted_week,
    )
    all_dates = (finder(columns) for finder in finders)
    fitting = (
        dates for dates in all_dates if dates and (wanted is None or wanted in dates.columns)
    )
    return next(fitting, None), candidates


def _one_column(index: int, kind: DateKind = DateKind.FULL) -> DateColumns:
    return DateColumns((index,), kind, lambda rows: rows[index])


def _join_columns(columns: tuple[int, ...], end: str = "") -> DateColumns:

    def join(rows: pd.DataFrame) -> pd.Series:
        first, *others = (rows[index] for index in columns)
        whole = first.str.cat(others, sep=" ") + end
        return whole.where(~(rows[list(columns)] == "").any(axis=1), "")

    return DateColumns(columns, DateKind.FULL, join)


def _find_single(columns: ColumnSample, candidates: list[int]) -> DateColumns | None:
    return _join_time(columns, candidates[0]) if candidates else None


def _join_time(columns: ColumnSample, date: int) -> DateColumns:
    """Combine a column of dates with one of times of day or hours, if there is one."""
    if columns.is_mostly(date, _HAS_CLOCK.search):
        return _one_column(date)
    others = (i for i in range(columns.width) if i != date)
    times = (i for i in others if columns.is_mostly(i, _TIME_OF_DAY.fullmatch))
    time = next((i for i in times if columns.is_time_of_day(i, date)), None)
    if time is not None:
        return _join_columns((date, time))
    hour = columns.find_named("hour")
    return _one_column(date) if hour is None else _join_columns((date, hour), end=":00")


def _find_numeric(columns: ColumnSample) -> DateColumns | None:
    """Find dates that look like numbers: years or serial numbers.

    Values can look like them, too: of two such columns take the one that is named like a date, else
    the first.
    """
    candidates = []
    for kind in (DateKind.FULL, DateKind.SERIAL):
        fitting = (
            i
            for i in columns.find_like(_DATE_TESTS[kind])
            if columns.is_steady(i) or columns.is_named(i, "date")
        )
        index = next((i for i in fitting if columns.has_numbers_beside(i)), None)
        if index is not None:
            candidates.append((not columns.is_named(index, "date"), index, kind))
    if not candidates:
        return None
    _, index, kind = min(candidates)
    return _join_time(columns, index) if kind is DateKind.FULL else _one_column(index, kind)


def _find_kind(kind: DateKind, columns: ColumnSample) -> DateColumns | None:
    indices = columns.find_like(_DATE_TESTS[kind])
    return _one_column(indices[0], kind) if indices else None


def _find_counted_week(columns: ColumnSample) -> DateColumns | None:
    """Find a column that is named after weeks and counts them, without a year."""
    week = columns.find_named("week")
    if week is None or not columns.has_numbers_beside(week):
        return None
    return DateColumns((week,), DateKind.YEARLESS, lambda rows: "KW " + rows[week])


def _find_seasons(columns: ColumnSample) -> DateColumns | None:
    """Find years that begin within a calendar year, such as 2019/20 and 2020/21."""
    for index, sample in enumerate(columns.sample[:MAX_SINGLES]):
        if len(sample) > 1 and is_mostly(sample, read_season, 0.9):
            return _one_column(index, DateKind.SEASON)
    return None


def _find_joined_weeks(columns: ColumnSample) -> DateColumns | None:
    """Find weeks such as 202352, beside months such as 202312: up to 53, or named so."""
    for index, sample in enumerate(columns.sample[:MAX_SINGLES]):
        if columns.is_named(index, "weeks") and is_mostly(sample, _SLASHED_WEEK.fullmatch, 0.9):
            return DateColumns((index,), DateKind.FULL, partial(_named_weeks, index))
        if len(sample) > 1 and is_mostly(sample, _JOINED_WEEK.fullmatch, 0.9):
            is_week = columns.is_named(index, "weeks") or any(cell[4:] > "12" for cell in sample)
            if is_week and columns.is_steady(index) and columns.has_numbers_beside(index):
                return DateColumns((index,), DateKind.FULL, partial(_spelled_weeks, index))
    return None


def _named_weeks(column: int, rows: pd.DataFrame) -> pd.Series:
    return "KW " + rows[column]


def _spelled_weeks(column: int, rows: pd.DataFrame) -> pd.Series:
    weeks = rows[column]
    return weeks.where(~weeks.str.fullmatch(_JOINED_WEEK), weeks.str[:4] + "-W" + weeks.str[4:])


def _find_parts(columns: ColumnSample) -> DateColumns | None:
    """Find separate columns for the year and the month, quarter or week, perhaps day and hour."""
    years = (i for i in range(columns.width) if columns.is_mostly(i, _YEAR.fullmatch, 0.9))
    year = next(years, None)
    if year is None:
        return None
    named = _find_named_months(columns, year)
    if named is not None:
        return named
    for part, mark, width in (("month", "-", 2), ("quarter", "-Q", 1), ("week", "-W", 2)):
        index = columns.find_named(part)
        if index is None and part == "month":
            index = _find_unnamed_month(columns, year)
        if index is None or not columns.has_numbers_beside(year, index):
            continue
        day = columns.find_named("day") if part == "month" else None
        if day is None or not columns.has_numbers_beside(year, index, day):
            return _join_counts((year, index), mark, width)
        hour = columns.find_named("hour")
        return _join_counts(
            (year, index, day) if hour is None else (year, index, day, hour), mark, width
        )
    return None


def _find_named_months(columns: ColumnSample, year: int) -> DateColumns | None:
    """Find a column of days and one of the months' names, beside the year."""
    months = (i for i in range(columns.width) if columns.is_named(i, "month"))
    month = next((i for i in months if columns.is_mostly(i, month_of, 0.9)), None)
    day = columns.find_named("day")
    if month is None or day is None or not columns.has_numbers_beside(year, month, day):
        return None
    return _join_columns((day, month, year))


def _pad_numbers(cells: pd.Series, width: int) -> pd.Series:
    """Return counts with ``width`` digits: 003 as 03."""
    short = cells.where(~((cells.str.len() > width) & cells.str.startswith("0")), cells.str[1:])
    return short.str.zfill(width)


def _join_counts(columns: tuple[int, ...], mark: str, width: int) -> DateColumns:
    """Combine a year and numbers of ``width`` digits: 2024-03, 2024-Q1, 2024-03-05 06:00."""

    def join(rows: pd.DataFrame) -> pd.Series:
        year, count, *others = (_pad_numbers(rows[index], width) for index in columns)
        whole = year + mark + count
        for other, before, after in zip(others, ("-", " "), ("", ":00"), strict=False):
            whole += before + other + after
        return whole.where(~(rows[list(columns)] == "").any(axis=1), "")

    return DateColumns(columns, DateKind.FULL, join)


def _find_unnamed_month(columns: ColumnSample, year: int) -> int | None:
    """Find a column that counts months: each is one more than the previous one, or restarts."""
    rows = len(columns.near[year])
    if rows <= len(set(columns.near[year])):
        return None
    for index in range(columns.width):
        if index != year and columns.is_count(index, "month"):
            months = pd.to_numeric(pd.Series(columns.near[index]), errors="coerce")
            if ((months.diff() % 12) == 1).sum() > 0.8 * (rows - 1):
                return index
    return None


def _find_pair(columns: ColumnSample) -> DateColumns | None:
    """Find two adjacent columns that combine to dates, such as ``Jan 5``, ``2024``."""
    for pair in _adjacent_pairs(min(columns.width, _MAX_PAIRS)):
        cells = zip(*(columns.sample[index] for index in pair), strict=True)
        dates = [f"{left} {right}" if left and right else "" for left, right in cells]
        if is_mostly(dates, is_written_date) and columns.has_numbers_beside(*pair):
            return _join_columns(pair)
    return None


def _adjacent_pairs(width: int) -> Iterator[tuple[int, int]]:
    for index in range(width - 1):
        yield index, index + 1
        yield index + 1, index
