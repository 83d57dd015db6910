"""Find the column of dates, or several columns that combine to dates."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pandas as pd

from app.tables.codes.key_names import is_named_thing
from app.tables.dates.cells import (
    is_date,
    is_written_date,
    is_yearless,
    read_fiscal,
    read_serial,
)
from app.tables.dates.clocks import END_OF_INTERVAL, HAS_CLOCK, TIME_OF_DAY
from app.tables.dates.columns.likely import are_codes, is_likely_date
from app.tables.dates.columns.parts import (
    find_calendar_parts,
    find_day_parts,
    find_pair,
    find_parts,
    find_parts_of_seasons,
    find_seasons,
)
from app.tables.dates.columns.roc_dates import find_roc
from app.tables.dates.columns.sample import MAX_SINGLES, ColumnSample
from app.tables.dates.columns.thirteen_periods import find_thirteen_periods
from app.tables.dates.columns.types import DateColumns, join_columns, join_parts, one_column
from app.tables.dates.counted import COUNTED_UNITS, NTH
from app.tables.dates.fiscal_months import FISCAL_YEAR, split_fiscal_month
from app.tables.dates.kinds import DateKind
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import read_year
from app.tables.dates.yearless import has_short_years
from app.tables.samples import is_mostly

_MIN_MONTHS_ACROSS = 3
_MAX_OFFSETS = 2  # of one time zone
_DAY_MONTH = re.compile(r"\d{3,4}", re.ASCII)
_SLASHED_WEEK = re.compile(r"\d{1,2}/(?:\d{2}|\d{4})", re.ASCII)
_JOINED_WEEK = re.compile(
    r"^((?:19|20)\d{2})(?:[-/;]?(0[1-9]|[1-4]\d|5[0-3])|[-/;]([1-9]))$", re.ASCII
)
_MAX_PERIOD = 16  # of a fiscal year: 13 months of four weeks, or four after December
_NUMBERED_QUARTER = re.compile(
    r"((?:19|20)\d{2})(?:[-/.]|KW)0?([1-4])(?: ?\(?[prse]\d?\)?/?)?", re.ASCII | re.IGNORECASE
)
_MIN_QUARTERS = 6
HALF_CODE = re.compile(r"([12])H ?'?(\d{4}|\d{2})", re.ASCII)  # 1h24 may be a duration


def find_dates(
    cells: pd.DataFrame, wanted: int | None = None
) -> tuple[DateColumns | None, list[int]]:
    """Return the columns of dates, including ``wanted``, and all single candidates."""
    columns = ColumnSample(cells)
    written = columns.find_like(is_written_date)
    candidates = [
        index
        for index in written
        if not are_codes(columns.first_cells[index], columns.names[index])
    ]
    likely = [index for index in candidates if columns.is_mostly(index, is_likely_date)]
    candidates = likely or candidates
    changing = [
        i for i in candidates if len({*columns.spread_cells[i]} - {"", columns.names[i]}) > 1
    ]
    if wanted not in candidates:  # what is the same in all rows says when they were exported
        candidates = changing or candidates
    finders: tuple[Callable[[ColumnSample], DateColumns | None], ...] = (
        find_thirteen_periods,
        find_parts_of_seasons,
        find_seasons,
        partial(_find_fiscal_months, has_dates=bool(changing)),
        _find_joined_weeks,
        _find_numbered_quarters,
        _find_half_codes,
        lambda columns: _find_single(columns, [wanted] if wanted in candidates else candidates),
        find_roc,
        _find_short_years,  # before numbers that look like years
        find_parts,
        find_calendar_parts,
        find_pair,
        partial(_find_kind, DateKind.FISCAL, read_fiscal),
        _find_numeric,
        partial(_find_kind, DateKind.YEARLESS, is_yearless),
        _find_counted_week,
        _find_counted,
        _find_day_month,
    )
    all_dates = (finder(columns) for finder in finders)
    fitting = (
        dates for dates in all_dates if dates and (wanted is None or wanted in dates.columns)
    )
    return next(fitting, None), candidates


def _find_single(columns: ColumnSample, candidates: list[int]) -> DateColumns | None:
    if not candidates:
        return None
    # Beside 令和5年 may be a month.
    pair = find_pair(columns) if columns.is_mostly(candidates[0], read_year) else None
    return pair or _join_time(columns, candidates[0])


def _find_short_years(columns: ColumnSample) -> DateColumns | None:
    """Find months with a year of two digits, such as Jan 22."""
    for index, near in enumerate(columns.first_cells[:MAX_SINGLES]):
        if has_short_years(near) and columns.has_numbers_beside(index):
            return one_column(index, DateKind.YEARLESS)
    return None


def _join_time(columns: ColumnSample, date: int) -> DateColumns:
    """Combine a column of dates with one of times of day or hours, if there is one."""
    if columns.is_mostly(date, HAS_CLOCK.search):
        return one_column(date)
    others = (i for i in range(columns.width) if i != date)
    times = (i for i in others if columns.is_mostly(i, TIME_OF_DAY.fullmatch))
    time = next((i for i in times if columns.is_time_of_day(i, date)), None)
    if time is not None:
        return join_parts((date, time), lambda days, times: days + " " + _space_ends(times))
    parts = find_day_parts(columns, date)
    if parts is not None:
        return parts
    hour = columns.find_named("hour")
    return one_column(date) if hour is None else join_columns((date, hour), end=":00")


def _space_ends(times: pd.Series) -> pd.Series:
    """Return times of day with spaces before the ends of intervals; an offset stays as it is."""
    ends = times.str.extract(END_OF_INTERVAL, expand=False)
    if ends.nunique() <= _MAX_OFFSETS:
        return times
    return times.str.replace(END_OF_INTERVAL, r" - \1", regex=True)


def _find_numeric(columns: ColumnSample) -> DateColumns | None:
    """Find dates that look like numbers: years or serial numbers.

    Values can look like them, too: of two such columns take the one that is named like a date, else
    the first; beside dates without a year only one that is named so.
    """
    candidates = []
    for kind, fits in ((DateKind.FULL, is_date), (DateKind.SERIAL, read_serial)):
        fitting = (
            i
            for i in columns.find_like(fits)
            if columns.is_named(i, "date")
            or (
                columns.is_steady(i)
                and columns.are_likely_years(i)
                and not _is_named_otherwise(columns.names[i])
                and (kind is DateKind.FULL or columns.has_steps_of_dates(i))
            )
        )
        dates = (i for i in fitting if not are_codes(columns.first_cells[i], columns.names[i]))
        index = next((i for i in dates if columns.has_numbers_beside(i)), None)
        if index is not None:
            candidates.append((not columns.is_named(index, "date"), index, kind))
    if not candidates:
        return None
    is_unnamed, index, kind = min(candidates)
    yearless = columns.find_like(is_yearless)
    if is_unnamed and any(len({*columns.spread_cells[i]}) > 1 for i in yearless):
        return None
    return _join_time(columns, index) if kind is DateKind.FULL else one_column(index, kind)


def _is_named_otherwise(name: str) -> bool:
    """Return whether a column is one of things, or of the values of a period, such as Jan 22."""
    return is_named_thing(name) or is_yearless(name)


def _find_kind(
    kind: DateKind, fits: Callable[[str], object], columns: ColumnSample
) -> DateColumns | None:
    indices = columns.find_like(fits)
    return one_column(indices[0], kind) if indices else None


def _find_counted_week(columns: ColumnSample) -> DateColumns | None:
    """Find a column that is named after weeks and counts them, without a year."""
    week = columns.find_named("week")
    if week is None or not columns.has_numbers_beside(week):
        return None
    return one_column(week, DateKind.YEARLESS, _write_weeks)


def _find_counted(columns: ColumnSample) -> DateColumns | None:
    """Find a column that counts periods from 0 or 1 and is named after them.

    They may be in any order if it is named ``Nth day``. Above 0000 one of several words is enough:
    Google Analytics writes ``Día N.º``.

    Days of a month are counted, too, where months are side by side.
    """
    if sum(map(bool, map(month_of, columns.names))) >= _MIN_MONTHS_ACROSS:
        return None
    for index, name in enumerate(columns.names[:MAX_SINGLES]):
        is_padded = columns.first_cells[index][:1] == ["0000"]
        words = [name, *(name.split() if is_padded else ())]
        named_units = (u for u, named in COUNTED_UNITS.items() if any(map(named.search, words)))
        unit = next(named_units, None)
        is_nth = name.casefold().startswith(NTH)
        is_counted = columns.is_mostly(index, str.isdigit) if is_nth else columns.counts_up(index)
        if unit and is_counted and columns.has_numbers_beside(index):
            unit = NTH + unit if is_nth else unit
            return one_column(index, DateKind.COUNTED, partial(_with_unit, unit))
    return None


def _find_day_month(columns: ColumnSample) -> DateColumns | None:
    """Find days and months in three or four digits, such as 3112, in a column named like a date."""
    for index, sample in enumerate(columns.spread_cells[:MAX_SINGLES]):
        if columns.is_named(index, "date") and columns.has_numbers_beside(index):
            padded = [cell.zfill(4) for cell in sample if _DAY_MONTH.fullmatch(cell)]
            is_shown = any(cell[:2] > "12" for cell in padded)
            if is_shown and len(padded) >= 0.9 * len(sample) and all(map(_is_day_month, padded)):
                return one_column(index, DateKind.YEARLESS, _write_days)
    return None


def _is_day_month(cell: str) -> bool:
    return is_yearless(f"{cell[:2]}.{cell[2:]}.")


def _write_days(days: pd.Series) -> pd.Series:
    padded = days.str.zfill(4)
    return days.where(~days.str.fullmatch(_DAY_MONTH), padded.str[:2] + "." + padded.str[2:] + ".")


def _with_unit(unit: str, counts: pd.Series) -> pd.Series:
    return counts.where(~counts.str.fullmatch(r"\d{1,7}"), unit + " " + counts)


def _find_fiscal_months(columns: ColumnSample, *, has_dates: bool) -> DateColumns | None:
    """Find months such as FY23 Apr, or without other dates columns of FY23 and of months' names."""
    tried = range(min(columns.width, MAX_SINGLES))
    whole = next((i for i in tried if columns.is_mostly(i, split_fiscal_month, 0.9)), None)
    if whole is not None or has_dates:
        return None if whole is None else one_column(whole, DateKind.FISCAL_MONTH)
    year = next((i for i in tried if columns.is_mostly(i, FISCAL_YEAR.fullmatch, 0.9)), None)
    if year is None:
        return None
    months = (i for i in range(columns.width) if columns.is_mostly(i, month_of, 0.9))
    month = next((i for i in months if len({*columns.spread_cells[i]}) > 1), None)
    if month is None or not columns.has_numbers_beside(year, month):
        return None
    return replace(join_columns((year, month)), kind=DateKind.FISCAL_MONTH)


