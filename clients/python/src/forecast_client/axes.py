"""The ways in which time is counted in equal steps: times become whole positions, and back.

They are those of the service: seconds (Seconds to Weekly), business days, and months (Monthly to
Yearly). Times are local wall-clock times without a zone.
"""

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import ClassVar, Literal, Protocol

_EPOCH = datetime(1, 1, 1)  # a Monday
_FRIDAY = 4
_SHORTEST_MONTH = 28
DAY_SECONDS = 86_400


class Axis(Protocol):
    """One way to number times; ``units`` are the frequencies along it and their lengths."""

    units: ClassVar[dict[str, int]]

    def position(self, moment: datetime) -> int:
        """The position of a time."""

    def moment(self, position: int) -> datetime:
        """The time at a position; OverflowError or ValueError outside of the years 1 to 9999."""


class SecondAxis:
    """Every second is on it."""

    units: ClassVar = {
        "Seconds": 1,
        "Minutes": 60,
        "Hours": 3_600,
        "Daily": DAY_SECONDS,
        "Weekly": 7 * DAY_SECONDS,
    }

    def position(self, moment: datetime) -> int:
        clock = 3_600 * moment.hour + 60 * moment.minute + moment.second
        return (moment.toordinal() - 1) * DAY_SECONDS + clock

    def moment(self, position: int) -> datetime:
        return _EPOCH + timedelta(seconds=position)


@dataclass(frozen=True)
class BusinessDayAxis:
    """Monday to Friday at one time of day."""

    units: ClassVar = {"Daily": 1}
    clock: time

    def position(self, moment: datetime) -> int:
        week, day = divmod(moment.toordinal() - 1, 7)
        return 5 * week + day

    def moment(self, position: int) -> datetime:
        week, day = divmod(position, 5)
        return datetime.combine(date.fromordinal(7 * week + day + 1), self.clock)


@dataclass(frozen=True)
class MonthAxis:
    """One day of each month at one time of day.

    ``day`` is 1 to 31, and the last one of a month that is shorter; 31 means month ends.
    ``business``: the first or the last day from Monday to Friday instead.
    """

    units: ClassVar = {"Monthly": 1, "Quarterly": 3, "Yearly": 12}
    day: int
    clock: time
    business: Literal["start", "end"] | None = None

    def position(self, moment: datetime) -> int:
        return 12 * moment.year + moment.month - 1

    def moment(self, position: int) -> datetime:
        year, month = divmod(position, 12)
        length = calendar.monthrange(year, month + 1)[1]
        day = date(year, month + 1, min(self.day, length))
        if self.business == "end":
            day -= timedelta(days=max(day.weekday() - _FRIDAY, 0))
        elif self.business == "start" and day.weekday() > _FRIDAY:
            day += timedelta(days=7 - day.weekday())
        return datetime.combine(day, self.clock)


def axes_of(moments: Sequence[datetime]) -> list[Axis]:
    """Return the axes that all of ``moments`` are on, the longest units first."""
    clock = moments[0].time()
    found: list[Axis] = [SecondAxis()]
    if any(moment.time() != clock for moment in moments):
        return found
    if all(moment.weekday() <= _FRIDAY for moment in moments):
        found.insert(0, BusinessDayAxis(clock))
    days = {moment.day for moment in moments}
    longest = max(days)
    if len(days) == 1 and longest <= _SHORTEST_MONTH:
        return [MonthAxis(longest, clock), *found]
    months = [MonthAxis(longest, clock), MonthAxis(31, clock)]
    months += [MonthAxis(1, clock, "start"), MonthAxis(31, clock, "end")]
    for axis in months:
        if all(axis.moment(axis.position(moment)) == moment for moment in moments):
            return [axis, *found]
    return found
