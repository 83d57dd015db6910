"""Series of timestamps for the tests of the calendar, made by Python's own dates."""

from calendar import monthrange
from datetime import datetime, timedelta

import pytest

from app.timeseries.calendar.fit import CalendarErrors, fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import TimeArray, parse_timestamps


def ticks(step: timedelta, count: int, start: str = "2024-01-01T00:00:00") -> list[str]:
    """Return ``count`` timestamps, ``step`` apart; 2024-01-01 is a Monday."""
    first = datetime.fromisoformat(start)
    return [(first + index * step).isoformat() for index in range(count)]


def month_ticks(months: int, count: int, start: str, day: int | None = None) -> list[str]:
    """Return ``count`` timestamps, ``months`` apart, on ``day`` or a shorter month's last day."""
    first = datetime.fromisoformat(start)
    texts = []
    for index in range(count):
        year, month = divmod(12 * first.year + first.month - 1 + index * months, 12)
        last = monthrange(year, month + 1)[1]
        moment = first.replace(year=year, month=month + 1, day=min(day or first.day, last))
        texts.append(moment.isoformat())
    return texts


def business_days(count: int, start: str = "2024-01-01T00:00:00") -> list[str]:
    """Return ``count`` days from Monday to Friday."""
    days = ticks(timedelta(days=1), 7 * count // 5 + 4, start)
    return [day for day in days if datetime.fromisoformat(day).weekday() < 5][:count]


def omit(texts: list[str], *indices: int) -> list[str]:
    """Return ``texts`` with holes at ``indices``."""
    return [text for index, text in enumerate(texts) if index not in indices]


def set_text(texts: list[str], index: int, text: str) -> list[str]:
    """Return ``texts`` with another one at ``index``."""
    return [*texts[:index], text, *texts[index + 1 :]]


def times(texts: list[str]) -> TimeArray:
    """Return the times of ``texts``."""
    return parse_timestamps(texts).times


def defects(texts: list[str], frequency: Frequency) -> dict[int, str]:
    """Return what ``fit_calendar`` rejects: the issue of each entry."""
    parsed = parse_timestamps(texts)
    with pytest.raises(CalendarErrors) as caught:
        fit_calendar(parsed.times, frequency, parsed.suffix)
    return dict(caught.value.defects)
