"""The time grid of a monitor: conversion between timestamps and indices.

Index 0 is the first point. The columns of indices are called ``place`` in the database. The cursor
of a point, by which clients page, is its index; that of an event is its revision.

From Seconds to Hours, timestamps are instants: the offset does not matter. From Daily on they are
instants too or, if those are off the grid, local times: midnight is midnight across
daylight-saving time.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.timeseries.calendar.axes import MonthAxis, SecondAxis, TimeAxis, month_days
from app.timeseries.calendar.defects import MAX_DEFECTS, Defect
from app.timeseries.calendar.fit import Calendar
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.timestamps import (
    FIRST_TIME,
    LAST_TIME,
    ParsedTimestamps,
    TimeArray,
    format_timestamps,
)
from app.timeseries.seconds import HOUR_SECONDS, MINUTE_SECONDS
from app.timeseries.types import BoolArray, IntArray
from app.watching.monitors.settings.errors import PointErrors

# A monitor is overdue this many steps after its newest point: the next one is two steps late.
_OVERDUE_STEPS = 3
_MAX_OFFSET_BEHIND_UTC = dt.timedelta(hours=12)  # the largest offset of a local time behind UTC
_LAST_OF_MONTH = 31
_INSTANTS = {Frequency.SECONDS, Frequency.MINUTES, Frequency.HOURS}
# Times beyond these cannot be represented as a datetime in every time zone.
_EARLIEST, _LATEST = (
    int(np.datetime64(day, "s").astype(np.int64)) for day in ("0001-01-02", "9999-12-30")
)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True)
class MonitorGrid:
    """The indices at which the points of a monitor may lie.

    Attributes:
        frequency: The monitor's frequency.
        step: Units of the frequency between two points.
        suffix: The end of the first timestamp: nothing, ``Z`` or an offset.
        axis: The axis on which the frequency is counted.
        anchor: The position of index 0 on the axis.
        min_day: For a month axis, the earliest day of the month that the points may mean. It is
            below the axis' day if all points so far were last days of short months.
    """

    frequency: Frequency
    step: int
    suffix: str
    axis: TimeAxis
    anchor: int
    min_day: int | None

    @classmethod
    def from_first(cls, frequency: Frequency, step: int, first: ParsedTimestamps) -> "MonitorGrid":
        time = first.times[:1]
        kind = SecondAxis if UNITS[frequency].seconds else MonthAxis
        axis: TimeAxis = kind.from_times(time)
        anchor = int(axis.positions(time)[0])
        return cls(frequency, step, first.suffix, axis, anchor, _min_day(axis, time))

    @classmethod
    def from_history(cls, calendar: Calendar, count: int, suffix: str) -> "MonitorGrid":
        """Return the grid of ``count`` points that ends with the calendar's last."""
        anchor = calendar.last - calendar.stride * (count - 1)
        positions = anchor + calendar.stride * np.arange(count, dtype=np.int64)
        min_day = _min_day(calendar.axis, calendar.axis.times(positions))
        return cls(calendar.frequency, calendar.step, suffix, calendar.axis, anchor, min_day)

    @property
    def stride(self) -> int:
        return self.step * self.axis.units[self.frequency]

    @property
    def periods(self) -> tuple[int, ...]:
        """The seasonal periods in steps, shortest first."""
        return self.axis.periods(self.stride)

    def times(self, indices: Sequence[int]) -> TimeArray:
        """Return the local times at ``indices``, which may be after the year 9999."""
        steps = np.array(indices, dtype=np.int64)
        return self.axis.times(self.anchor + self.stride * steps)

    def timestamps(self, indices: Sequence[int]) -> list[str]:
        return format_timestamps(self.times(indices), self.suffix)

    def refined_by(self, timestamps: ParsedTimestamps) -> "MonitorGrid":
        """Return the grid with the day of the month narrowed down by n timestamps, in any order.

        Raise PointErrors if a timestamp has an offset although the first has none, or the reverse.
        """
        axis, min_day = self.axis, self.min_day
        if not isinstance(axis, MonthAxis) or min_day is None or min_day == axis.day:
            return self
        # A time with this time of day is on the grid if its day is a possible one.
        for day, length, second in _days_of_month(self._grid_times(timestamps)):
            if second != axis.second_of_day:
                continue
            if day == length:
                min_day = max(min_day, day)
            elif day >= min_day:
                return replace(self, axis=MonthAxis(day, axis.second_of_day), min_day=day)
        return replace(self, min_day=min_day)

    def indices(self, timestamps: ParsedTimestamps) -> list[int]:
        """Return the indices of n timestamps, in any order, by which the grid was refined.

        Raise PointErrors if a timestamp is off the grid, or if `refined_by` would.
        """
        times = self._grid_times(timestamps)
        is_on_grid = self._is_on_grid(times)
        if not is_on_grid.all():
            off_grid = np.flatnonzero(~is_on_grid)[:MAX_DEFECTS].tolist()
            entries = format_timestamps(timestamps.times, timestamps.suffix)
            raise PointErrors(
                [Defect(i, self._off_grid_issue(entries[i], times[i])) for i in off_grid]
            )
        return ((self.axis.positions(times) - self.anchor) // self.stride).tolist()

    def utc_datetime(self, index: int) -> dt.datetime | None:
        """Return the instant of ``index`` in UTC; None beyond the calendar.

        Without an offset the time is read as UTC.
        """
        seconds = int(self.times([index]).view(np.int64)[0]) - _offset_seconds(self.suffix)
        if seconds > _LATEST:
            return None
        return _EPOCH + dt.timedelta(seconds=max(seconds, _EARLIEST))

    def overdue_at(self, index: int, arrival: dt.datetime) -> dt.datetime | None:
        """Return when points after the one at ``index`` are overdue; None: never (end of calendar).

        Timestamps without an offset have no known instant: the time is counted from the arrival,
        but not beyond the time in the westernmost time zone.
        """
        due = self.utc_datetime(index + _OVERDUE_STEPS)
        if due is None or self.suffix:
            return due
        newest = self.utc_datetime(index)
        steps = due - newest if newest is not None else dt.timedelta(0)
        return min(arrival + steps, due + _MAX_OFFSET_BEHIND_UTC)

    def _grid_times(self, timestamps: ParsedTimestamps) -> TimeArray:
        """Return timestamps as times with the grid's offset."""
        times = timestamps.times
        if timestamps.suffix != self.suffix:
            if bool(timestamps.suffix) != bool(self.suffix):
                ends = f"ends in '{self.suffix}'" if self.suffix else "has no offset"
                remedy = (
                    "send an offset with each" if self.suffix else "send them without an offset"
                )
                raise PointErrors([Defect(0, f"the monitor's first timestamp {ends}; {remedy}")])
            shift = _offset_seconds(self.suffix) - _offset_seconds(timestamps.suffix)
            times = times + np.timedelta64(shift, "s")
            if self.frequency not in _INSTANTS:
                times = np.where(self._is_instant(times), times, timestamps.times)
        return times

    def _is_instant(self, times: TimeArray) -> BoolArray:
        """Return for each time whether its instant, not its local time, determines the index."""
        if isinstance(self.axis, MonthAxis):  # the day of the month may not be known yet
            seconds = (times - times.astype("datetime64[D]")).astype(np.int64)
            return np.asarray(seconds == self.axis.second_of_day)
        return self._is_on_grid(times)

    def _is_on_grid(self, times: TimeArray) -> BoolArray:
        is_inside = (times >= FIRST_TIME) & (times <= LAST_TIME)
        valid = times if is_inside.all() else np.where(is_inside, times, FIRST_TIME)
        positions = self.axis.positions(valid)
        is_on_grid: BoolArray = is_inside & ((positions - self.anchor) % self.stride == 0)
        if not isinstance(self.axis, SecondAxis):  # a second axis contains all times
            is_on_grid &= self.axis.times(positions) == valid
        return is_on_grid

    def _off_grid_issue(self, entry: str, time: np.datetime64) -> str:
        step = self.axis.describe(self.stride)
        problem = f"{entry} is not on the time grid of the monitor, whose points are {step} apart"
        if not FIRST_TIME <= time <= LAST_TIME:
            return f"{problem}: it is outside the years 1 to 9999 with the offset {self.suffix}"
        neighbours = self.axis.neighbours(time, self.anchor, self.stride)
        nearest = " and ".join(format_timestamps(neighbours, self.suffix))
        return f"{problem} (nearest: {nearest}); send one of these"


def _offset_seconds(suffix: str) -> int:
    if suffix in {"", "Z"}:
        return 0
    seconds = HOUR_SECONDS * int(suffix[1:3]) + MINUTE_SECONDS * int(suffix[4:6])
    return -seconds if suffix[0] == "-" else seconds


def _min_day(axis: TimeAxis, times: TimeArray) -> int | None:
    if not isinstance(axis, MonthAxis):
        return None
    if axis.day != _LAST_OF_MONTH:
        return axis.day
    return max(day for day, _, _ in _days_of_month(times))


def _days_of_month(times: TimeArray) -> list[tuple[int, int, int]]:
    """Return the day of the month, length of the month and second of the day of each time."""
    days = times.astype("datetime64[D]")
    first, length = month_days(times.astype("datetime64[M]"))
    day: IntArray = (days - first).astype(np.int64) + 1
    second: IntArray = (times - days).astype(np.int64)
    return list(zip(day.tolist(), length.tolist(), second.tolist(), strict=True))