def _find_joined_weeks(columns: ColumnSample) -> DateColumns | None:
    """Find weeks such as 202352, beside months such as 202312 and periods: up to 53, or named so.

    Numbers of documents look like 2023-52, too, so these have to be named like dates.
    """
    for index, sample in enumerate(columns.spread_cells[:MAX_SINGLES]):
        if columns.is_named(index, "weeks") and is_mostly(sample, _SLASHED_WEEK.fullmatch, 0.9):
            return one_column(index, spell=_write_weeks)
        if len(sample) > 1 and is_mostly(sample, _JOINED_WEEK.fullmatch, 0.9):
            is_named = columns.is_named(index, "weeks")
            matches = filter(None, map(_JOINED_WEEK.fullmatch, sample))
            is_beyond = any(int(match[2] or match[3]) > _MAX_PERIOD for match in matches)
            are_digits = is_mostly(sample, str.isdigit)
            is_week = (
                columns.is_steady(index)
                if are_digits
                else is_named or _is_only_date(columns, index)
            )
            if (is_named or is_beyond) and is_week and columns.has_numbers_beside(index):
                return one_column(index, spell=_write_joined_weeks)
    return None


def _find_numbered_quarters(columns: ColumnSample) -> DateColumns | None:
    """Find quarters such as 2024/03 and 2024/04 r1/: after number 4 comes number 1."""
    for index, near in enumerate(columns.first_cells[:MAX_SINGLES]):
        matches = [match for match in map(_NUMBERED_QUARTER.fullmatch, near) if match]
        numbers = [4 * int(match[1]) + int(match[2]) for match in matches]
        steps = {after - before for before, after in pairwise(numbers)}
        if len(numbers) >= max(_MIN_QUARTERS, 0.8 * sum(map(bool, near))) and (
            steps in ({1}, {-1}) and columns.has_numbers_beside(index)
        ):
            return one_column(index, spell=_write_quarters)
    return None


