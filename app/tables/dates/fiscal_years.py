"""Read periods of fiscal years, whose first month is asked for."""

import datetime as dt
import re
from collections.abc import Sequence

from app.tables.dates.cells import ParsedDate, read_fiscal
from app.tables.results import Choice, Reading
from app.timeseries.calendar.frequency import DAY_SECONDS

# Months after the start of the calendar year at which fiscal years begin.
_FISCAL_OFFSETS, _OFFSETS_IN_YEAR = (0, -9, -6, -3), (3, 6, 9, 0)
_BEGINS_IN_YEAR = re.compile(r"(?:19|20)?\d{2}[-–/]\d{2}", re.ASCII)  # 2023/24 begins in 2023
_MIN_MONTH_DAYS = 28
_EPOCH = dt.date(1970, 1, 1)


def read_fiscal_years(
    cells: Sequence[str], reading: Reading
) -> tuple[list[ParsedDate | None], int | None]:
    """Parse periods of fiscal years; ask for the day on which the first begins.

    Return them, and how many months later they begin than periods of the calendar year with the
    same number, None if that is within a month.
    """
    dates = [*map(read_fiscal, cells)]
    periods = [date for date in dates if date is not None]
    first = min(periods, key=lambda date: date.seconds)
    label = cells[dates.index(first)]
    begin = _EPOCH + dt.timedelta(seconds=first.seconds)
    offsets = _OFFSETS_IN_YEAR if _BEGINS_IN_YEAR.search(label) else _FISCAL_OFFSETS
    offered = [_months_later(begin, offset) for offset in offsets]
    answered = reading.answers.start
    reading.ask(
        "start",
        f"On which day did {label} begin?",
        [Choice(str(day), f"on {day}", f"{label} is {day:%B %Y}") for day in offered if day],
        required=answered is None,
    )
    reading.chosen.start = answered
    start = answered or begin
    moved = 12 * (start.year - begin.year) + start.month - begin.month
    moved_dates = [date and _add_months(date, moved, start.day) for date in dates]
    return moved_dates, moved if start.day == 1 else None


def _months_later(day: dt.date, months: int, day_of_month: int = 1) -> dt.date | None:
    """Return the day ``months`` later; None beyond the years 1 to 9999."""
    count = 12 * day.year + day.month - 1 + months
    if not dt.MINYEAR <= count // 12 <= dt.MAXYEAR:
        return None
    return dt.date(count // 12, count % 12 + 1, min(day_of_month, _MIN_MONTH_DAYS))


def _add_months(date: ParsedDate, months: int, day_of_month: int) -> ParsedDate | None:
    day = _months_later(_EPOCH + dt.timedelta(seconds=date.seconds), months, day_of_month)
    return None if day is None else date._replace(seconds=(day - _EPOCH).days * DAY_SECONDS)
