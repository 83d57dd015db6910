"""The regular time grid that a granularity defines; some of its points may be missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import numpy as np

from app.api.dialects.azure_anomaly_detector.errors import BAD_ARGUMENT, CodedIssue
from app.timeseries.calendar.axes import MonthAxis, SecondAxis, TimeAxis
from app.timeseries.calendar.defects import MAX_DEFECTS, Defect, SeriesDefects
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.timestamps import (
    INVALID_TIMESTAMP,
    TimeArray,
    TimestampErrors,
    parse_timestamps,
)
from app.timeseries.types import IntArray

_MICROSECONDS_PER_MILLISECOND = 1_000
# With a smaller fraction of the points present, the granularity is probably wrong.
MIN_PRESENT_FRACTION = 0.5


class Granularity(StrEnum):
    YEARLY = "yearly"
    MONTHLY = "monthly"
    WEEKLY = "weekly"
    DAILY = "daily"
    HOURLY = "hourly"
    MINUTELY = "minutely"
    SECONDLY = "secondly"
    MICROSECOND = "microsecond"
    NONE = "none"


FREQUENCIES = {
    Granularity.YEARLY: Frequency.YEARLY,
    Granularity.MONTHLY: Frequency.MONTHLY,
    Granularity.WEEKLY: Frequency.WEEKLY,
    Granularity.DAILY: Frequency.DAILY,
    Granularity.HOURLY: Frequency.HOURS,
    Granularity.MINUTELY: Frequency.MINUTES,
    Granularity.SECONDLY: Frequency.SECONDS,
}
_NOT_A_TIMESTAMP = CodedIssue(
    BAD_ARGUMENT, f"{INVALID_TIMESTAMP}: send ISO 8601, for example 2024-01-31T00:00:00Z"
)
# Steps that follow local time: a day may have 23 or 25 hours. Of shorter steps an hour has 3600 s.
_LOCAL_TIME_GRANULARITIES = (
    Granularity.YEARLY,
    Granularity.MONTHLY,
    Granularity.WEEKLY,
    Granularity.DAILY,
)


class GridErrors(SeriesDefects):
    """Timestamps that are out of order or off the grid."""


@dataclass(frozen=True)
class GranularityGrid:
    """The positions of the points of a series, in steps from the first point, shape (n,).

    ``step_text`` is one step in words, such as "2 days"; ``periods`` are its usual seasonal periods
    in steps.
    """

    positions: IntArray
    frequency: Frequency
    step_text: str
    periods: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        """The number of points if none were missing."""
        return int(self.positions[-1]) + 1


def grid_without_timestamps(points: int) -> GranularityGrid:
    """Return the grid of points without timestamps, or whose timestamps are ignored."""
    return GranularityGrid(np.arange(points), Frequency.SECONDS, "1 point")


def build_grid(strings: Sequence[str], granularity: Granularity, interval: int) -> GranularityGrid:
    """Return the grid of timestamps ``interval`` times ``granularity`` apart.

    Raise TimestampErrors or GridErrors for the entries at fault.
    """
    times = parse_times(strings, is_local=granularity in _LOCAL_TIME_GRANULARITIES)
    disordered = np.flatnonzero(times[1:] <= times[:-1])[:MAX_DEFECTS] + 1
    if disordered.size:
        raise GridErrors(
            [Defect(i, _disorder_issue(i, strings, times)) for i in disordered.tolist()]
        )
    axis, distances, step = _time_axis(times, granularity, interval)
    step_text = axis.describe(step) if axis else _sub_second_text(step)
    off_grid = np.flatnonzero((distances < 0) | (distances % step != 0))[:MAX_DEFECTS]
    if off_grid.size:
        issue = (
            "off the grid: not a whole number of steps after the first point; send points "
            f"{step_text} apart, or another granularity or customInterval"
        )
        raise GridErrors([Defect(i, issue) for i in off_grid.tolist()])
    positions = distances // step
    if axis is None:
        return GranularityGrid(positions, Frequency.SECONDS, step_text)
    return GranularityGrid(positions, axis.frequency_of(step), step_text, axis.periods(step))


def _time_axis(
    times: TimeArray, granularity: Granularity, interval: int
) -> tuple[TimeAxis | None, IntArray, int]:
    """Return the axis, the distances of ``times`` from the first one, and the step between them.

    The axis counts seconds or months; it is None for microseconds. Times that are not on the axis
    have the distance -1.
    """
    if granularity is Granularity.MICROSECOND:
        distances = (times - times[0]).astype(np.int64)
        # Azure's own code counts milliseconds under this name.
        are_milliseconds = not (distances % _MICROSECONDS_PER_MILLISECOND).any()
        unit = _MICROSECONDS_PER_MILLISECOND if are_milliseconds else 1
        return None, distances, unit * interval
    seconds = times.astype("datetime64[s]")
    frequency = FREQUENCIES[granularity]
    axis_class = MonthAxis if UNITS[frequency].months else SecondAxis
    axis = axis_class.from_times(seconds)
    if axis.times(axis.positions(seconds[:1])) != seconds[:1]:
        axis = axis_class.from_times(seconds[:1])  # the first point is never the one at fault
    positions = axis.positions(seconds)
    distances = np.where(axis.times(positions) == times, positions - positions[0], -1)
    return axis, distances, axis.units[frequency] * interval


def _sub_second_text(microseconds: int) -> str:
    milliseconds, remainder = divmod(microseconds, _MICROSECONDS_PER_MILLISECOND)
    count, noun = (microseconds, "microsecond") if remainder else (milliseconds, "millisecond")
    return f"{count} {noun}" + "s" * (count > 1)


def _disorder_issue(index: int, strings: Sequence[str], times: TimeArray) -> str:
    before, entry = strings[index - 1], strings[index]
    if times[index - 1] == times[index]:
        return f"duplicate timestamp: {entry} occurs twice; send each timestamp once"
    return (
        f"timestamps must be in chronological order: {entry} is before {before}, the point in "
        "front of it; sort the points"
    )


def parse_times(strings: Sequence[str], is_local: bool) -> TimeArray:
    """Return ISO 8601 timestamps of any form; with ``is_local``, offsets are ignored.

    Raise TimestampErrors if some strings are not timestamps.
    """
    try:  # the form that most clients send is parsed without a loop
        return parse_timestamps(strings).times.astype("datetime64[us]")
    except TimestampErrors:
        pass
    times, defects = [], []
    for index, string in enumerate(strings):
        try:
            times.append(_parse_time(string, is_local))
        except (ValueError, OverflowError):
            defects.append(Defect(index, _NOT_A_TIMESTAMP))
    if defects:
        raise TimestampErrors(defects)
    return np.array(times, dtype="datetime64[us]")


def _parse_time(string: str, is_local: bool) -> datetime:
    time = datetime.fromisoformat(string)
    if time.tzinfo is not None and not is_local:
        time = time.astimezone(UTC)
    return time.replace(tzinfo=None)
