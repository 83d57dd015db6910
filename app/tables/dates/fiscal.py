"""Read periods of fiscal years: the first day is asked for, or the year of months with names."""

import datetime as dt
import re
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter

import pandas as pd

from app.tables.dates.cells import MAX_DATE_LENGTH, ParsedDate, read_fiscal
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import join_years, reject_late_start
from app.tables.dates.year_patterns import FISCAL_PREFIX
from app.tables.reading import Choice, Reading
from app.timeseries.seconds import DAY_SECONDS, MONTHS_PER_YEAR

FISCAL_YEAR = re.compile(rf"{FISCAL_PREFIX} ?'?((?:19|20)?\d{{2}})", re.ASCII | re.IGNORECASE)
_FISCAL_MONTH = re.compile(
    rf"{FISCAL_YEAR.pattern}[- /,]*([^\W\d_]+)\.?|([^\W\d_]+)\.?[- /,]*{FISCAL_YEAR.pattern}",
    re.IGNORECASE,
)
# Months after the start of the calendar year at which fiscal years begin.
_FISCAL_OFFSETS = (0, -9, -6, -3)
_OFFSETS_IN_YEAR = (3, 6, 9, 0)  # of 2023/24, which begins in 2023
_BEGINS_IN_YEAR = re.compile(r"(?:19|20)?\d{2}[-–/]\d{2}", re.ASCII)  # 2023/24 begins in 2023
_EPOCH = dt.date(1970, 1, 1)


def read_fiscal_years(
    cells: Sequence[str], reading: Reading
) -> tuple[list[ParsedDate | None], int | None]:
    """Parse periods of fiscal years; ask for the day on which the first begins.

    Return them, and how many months they begin after the periods of the calendar year with the same
    number; None if they begin within a month.
    """
    dates = [*map(read_fiscal, cells)]
    periods = [date for date in dates if date is not None]
    earliest = min(periods, key=lambda date: date.seconds)
    label = cells[dates.index(earliest)]
    calendar_start = _EPOCH + dt.timedelta(seconds=earliest.seconds)
    offsets = _OFFSETS_IN_YEAR if _BEGINS_IN_YEAR.search(label) else _FISCAL_OFFSETS
    offered = [_months_after(calendar_start, offset) for offset in offsets]
    answered = reading.answers.start
    reading.ask(
        "start",
        f"On which day did {label} begin?",
        [Choice(str(day), f"on {day}", f"{label} is {day:%B %Y}") for day in offered if day],
        required=answered is None,
    )
    reject_late_start(answered)
    reading.chosen.start = answered
    start = answered or calendar_start
    years_moved = start.year - calendar_start.year
    moved = MONTHS_PER_YEAR * years_moved + start.month - calendar_start.month
    moved_dates = [date and _add_months(date, moved, start.day) for date in dates]
    return moved_dates, moved if start.day == 1 else None


def _add_months(date: ParsedDate, months: int, day_of_month: int) -> ParsedDate | None:
    day = _months_after(_EPOCH + dt.timedelta(seconds=date.seconds), months, day_of_month)
    return None if day is None else date._replace(seconds=(day - _EPOCH).days * DAY_SECONDS)


def _months_after(day: dt.date, months: int, day_of_month: int = 1) -> dt.date | None:
    """Return the day ``months`` later; None beyond the years 1 to 9999."""
    count = MONTHS_PER_YEAR * day.year + day.month - 1 + months
    if not dt.MINYEAR <= count // MONTHS_PER_YEAR <= dt.MAXYEAR:
        return None
    return dt.date(count // MONTHS_PER_YEAR, count % MONTHS_PER_YEAR + 1, day_of_month)


def split_fiscal_month(cell: str) -> tuple[str, str] | None:
    """Return the fiscal year and the name of the month in a cell such as ``FY23 Apr``."""
    match = _FISCAL_MONTH.fullmatch(cell) if len(cell) <= MAX_DATE_LENGTH else None
    if match is None:
        return None
    year, name = match[1] or match[4], match[2] or match[3]
    return (f"FY{year if len(year) > 2 else '20' + year}", name) if month_of(name) else None


def join_fiscal_months(cells: pd.Series, reading: Reading) -> pd.Series:
    """Return dates such as ``Apr 2022``; ask in which calendar year a fiscal one begins.

    A fiscal year begins with the month in which its number changes.
    """
    pairs = [split_fiscal_month(cell) or ("", "") for cell in cells]
    years, parts = (pd.Series(part, cells.index, dtype=object) for part in zip(*pairs, strict=True))
    dated = [pair for pair in pairs if pair[0]]
    changes = (neighbours for neighbours in pairwise(dated) if neighbours[0][0] != neighbours[1][0])
    _, first_name = next((max(neighbours, key=itemgetter(0)) for neighbours in changes), dated[0])
    first_month = month_of(first_name) or 1
    months_later = {n: ((month_of(n) or 0) - first_month) % MONTHS_PER_YEAR for n in {*parts}}
    names = sorted({*parts} - {""}, key=months_later.__getitem__)
    dates = join_years(years, parts, reading, parts_first=True, part_order=names)
    return dates.where(years != "", "")
