"""Tables with the hours of a day across, or the days of a month: their labels as dates."""

import re

import pandas as pd

from app.tables.dates.cells import date_reader, is_written_date
from app.tables.results import DateOrder

_DAY = re.compile(r"\d{1,2}", re.ASCII)
MIN_PARTS = 12  # hours, or days of a month, side by side
_DASH = " ?[-\u2013] ?"
_HOUR = re.compile(
    rf"(?:h|he|hour|stunde|std\.?)? ?(\d{{1,2}})(?:[:h]00)?(?:{_DASH}\d{{1,2}})?",
    re.ASCII | re.IGNORECASE,
)
_CLOCK = r"([01]?\d|2[0-4])[:h]([0-5]\d)"
_TIME = re.compile(rf"{_CLOCK}(?:{_DASH}{_CLOCK})?", re.ASCII)  # with its end, such as 00:00–01:00
_LAST_HOURS, _LAST_DAYS = (23, 24), (28, 29, 30, 31)


def find_hours(header: list[str]) -> list[int]:
    """Return the columns of the hours of a day, or of parts of these; [] if there are none."""
    timed = [i for i, name in enumerate(header) if _TIME.fullmatch(name)]
    if len(timed) >= MIN_PARTS:
        return timed
    hours = [
        (i, int(match[1])) for i, name in enumerate(header) if (match := _HOUR.fullmatch(name))
    ]
    numbers = [hour for _, hour in hours]
    is_day = bool(numbers) and numbers == [*range(numbers[0], numbers[0] + 24)]
    return [i for i, _ in hours] if is_day and numbers[-1] in _LAST_HOURS else []


def find_days(header: list[str]) -> list[int]:
    """Return the columns 1, 2, … of the days of a month; [] if there are none."""
    days = [i for i, name in enumerate(header) if _DAY.fullmatch(name)]
    numbers = [int(header[i]) for i in days]
    is_month = numbers == [*range(1, len(numbers) + 1)] and len(numbers) in _LAST_DAYS
    return days if is_month else []


def is_month_label(cell: str) -> bool:
    """Return whether a cell is a month of a year."""
    date = date_reader()(cell) if is_written_date(cell) or "." in cell else None
    return date is not None and date.coarseness == 1


def join_hours(days: pd.Series, hours: pd.Series) -> pd.Series:
    """Return the times of days and of hours across; H1 to H24 are numbered by their ends."""
    labels = {name: _TIME.fullmatch(name) or _HOUR.fullmatch(name) for name in hours.unique()}
    ends = any(match and int(match[1]) == 24 for match in labels.values())
    has_start = any(match and int(match[1]) == 0 for match in labels.values())
    shift = 1 if ends and not has_start else 0

    def clock(name: str) -> str:
        match = labels[name]
        assert match is not None
        minutes = match[2] if match.re is _TIME else "00"
        return f" {int(match[1]) - shift:02}:{minutes}"

    return days + hours.map(clock)


def join_days(months: pd.Series, days: pd.Series) -> pd.Series:
    """Return the dates of months and the days written across."""
    starts = {}
    for label in months.unique():
        date = date_reader(DateOrder.MONTH)(label)
        start = pd.Timestamp(date.seconds, unit="s") if date else None
        starts[label] = f"{start:%Y-%m}-" if start is not None else ""
    return months.map(starts) + days.str.zfill(2)
