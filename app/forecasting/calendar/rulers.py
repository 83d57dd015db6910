"""Rulers: the three ways in which time is counted in equal steps.

A ruler numbers moments: seconds since 0001-01-01T00:00:00 become whole positions, so that a
regular series has positions with one constant difference, whatever its months' lengths are.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from app.forecasting.calendar.civil import (
    SECONDS_PER_DAY,
    civil_from_days,
    days_from_civil,
    days_in_month,
)
from app.forecasting.calendar.frequency import UNITS, Frequency
from app.forecasting.calendar.periods import (
    periods_of_business_days,
    periods_of_months,
    periods_of_seconds,
)
from app.forecasting.types import IntArray

BoolArray = npt.NDArray[np.bool_]

BUSINESS_DAYS = 5
DAYS_PER_WEEK = 7
LONGEST_MONTH = 31

_SECONDS_OF = {name: unit.seconds for name, unit in UNITS.items() if unit.seconds}
_MONTHS_OF = {name: unit.months for name, unit in UNITS.items() if unit.months}


class Ruler(Protocol):
    """One way to number moments."""

    def positions(self, seconds: IntArray) -> tuple[IntArray, BoolArray]:
        """The position of each moment, and whether the moment is on a mark of the ruler.

        A moment between two marks has the position of a mark next to it.
        """

    def moments(self, positions: IntArray) -> IntArray:
        """The seconds of each position: the inverse of ``positions`` on the marks."""

    def units(self) -> dict[Frequency, int]:
        """The frequencies counted on this ruler, shortest first, and their lengths on it."""

    def periods(self, step: int) -> tuple[int, ...]:
        """The seasonal periods of a series that steps over ``step`` positions."""

    def describe(self, step: int) -> str:
        """``step`` in words: "1 hour", "90 minutes", "2 quarters"."""


@dataclass(frozen=True)
class SecondsRuler:
    """Every second is a mark: units of a constant length, Seconds to Weekly."""

    def positions(self, seconds: IntArray) -> tuple[IntArray, BoolArray]:
        return seconds, np.ones(seconds.shape, dtype=np.bool_)

    def moments(self, positions: IntArray) -> IntArray:
        return positions

    def units(self) -> dict[Frequency, int]:
        return _SECONDS_OF

    def periods(self, step: int) -> tuple[int, ...]:
        return periods_of_seconds(step)

    def describe(self, step: int) -> str:
        return _in_words(step, _SECONDS_OF)


@dataclass(frozen=True)
class BusinessDayRuler:
    """Monday to Friday at one time of day are the marks."""

    second_of_day: int

    @classmethod
    def along(cls, seconds: IntArray) -> "BusinessDayRuler":
        """The ruler that most of the moments lie on."""
        return cls(most_common(seconds % SECONDS_PER_DAY))

    def positions(self, seconds: IntArray) -> tuple[IntArray, BoolArray]:
        days, second_of_day = np.divmod(seconds, SECONDS_PER_DAY)
        weeks, weekday = np.divmod(days, DAYS_PER_WEEK)  # day 0 is a Monday
        positions = BUSINESS_DAYS * weeks + np.minimum(weekday, BUSINESS_DAYS - 1)
        return positions, (weekday < BUSINESS_DAYS) & (second_of_day == self.second_of_day)

    def moments(self, positions: IntArray) -> IntArray:
        weeks, weekday = np.divmod(positions, BUSINESS_DAYS)
        return (DAYS_PER_WEEK * weeks + weekday) * SECONDS_PER_DAY + self.second_of_day

    def units(self) -> dict[Frequency, int]:
        return {Frequency.DAILY: 1}

    def periods(self, step: int) -> tuple[int, ...]:
        return periods_of_business_days(step)

    def describe(self, step: int) -> str:
        return f"{step} business day" + "s" * (step > 1)


@dataclass(frozen=True)
class MonthRuler:
    """One day of each month at one time of day is the mark: Monthly to Yearly.

    ``day`` is 1 to 31. A month that is shorter has its mark on its last day, so that 31 stands
    for month ends, and 29 February goes on as 28 February in common years.
    """

    day: int
    second_of_day: int

    @classmethod
    def along(cls, seconds: IntArray) -> "MonthRuler":
        """The ruler that most of the moments lie on; month ends where two do equally well."""
        days, second_of_day = np.divmod(seconds, SECONDS_PER_DAY)
        year, month, day = civil_from_days(days)
        last = days_in_month(year, month)
        candidates = (most_common(day), int(day.max()), LONGEST_MONTH)
        best = max(candidates, key=lambda mark: (int((day == np.minimum(mark, last)).sum()), mark))
        return cls(best, most_common(second_of_day))

    def positions(self, seconds: IntArray) -> tuple[IntArray, BoolArray]:
        days, second_of_day = np.divmod(seconds, SECONDS_PER_DAY)
        year, month, day = civil_from_days(days)
        mark = np.minimum(self.day, days_in_month(year, month))
        return 12 * year + month - 1, (day == mark) & (second_of_day == self.second_of_day)

    def moments(self, positions: IntArray) -> IntArray:
        year, months = np.divmod(positions, 12)
        month = months + 1
        day = np.minimum(self.day, days_in_month(year, month))
        return days_from_civil(year, month, day) * SECONDS_PER_DAY + self.second_of_day

    def units(self) -> dict[Frequency, int]:
        return _MONTHS_OF

    def periods(self, step: int) -> tuple[int, ...]:
        return periods_of_months(step)

    def describe(self, step: int) -> str:
        return _in_words(step, _MONTHS_OF)


def holds_weekend(seconds: IntArray) -> bool:
    """Whether any of the moments is on a Saturday or Sunday."""
    return bool((seconds // SECONDS_PER_DAY % DAYS_PER_WEEK >= BUSINESS_DAYS).any())


def most_common(numbers: IntArray) -> int:
    """The number that occurs most often, the smallest of several."""
    if (numbers == numbers[0]).all():
        return int(numbers[0])
    distinct, counts = np.unique(numbers, return_counts=True)
    return int(distinct[counts.argmax()])


def _in_words(step: int, units: dict[Frequency, int]) -> str:
    """``step`` in the longest unit that it is a multiple of."""
    name, size = [(name, size) for name, size in units.items() if step % size == 0][-1]
    count = step // size
    return f"{count} {UNITS[name].noun}" + "s" * (count > 1)
