"""Find the regular step of a series, and its next timestamps.

``fit_calendar`` searches for a step along three time axes (``axes.py``), and compares it with the
declared frequency. An error names the faulty entry, and says what to send instead.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from app.timeseries.calendar.axes import BusinessDayAxis, MonthAxis, SecondAxis, TimeAxis
from app.timeseries.calendar.defects import MAX_DEFECTS, Defect, SeriesDefects
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.calendar.spacing import Spacing, measure_spacing
from app.timeseries.calendar.timestamps import LAST_TIME, TimeArray, format_timestamps
from app.timeseries.calendar.weekdays import SUNDAY, weekdays_of

_SHORT_FREQUENCIES = (Frequency.SECONDS, Frequency.MINUTES, Frequency.HOURS)
_NIGHT = np.timedelta64(4, "h")  # after midnight: clocks change before its end
# The kinds of time axes, the longest units first.
_AXES: tuple[type[TimeAxis], ...] = (MonthAxis, BusinessDayAxis, SecondAxis)


class CalendarErrors(SeriesDefects):
    """Timestamps are out of order, have gaps, are off the grid, or have another frequency."""


class BeyondCalendarError(ValueError):
    """A forecast would end after the year 9999; ``possible`` is the longest possible horizon."""

    def __init__(self, possible: int) -> None:
        self.possible = possible
        super().__init__(self.issue("horizon"))

    def issue(self, field: str) -> str:
        """Return what is wrong with a request whose horizon is in ``field``, and what to send."""
        remedy = (
            f"send a {field} of at most {self.possible}"
            if self.possible
            else "the series ends too late for any forecast; send earlier timestamps"
        )
        return f"the forecast would pass the year 9999: {remedy}"


@dataclass(frozen=True)
class Calendar:
    """The grid of a series up to its ``last`` entry, and beyond; the first entry is not stored.

    ``step`` is in units of ``frequency``, or in business days if a Daily series has no weekends.
    ``periods`` are the seasonal periods in steps, shortest first. ``axis`` has the anchor (day of
    the month, time of day); ``stride`` is the step and ``last`` the last entry, both in its
    positions.
    """

    frequency: Frequency
    step: int
    periods: tuple[int, ...]
    axis: TimeAxis = field(repr=False)
    stride: int = field(repr=False)
    last: int = field(repr=False)

    def grid(self, points: int) -> Grid | None:
        """Return the grid of the last ``points`` entries; None if steps have no fixed length."""
        if not isinstance(self.axis, SecondAxis):
            return None
        first = self.axis.times(np.array([self.last - self.stride * (points - 1)]))[0]
        return Grid(first, self.stride)

    def past(self, points: int) -> TimeArray:
        """Return the times of the last ``points`` entries, shape (points,)."""
        return self.axis.times(self.last - self.stride * np.arange(points, dtype=np.int64)[::-1])

    def future(self, horizon: int) -> TimeArray:
        """Return the times of the next ``horizon`` entries, shape (horizon,).

        Raise BeyondCalendarError if one of them would be after the year 9999.
        """
        positions = self.last + self.stride * np.arange(1, horizon + 1, dtype=np.int64)
        times = self.axis.times(positions)
        possible = int(np.searchsorted(times, LAST_TIME, side="right"))
        if possible < horizon:
            raise BeyondCalendarError(possible)
        return times


def fit_calendar(
    times: TimeArray,
    frequency: Frequency,
    suffix: str = "",
    declared_as: str = "data_frequency",
    step_as: str = "",
) -> Calendar:
    """Return the calendar of ``times``, shape (n,) with n at least 2, declared as ``frequency``.

    The other arguments are for messages: ``suffix`` is the end of the timestamps, ``declared_as``
    the field of the frequency, ``step_as`` the field of the step, "" without one. Raise
    CalendarErrors if the series is not regular in ``frequency``.
    """
    if times.size < 2:
        raise ValueError("a calendar needs at least two timestamps")
    report = _DefectCollector(times, frequency, suffix, declared_as, step_as)
    if not (times[1:] > times[:-1]).all():
        raise CalendarErrors(report.disorder())

    declared = _measure_spacings(_axes_of(frequency, times), times)
    fitting = [spacing for spacing in declared if spacing.is_regular(frequency)]
    if not fitting:
        raise CalendarErrors(report.misfit(declared))
    spacing = _best_spacing(fitting)
    if spacing.gaps.size:
        raise CalendarErrors(report.gaps(spacing))
    axis, stride = spacing.axis, spacing.stride
    step = stride // axis.units[frequency]
    return Calendar(frequency, step, axis.periods(stride), axis, stride, spacing.last)


def find_spacing(times: TimeArray, frequency: Frequency | None = None) -> Spacing | None:
    """Return the regular step of most of ``times``, which are strictly increasing.

    With ``frequency`` it is a step of that frequency: one unit, unless the times show another one.
    None unless at least two times lie on an axis of ``frequency``.
    """
    if times.size < 2:
        return None
    axes = _axes_of(frequency, times)
    spacings = _measure_spacings(axes, times)
    if frequency is not None:
        declared_spacings = [spacing for spacing in spacings if spacing.frequency == frequency]
        strides = ((axis.from_times(times), axis.units[frequency]) for axis in axes)
        forced = (measure_spacing(axis, times, stride) for axis, stride in strides)
        spacings = declared_spacings or [spacing for spacing in forced if spacing is not None]
    return _best_spacing(spacings) if spacings else None


def _axes_of(frequency: Frequency | None, times: TimeArray) -> list[type[TimeAxis]]:
    """Return the axes of ``frequency``; the axis of business days only without weekends."""
    axes = [axis for axis in _AXES if frequency is None or frequency in axis.units]
    if BusinessDayAxis in axes and not np.is_busday(times.astype("datetime64[D]")).all():
        axes.remove(BusinessDayAxis)
    return axes


@dataclass(frozen=True)
class _DefectCollector:
    """Describes the defects of ``times``, declared as ``frequency``."""

    times: TimeArray
    frequency: Frequency
    suffix: str
    declared_as: str
    step_as: str

    def disorder(self) -> list[Defect]:
        """Return the entries that are not later than the previous one."""
        late = np.flatnonzero(self.times[1:] <= self.times[:-1])[:MAX_DEFECTS] + 1
        return [Defect(index, self._disorder_at(index)) for index in late.tolist()]

    def gaps(self, spacing: Spacing) -> list[Defect]:
        """Return the gaps of ``spacing``, or another frequency in which there are none."""
        perfect = [
            other for other in _measure_spacings(_AXES, self.times) if not other.defect_count
        ]
        return [self._other_frequency(perfect[0])] if perfect else self._breaks(spacing)

    def misfit(self, declared: list[Spacing]) -> list[Defect]:
        """Return why no spacing fits: another frequency does, or entries are off the grid."""
        others = _measure_spacings(_AXES, self.times)
        regular = [other for other in others if not other.off_grid.size and other.is_mostly_regular]
        if regular:
            return [self._other_frequency(_best_spacing(regular))]
        plausible = [spacing for spacing in declared + others if spacing.is_mostly_regular]
        return self._breaks(_best_spacing(plausible)) if plausible else [self._change_of_step()]

    def _breaks(self, spacing: Spacing) -> list[Defect]:
        """Return the first missing timestamp of each gap, and the entries off the grid."""
        gaps = [(index, self._gap_at) for index in spacing.gaps[:MAX_DEFECTS].tolist()]
        off_grid = [(index, self._off_grid_at) for index in spacing.off_grid[:MAX_DEFECTS].tolist()]
        return [Defect(index, issue_at(index, spacing)) for index, issue_at in gaps + off_grid]

    def _gap_at(self, index: int, spacing: Spacing) -> str:
        before, after = spacing.positions[index - 1 : index + 1]
        first_times = spacing.axis.times(np.array([before + spacing.stride]))
        [first] = self._format_times(first_times)
        missing = (after - before) // spacing.stride - 1
        row = f", the first of {missing} in a row" if missing > 1 else ""
        issue = f"missing entry: {first} is missing{row}; send every entry, {spacing} apart"
        return issue + self._clock_hint(first_times[0])

    def _disorder_at(self, index: int) -> str:
        before, entry = self._format_times(self.times[index - 1 : index + 1])
        if before == entry:
            issue = f"duplicate timestamp: {entry} appears twice; send each timestamp once"
        else:
            issue = (
                f"timestamps must be in chronological order: {entry} is before {before}, "
                "the entry before it; sort timestamps and values together"
            )
        return issue + self._clock_hint(self.times[index])

    def _clock_hint(self, time: np.datetime64) -> str:
        """Return what to send if the clock may have changed then, in the night to a Sunday."""
        day = time.astype("datetime64[D]")
        is_night = time - day < _NIGHT and weekdays_of(day) == SUNDAY
        if not is_night or self.suffix or self.frequency not in _SHORT_FREQUENCIES:
            return ""
        return "; if the clock changed in that night, send the times in UTC"

    def _other_frequency(self, spacing: Spacing) -> Defect:
        fitting = spacing.frequency
        step = f" and {self.step_as} {spacing.step}" if self.step_as else ""
        return Defect(
            1,
            f"invalid frequency: the timestamps are {spacing} apart, which is {fitting}, not "
            f"{self.frequency}; send {self.declared_as} {fitting}{step}",
        )

    def _change_of_step(self) -> Defect:
        gaps = np.diff(self.times).astype(np.int64)
        index = int(np.flatnonzero(gaps != gaps[0])[0]) + 1
        first, changed = (SecondAxis().describe(int(gap)) for gap in (gaps[0], gaps[index - 1]))
        before, entry = self._format_times(self.times[index - 1 : index + 1])
        return Defect(
            index,
            f"irregular spacing: the first timestamps are {first} apart, but {entry} comes "
            f"{changed} after {before}; send entries one regular step apart",
        )

    def _off_grid_at(self, index: int, spacing: Spacing) -> str:
        neighbours = spacing.axis.neighbours(self.times[index], spacing.last, spacing.stride)
        entry = self._format_times(self.times[index : index + 1])[0]
        nearest = " and ".join(self._format_times(neighbours))
        return (
            f"irregular spacing: {entry} is not on the grid of the other timestamps, which are "
            f"{spacing} apart (nearest: {nearest}); round it to one of them or leave it out"
        )

    def _format_times(self, times: TimeArray) -> list[str]:
        return format_timestamps(times, self.suffix)


def _best_spacing(spacings: list[Spacing]) -> Spacing:
    return min(spacings, key=lambda spacing: spacing.defect_count)


def _measure_spacings(axes: Iterable[type[TimeAxis]], times: TimeArray) -> list[Spacing]:
    spacings = (measure_spacing(axis.from_times(times), times) for axis in axes)
    return [spacing for spacing in spacings if spacing is not None]
