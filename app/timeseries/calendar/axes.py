"""Time axes: seconds, business days and months, each counted in equal steps.

An axis maps times to integer positions, so that a regular series has a constant difference of
positions, whatever the lengths of its months.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.periods import (
    periods_of_business_days,
    periods_of_months,
    periods_of_seconds,
)
from app.timeseries.calendar.timestamps import FIRST_TIME, LAST_TIME, TimeArray
from app.timeseries.types import IntArray

_FIRST_DAY = FIRST_TIME.astype("datetime64[D]")  # a Monday
_FIRST_MONTH = np.datetime64("0000-01", "M")


class TimeAxis(ABC):
    """A numbering of times.

    ``units`` are the frequencies along it, shortest first, with their lengths in positions.
    """

    units: ClassVar[dict[Frequency, int]]
    adjective: ClassVar[str] = ""

    @classmethod
    def from_times(cls, times: TimeArray) -> Self:
        """Return the axis of this kind that contains most of the times."""
        return cls()

    @abstractmethod
    def positions(self, times: TimeArray) -> IntArray:
        """Return the position of each time; of a time off the axis, a position next to it."""

    @abstractmethod
    def times(self, positions: IntArray) -> TimeArray:
        """Return the time at each position: the inverse of ``positions`` on the axis."""

    @staticmethod
    @abstractmethod
    def periods(stride: int) -> tuple[int, ...]:
        """Return the seasonal periods, in steps, of a series with this stride."""

    def neighbours(self, time: np.datetime64, origin: int, stride: int) -> TimeArray:
        """Return the grid times before and after ``time``: one or two, in the years 1 to 9999.

        The grid has the position ``origin``, and one position every ``stride``.
        """
        position = int(self.positions(time.reshape(1))[0])
        position -= (position - origin) % stride
        candidates = self.times(position + stride * np.arange(-1, 3, dtype=np.int64))
        after = int(np.searchsorted(candidates, time))
        adjacent = candidates[after - 1 : after + 1]
        return adjacent[(adjacent >= FIRST_TIME) & (adjacent <= LAST_TIME)]

    def frequency_of(self, stride: int) -> Frequency:
        """Return the longest unit that divides ``stride``."""
        return [frequency for frequency, size in self.units.items() if stride % size == 0][-1]

    def describe(self, stride: int) -> str:
        """Return ``stride`` in words: "1 hour", "90 minutes", "2 quarters", "1 business day"."""
        frequency = self.frequency_of(stride)
        count = stride // self.units[frequency]
        return f"{count} {self.adjective}{UNITS[frequency].noun}" + "s" * (count > 1)


@dataclass(frozen=True)
class SecondAxis(TimeAxis):
    """Counts seconds, for units of constant length: Seconds to Weekly."""

    units: ClassVar = {name: unit.seconds for name, unit in UNITS.items() if unit.seconds}
    periods = staticmethod(periods_of_seconds)

    def positions(self, times: TimeArray) -> IntArray:
        return (times - FIRST_TIME).astype(np.int64)

    def times(self, positions: IntArray) -> TimeArray:
        return FIRST_TIME + positions


@dataclass(frozen=True)
class BusinessDayAxis(TimeAxis):
    """Counts the days from Monday to Friday, at one time of day."""

    units: ClassVar = {Frequency.DAILY: 1}
    periods = staticmethod(periods_of_business_days)
    adjective = "business "

    second_of_day: int

    @classmethod
    def from_times(cls, times: TimeArray) -> Self:
        return cls(_common_second_of_day(times))

    def positions(self, times: TimeArray) -> IntArray:
        return np.busday_count(_FIRST_DAY, times.astype("datetime64[D]"))

    def times(self, positions: IntArray) -> TimeArray:
        days = np.busday_offset(_FIRST_DAY, positions)
        return days.astype("datetime64[s]") + self.second_of_day


@dataclass(frozen=True)
class MonthAxis(TimeAxis):
    """Counts months, by one day at one time of day: Monthly to Yearly.

    ``day`` is 1 to 31; in shorter months it is the last day. So 31 means month ends, and 29
    February becomes 28 February in common years.
    """

    units: ClassVar = {name: unit.months for name, unit in UNITS.items() if unit.months}
    periods = staticmethod(periods_of_months)

    day: int
    second_of_day: int

    @classmethod
    def from_times(cls, times: TimeArray) -> Self:
        """Return the axis of the best day of the month, the later of two that fit equally well."""
        first, length = month_days(times.astype("datetime64[M]"))
        days = (times.astype("datetime64[D]") - first).astype(np.int64) + 1
        candidates = (most_common(days), int(days.max()), 31)
        best = max(candidates, key=lambda day: (int((days == np.minimum(day, length)).sum()), day))
        return cls(best, _common_second_of_day(times))

    def positions(self, times: TimeArray) -> IntArray:
        return (times.astype("datetime64[M]") - _FIRST_MONTH).astype(np.int64)

    def times(self, positions: IntArray) -> TimeArray:
        first, length = month_days(_FIRST_MONTH + positions)
        days: TimeArray = first + (np.minimum(self.day, length) - 1)
        return days.astype("datetime64[s]") + self.second_of_day


def most_common(numbers: IntArray) -> int:
    """Return the most frequent number, the smallest of several."""
    distinct, counts = np.unique(numbers, return_counts=True)
    return int(distinct[counts.argmax()])


def _common_second_of_day(times: TimeArray) -> int:
    return most_common((times - times.astype("datetime64[D]")).astype(np.int64))


def month_days(months: TimeArray) -> tuple[TimeArray, IntArray]:
    """Return the first day of each month, and its number of days."""
    first = months.astype("datetime64[D]")
    return first, ((months + 1).astype("datetime64[D]") - first).astype(np.int64)
