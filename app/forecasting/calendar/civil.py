"""Dates of the proleptic Gregorian calendar as whole numbers, over arrays.

Days are counted from 0001-01-01, which is day 0 and a Monday; seconds likewise, in local
wall-clock time. Unlike ``datetime64[ns]`` this holds every year from 1 to 9999.

Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
(``days_from_civil``, ``civil_from_days``): a year that starts in March has its leap day last.
"""

import numpy as np
import numpy.typing as npt

from app.forecasting.types import IntArray

SECONDS_PER_DAY = 86_400
DAYS_BEFORE_JANUARY = 306  # from 0000-03-01, where the algorithm counts from, to 0001-01-01
DAYS_PER_ERA = 146_097  # 400 years, after which the calendar repeats
LAST_SECOND = 3_652_059 * SECONDS_PER_DAY - 1  # 9999-12-31T23:59:59

_MONTH_LENGTHS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], dtype=np.int64)


def is_leap(year: IntArray) -> npt.NDArray[np.bool_]:
    """Whether each year has a 29 February."""
    leap: npt.NDArray[np.bool_] = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    return leap


def days_in_month(year: IntArray, month: IntArray) -> IntArray:
    """The length of each month; ``month`` is 1 to 12."""
    leap_day = (month == 2) & is_leap(year)
    lengths: IntArray = _MONTH_LENGTHS[month - 1] + leap_day
    return lengths


def days_from_civil(year: IntArray, month: IntArray, day: IntArray) -> IntArray:
    """The day number of each date; the dates must exist and lie in the years 1 to 9999."""
    march_year = year - (month <= 2)
    march_month = (month + 9) % 12
    leap_days = march_year // 4 - march_year // 100 + march_year // 400
    day_of_year = (153 * march_month + 2) // 5 + day - 1
    days: IntArray = 365 * march_year + leap_days + day_of_year - DAYS_BEFORE_JANUARY
    return days


def civil_from_days(days: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Year, month and day of each day number: the inverse of ``days_from_civil``."""
    era, day_of_era = np.divmod(days + DAYS_BEFORE_JANUARY, DAYS_PER_ERA)
    leap_days = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap_days) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * march_month + 2) // 5 + 1
    month = (march_month + 2) % 12 + 1
    year = 400 * era + year_of_era + (month <= 2)
    return year, month, day
