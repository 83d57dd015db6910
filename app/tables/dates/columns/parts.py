"""Find dates whose parts are in several columns, such as a year and a month."""

import datetime as dt
import re
from collections import Counter
from itertools import pairwise

import pandas as pd

from app.tables.answers import Answers, TableBounds
from app.tables.codes.key_names import is_named_thing
from app.tables.dates.cells import may_be_split, read_split_year
from app.tables.dates.columns.date_columns import (
    DateColumns,
    DateKind,
    join_columns,
    join_parts,
    one_column,
)
from app.tables.dates.columns.likely_dates import is_likely_date
from app.tables.dates.columns.period_codes import normalize_ordinal_days
from app.tables.dates.columns.sample import MAX_COLUMNS_TRIED, ColumnSample
from app.tables.dates.day_clock import DayClock
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import QUARTER_OF_YEAR, is_part_of_year, join_years
from app.tables.reading import Reading
from app.tables.table import is_mostly

_MAX_YEAR_COLUMNS_PAIRED = 50
_MIN_MONTH_CHANGES = 3  # fewer may be changes of a numbered store
_DAY_PART = re.compile(r"\d{1,3}", re.ASCII)
_CLOCK_DIGITS = re.compile(r"(?:(?:[01]?\d|2[0-3])?[0-5])?\d|2400", re.ASCII)
_PARTS_PER_DAY = {24, 48, 96, 144, 288}  # hours, and parts of 30, 15, 10 and 5 minutes
_DIGITS = re.compile(r"\d{1,4}", re.ASCII)
_YEAR = re.compile(r"(?:1[6-9]|2[01])\d{2}", re.ASCII)


def find_parts(columns: ColumnSample) -> DateColumns | None:
    """Find separate columns for the year and the month, quarter or week, perhaps day and hour."""
    years = (i for i in range(columns.width) if columns.is_filled_with(i, _YEAR.fullmatch))
    year = next(years, None)
    if year is None:
        return None
    named_months = _find_named_months(columns, year)
    if named_months is not None:
        return named_months
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
    return _find_days_of_years(columns, year) or _find_months_by_name(columns, year)


def _find_days_of_years(columns: ColumnSample, year: int) -> DateColumns | None:
    day = columns.find_named("day_of_year")
    if day is None or not columns.has_numbers_beside(year, day):
        return None
    return join_parts(
        (year, day), lambda years, days: normalize_ordinal_days(years + "-" + _pad_numbers(days, 3))
    )


def _find_months_by_name(columns: ColumnSample, year: int) -> DateColumns | None:
    """Find a column of the names of several months, anywhere besides the year."""
    months = (i for i in range(columns.width) if columns.is_mostly(i, month_of, 0.9))
    month = next((i for i in months if columns.has_several_values(i)), None)
    if month is None or not columns.has_numbers_beside(year, month):
        return None
    return join_columns(tuple(sorted((year, month))))


def find_calendar_parts(columns: ColumnSample) -> DateColumns | None:
    """Find columns for the year, month and day side by side, perhaps hour and minute.

    They are recognized by numbers that give consecutive dates. With a year in each row the numbers
    may be counts, so the columns of months or days must also be named like these.
    """
    for year in range(min(columns.width - 3, MAX_COLUMNS_TRIED)):
        if (
            columns.is_mostly(year, _YEAR.fullmatch, 0.9)
            and columns.is_number_of_part(year + 1, "month")
            and columns.is_number_of_part(year + 2, "day")
        ):
            taken = _with_clock(columns, [year, year + 1, year + 2])
            rows = _near_rows(columns, taken)
            follow = len(rows) > 1 and all(earlier <= later for earlier, later in pairwise(rows))
            is_named = columns.is_named(year + 1, "month") or columns.is_named(year + 2, "day")
            has_days = is_named or len({row[0] for row in rows}) < len(rows)
            if follow and has_days and columns.has_numbers_beside(*taken):
                return _join_counts(tuple(taken), "-", 2)
    return None


def _with_clock(columns: ColumnSample, taken: list[int]) -> list[int]:
    """Return the columns of days, and those of hours and minutes after them while dates repeat."""
    for part in ("hour", "minute"):
        following = taken[-1] + 1
        is_repeated = len({*_near_rows(columns, taken)}) < len(columns.first_cells[taken[0]])
        if (
            not is_repeated
            or following >= columns.width
            or not columns.is_number_of_part(following, part)
        ):
            break
        taken = [*taken, following]
    return taken


