"""Days of the week, and the days on which clocks change."""

from typing import TypeVar

import numpy as np

from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.seconds import DAYS_PER_WEEK
from app.timeseries.types import BoolArray, IntArray

MONDAY = 0
SUNDAY = 6
_WEEKDAY_OF_1970 = 3  # 1 January was a Thursday
_CLOCK_CHANGE_MONTHS = (3, 4, 9, 10, 11)  # clocks change on Sundays of these months

EpochDays = TypeVar("EpochDays", int, IntArray)


def weekday_numbers(days: EpochDays) -> EpochDays:
    """Return the weekdays of days since 1970-01-01, 0 for Monday."""
    return (days + _WEEKDAY_OF_1970) % DAYS_PER_WEEK


def weekdays_of(times: TimeArray | np.datetime64) -> IntArray:
    """Return the weekdays of times, or of one time, 0 for Monday."""
    return weekday_numbers(np.asarray(times.astype("datetime64[D]").astype(np.int64)))


def is_clock_change_day(times: TimeArray) -> BoolArray:
    """Return whether each time is on a day on which clocks change somewhere."""
    months = times.astype("datetime64[M]").astype(np.int64) % 12 + 1
    return (weekdays_of(times) == SUNDAY) & np.isin(months, _CLOCK_CHANGE_MONTHS)