def _is_only_date(columns: ColumnSample, index: int) -> bool:
    """Return whether a column is named like a date, and no other one has dates."""
    others = [i for i in columns.find_like(is_date) if i != index]
    return columns.is_named(index, "date") and not others


def _find_half_codes(columns: ColumnSample) -> DateColumns | None:
    """Find half-years such as 1H24."""
    for index, sample in enumerate(columns.spread_cells[:MAX_SINGLES]):
        if is_mostly(sample, HALF_CODE.fullmatch, 0.9) and len({*sample}) > 1:
            return one_column(index, spell=_write_halves)
    return None


def _write_halves(cells: pd.Series) -> pd.Series:
    return cells.str.replace(HALF_CODE, r"H\1 \2", regex=True)


def _write_weeks(cells: pd.Series) -> pd.Series:
    return "KW " + cells


def _write_quarters(cells: pd.Series) -> pd.Series:
    matches = cells.map(_NUMBERED_QUARTER.fullmatch)
    spelled = matches.map(lambda match: match and f"{match[1]}-Q{match[2]}")
    return cells.where(matches.isna(), spelled)


def _write_joined_weeks(cells: pd.Series) -> pd.Series:
    def write(match: re.Match[str]) -> str:
        return f"{match[1]}-W{match[2] or match[3]:0>2}"

    return cells.str.replace(_JOINED_WEEK, write, regex=True)