def find_clock_digits(columns: ColumnSample, date: int) -> DateColumns | None:
    """Find times such as 30 and 2330, each of them later than those before on the same day."""
    candidates = (i for i in range(columns.width) if i != date and columns.is_named(i, "clock"))
    time = next((i for i in candidates if columns.is_filled_with(i, _CLOCK_DIGITS.fullmatch)), None)
    if time is None or not columns.has_numbers_beside(date, time):
        return None
    rows = zip(columns.first_cells[date], columns.first_cells[time], strict=True)
    times = [(day, int(cell)) for day, cell in rows if _CLOCK_DIGITS.fullmatch(cell)]
    steps = [end - start for (day, start), (other, end) in pairwise(times) if day == other]
    are_sorted = bool(steps) and (min(steps) > 0 or max(steps) < 0)
    if not are_sorted or max(number for _, number in times) < 100:  # hours, or parts of days
        return None

    def join(days: pd.Series, digits: pd.Series) -> pd.Series:
        padded = digits.str.zfill(4)
        return days + " " + padded.str[:2] + ":" + padded.str[2:]

    return join_parts((date, time), join)


def find_day_parts(columns: ColumnSample, date: int) -> DateColumns | None:
    """Find a column that counts the parts of each day, such as 48 settlement periods."""
    others = [i for i in range(columns.width) if i != date]
    candidates = [i for i in others if columns.is_named(i, "day_part")]
    candidates += [i for i in others if not columns.names[i]]
    index = next((i for i in candidates if columns.is_mostly(i, _DAY_PART.fullmatch, 0.9)), None)
    if index is None or not columns.has_numbers_beside(date, index):
        return None
    counts: dict[str, set[int]] = {}
    for day, cell in zip(columns.first_cells[date], columns.first_cells[index], strict=True):
        if _DAY_PART.fullmatch(cell):
            counts.setdefault(day, set()).add(int(cell))
    first = min(map(min, counts.values()))
    complete_days = [*counts.values()][1:-1] or [*counts.values()]  # the first and last may be cut
    parts = Counter(
        len(numbers) for numbers in complete_days if max(numbers) - first + 1 == len(numbers)
    )
    count = parts.most_common(1)[0][0] if parts else 0
    if first not in (0, 1) or count not in _PARTS_PER_DAY:
        return None
    clock = DayClock(first, count)

    def join(rows: pd.DataFrame) -> pd.Series:
        times = clock.times(rows[date], pd.to_numeric(rows[index], errors="coerce"))
        return (rows[date] + " " + times).where(times.notna() & (rows[date] != ""), "")

    return DateColumns((date, index), DateKind.FULL, join)


def _near_rows(columns: ColumnSample, taken: list[int]) -> list[tuple[int, ...]]:
    rows = zip(*(columns.first_cells[index] for index in taken), strict=True)
    return [tuple(map(int, row)) for row in rows if all(map(_DIGITS.fullmatch, row))]


def find_split_years(columns: ColumnSample) -> DateColumns | None:
    """Find years that begin within a calendar year, such as 2019/20 and 2020/21."""
    for index, sample in enumerate(columns.spread_cells[:MAX_COLUMNS_TRIED]):
        if len(sample) > 1 and is_mostly(sample, read_split_year, 0.9):
            return one_column(index, DateKind.SPLIT_YEAR)
    return None


def find_parts_of_split_years(columns: ColumnSample) -> DateColumns | None:
    """Find years such as 2019/20 with a column of their quarters, or of their months."""
    split_year = find_split_years(columns)
    if split_year is None:
        return None
    [year] = split_year.columns
    others = [i for i in range(columns.width) if i != year]
    part = next((i for i in others if columns.is_mostly(i, is_part_of_year, 0.9)), None)
    if part is None or len({*columns.spread_cells[part]}) < 2:
        return None
    is_quarter = columns.is_mostly(part, QUARTER_OF_YEAR.fullmatch, 0.9)
    unseen = Reading(Answers(), TableBounds(dt.date.max))  # years of two numbers leave nothing open

    def join(rows: pd.DataFrame) -> pd.Series:
        years, parts = rows[year], rows[part]
        if is_quarter:
            parts = "Q" + parts.str[-1:]
        joined = join_years(years, parts, unseen, parts_first=False)
        return joined.where((years != "") & (parts != ""), "")

    return DateColumns((year, part), DateKind.FISCAL if is_quarter else DateKind.FULL, join)


def _find_named_months(columns: ColumnSample, year: int) -> DateColumns | None:
    """Find a column of days and one of the months' names, besides the year."""
    months = (i for i in range(columns.width) if columns.is_named(i, "month"))
    month = next((i for i in months if columns.is_mostly(i, month_of, 0.9)), None)
    day = columns.find_named("day")
    if month is None or day is None or not columns.has_numbers_beside(year, month, day):
        return None
    return join_columns((day, month, year))


def _join_counts(columns: tuple[int, ...], mark: str, width: int) -> DateColumns:
    """Combine a year and numbers of ``width`` digits: 2024-03, 2024-Q1, 2024-03-05 06:00."""

    def normalize(*parts: pd.Series) -> pd.Series:
        year, count, *others = (_pad_numbers(part, width) for part in parts)
        dates = year + mark + count
        for other, separator in zip(others, ("-", " ", ":"), strict=False):
            dates += separator + other
        if len(others) == 2:  # hours without minutes
            dates += ":00"
        return dates

    return join_parts(columns, normalize)


def _pad_numbers(cells: pd.Series, width: int) -> pd.Series:
    """Return counts with ``width`` digits: 003 as 03."""
    short = cells.where(~((cells.str.len() > width) & cells.str.startswith("0")), cells.str[1:])
    return short.str.zfill(width)


def _find_unnamed_month(columns: ColumnSample, year: int) -> int | None:
    """Find a column that counts months: each is one more than the previous one, or restarts.

    If each month has several rows, all twelve have to be there.
    """
    years = _numbers_near(columns, year)
    if years.nunique() in (0, years.count()):
        return None
    others = (index for index in range(columns.width) if index != year)
    return next((index for index in others if _has_months(columns, index, years)), None)


def _has_months(columns: ColumnSample, index: int, years: pd.Series) -> bool:
    if is_named_thing(columns.names[index]) or not columns.is_number_of_part(index, "month"):
        return False
    months = _numbers_near(columns, index)
    is_known = years.notna() & months.notna()  # totals below them have neither
    steps = (12 * years + months)[is_known].diff().iloc[1:]
    year_ends = steps[years[is_known].diff().iloc[1:].abs() == 1]
    if year_ends.size and not _lead_to_next_month(year_ends, 0.5):
        return False  # twelve stores or fewer in each year
    if _lead_to_next_month(steps, 0.8):
        return True
    changes = steps[steps != 0]
    has_all = pd.Series(columns.spread_cells[index]).str.lstrip("0").nunique() >= 12
    is_counted = changes.size >= _MIN_MONTH_CHANGES and _lead_to_next_month(changes, 0.9)
    return bool(has_all and is_counted)


def _numbers_near(columns: ColumnSample, index: int) -> pd.Series:
    return pd.to_numeric(pd.Series(columns.first_cells[index]), errors="coerce")


def _lead_to_next_month(steps: pd.Series, fraction: float) -> bool:
    """Return whether more than a fraction of the steps are one month; the newest may come first."""
    return bool(max((steps == 1).mean(), (steps == -1).mean()) > fraction)


def find_pair(columns: ColumnSample) -> DateColumns | None:
    """Find two adjacent columns that combine to dates, such as ``Jan 5``, ``2024``."""
    following = pairwise(range(min(columns.width, _MAX_YEAR_COLUMNS_PAIRED)))
    for pair in (pair for i, j in following for pair in ((i, j), (j, i))):
        cells = zip(*(columns.spread_cells[index] for index in pair), strict=True)
        dates = [f"{left} {right}" if left and right else "" for left, right in cells]
        are_dates = is_mostly(dates, lambda cell: is_likely_date(cell) and not may_be_split(cell))
        if are_dates and columns.has_numbers_beside(*pair):
            return join_columns(pair)
    return None
