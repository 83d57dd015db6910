"""The calendar of a series: one regular step, and the timestamps that come next.

``fit_calendar`` looks for a step along three rulers (``rulers.py``) and holds it against the
declared frequency. What it refuses, it refuses with the entry at fault and what to send instead.
"""

from dataclasses import dataclass, field

import numpy as np

from app.forecasting.calendar.civil import LAST_SECOND
from app.forecasting.calendar.defects import MAX_DEFECTS, Defect, SeriesDefects
from app.forecasting.calendar.frequency import UNITS, Frequency
from app.forecasting.calendar.rulers import MonthRuler, Ruler, SecondsRuler, holds_weekend
from app.forecasting.calendar.spacing import Spacing, measure, measure_business_days
from app.forecasting.calendar.timestamps import format_timestamps
from app.forecasting.types import IntArray


class CalendarErrors(SeriesDefects):
    """Timestamps in disorder, with holes, off the grid or of another frequency."""


class BeyondCalendarError(ValueError):
    """A forecast would pass the year 9999; ``possible`` is the longest horizon that does not."""

    def __init__(self, horizon: int, possible: int) -> None:
        self.possible = possible
        remedy = f"send at most {possible}" if possible else "the series ends too late for any"
        super().__init__(f"{horizon} entries more would pass the year 9999; {remedy}")


@dataclass(frozen=True)
class Calendar:
    """The grid of a series.

    ``step`` is counted in units of ``frequency``, or in business days where a Daily series has
    no Saturday and no Sunday. ``periods`` are the seasonal periods in steps, shortest first.
    ``ruler`` holds the anchor (day of the month, time of day); ``stride`` is the step and ``last``
    the last entry on it.
    """

    frequency: Frequency
    step: int
    periods: tuple[int, ...]
    ruler: Ruler = field(repr=False)
    stride: int = field(repr=False)
    last: int = field(repr=False)

    def future(self, horizon: int) -> IntArray:
        """The seconds of the next ``horizon`` entries, shape (horizon,).

        Raises ``BeyondCalendarError`` where one of them would pass the year 9999.
        """
        positions = self.last + self.stride * np.arange(1, horizon + 1, dtype=np.int64)
        seconds = self.ruler.moments(positions)
        possible = int(np.searchsorted(seconds, LAST_SECOND, side="right"))
        if possible < horizon:
            raise BeyondCalendarError(horizon, possible)
        return seconds


def fit_calendar(seconds: IntArray, frequency: Frequency, suffix: str = "") -> Calendar:
    """The calendar of ``seconds``, shape (n,) with n at least 2, declared as ``frequency``.

    ``suffix`` (as of ``ParsedTimestamps``) ends the timestamps that messages name. Raises
    ``CalendarErrors`` where the series is not regular in ``frequency``.
    """
    if seconds.size < 2:
        raise ValueError("a calendar needs at least two timestamps")
    report = _Report(seconds, frequency, suffix)
    if (np.diff(seconds) <= 0).any():
        raise CalendarErrors(report.disorder())

    declared = _spacings_of(frequency, seconds)
    fitting = [
        spacing
        for spacing in declared
        if not spacing.strays.size and spacing.step_in(frequency) is not None
    ]
    if not fitting:
        raise CalendarErrors(report.misfit(declared))
    spacing = _best(fitting)
    step = spacing.step_in(frequency)
    if spacing.defects or step is None:
        raise CalendarErrors(report.gaps(spacing))
    return Calendar(
        frequency=frequency,
        step=step,
        periods=spacing.ruler.periods(spacing.step),
        ruler=spacing.ruler,
        stride=spacing.step,
        last=spacing.last,
    )


def _spacings_of(frequency: Frequency, seconds: IntArray) -> list[Spacing]:
    """How ``seconds`` are spaced along the rulers on which ``frequency`` is counted."""
    if UNITS[frequency].months:
        spacings = [measure(MonthRuler.along(seconds), seconds)]
    else:
        spacings = [measure(SecondsRuler(), seconds)]
    # With a weekend the business days never fit: not measuring them saves time alone.
    if frequency is Frequency.DAILY and not holds_weekend(seconds):
        spacings.insert(0, measure_business_days(seconds))
    return [spacing for spacing in spacings if spacing is not None]


def _best(spacings: list[Spacing]) -> Spacing:
    """The spacing with the fewest defects, the first of several."""
    return min(spacings, key=lambda spacing: spacing.defects)


@dataclass(frozen=True)
class _Report:
    """Puts into words what is wrong with ``seconds``, declared as ``frequency``."""

    seconds: IntArray
    frequency: Frequency
    suffix: str

    def disorder(self) -> list[Defect]:
        """Each entry that is not later than the one before it."""
        late = np.flatnonzero(np.diff(self.seconds) <= 0)[:MAX_DEFECTS] + 1
        return [Defect(index, self._disorder_at(index)) for index in late.tolist()]

    def gaps(self, spacing: Spacing) -> list[Defect]:
        """The holes of ``spacing``, unless the series has none in another frequency."""
        perfect = [other for other in self._other_spacings() if not other.defects]
        return [self._other_frequency(perfect[0])] if perfect else self._holes(spacing)

    def misfit(self, declared: list[Spacing]) -> list[Defect]:
        """Why no spacing fits: another frequency does, or entries are off the grid."""
        others = self._other_spacings()
        regular = [other for other in others if not other.strays.size and other.mostly_regular]
        if regular:
            return [self._other_frequency(_best(regular))]
        usual = [spacing for spacing in declared + others if spacing.mostly_regular]
        if not usual:
            return [self._change_of_step()]
        spacing = _best(usual)
        strays = spacing.strays[:MAX_DEFECTS].tolist()
        return self._holes(spacing) + [Defect(at, self._stray_at(at, spacing)) for at in strays]

    def _other_spacings(self) -> list[Spacing]:
        """How the series is spaced along each ruler, the longest units first."""
        spacings = (
            measure(MonthRuler.along(self.seconds), self.seconds),
            measure_business_days(self.seconds),
            measure(SecondsRuler(), self.seconds),
        )
        return [spacing for spacing in spacings if spacing is not None]

    def _holes(self, spacing: Spacing) -> list[Defect]:
        """The first missing timestamp of each hole."""
        indices = spacing.holes[:MAX_DEFECTS]
        starts, ends = spacing.hole_starts[:MAX_DEFECTS], spacing.hole_ends[:MAX_DEFECTS]
        texts = self._texts(spacing.ruler.moments(starts + spacing.step))
        missing = (ends - starts) // spacing.step - 1
        return [
            Defect(
                index,
                f"missing entry: {text} is missing"
                + (f", the first of {count} in a row" if count > 1 else "")
                + f"; send every entry, {spacing} apart",
            )
            for index, text, count in zip(indices.tolist(), texts, missing.tolist(), strict=True)
        ]

    def _disorder_at(self, index: int) -> str:
        before, text = self._texts(self.seconds[index - 1 : index + 1])
        if before == text:
            return f"duplicate timestamp: {text} appears twice; send each timestamp once"
        return (
            f"timestamps must be in chronological order: {text} is before {before}, "
            "the entry in front of it; sort timestamps and values together"
        )

    def _other_frequency(self, spacing: Spacing) -> Defect:
        fitting = spacing.frequency
        return Defect(
            1,
            f"invalid frequency: the timestamps are {spacing} apart, which is {fitting}, not "
            f"{self.frequency}; send data_frequency and forecast_frequency {fitting}",
        )

    def _change_of_step(self) -> Defect:
        gaps = np.diff(self.seconds)
        index = int(np.flatnonzero(gaps != gaps[0])[0]) + 1
        first, changed = (SecondsRuler().describe(int(gap)) for gap in (gaps[0], gaps[index - 1]))
        text, before = self._texts(self.seconds[[index, index - 1]])
        return Defect(
            index,
            f"irregular spacing: the first timestamps are {first} apart, but {text} comes "
            f"{changed} after {before}; send entries one regular step apart",
        )

    def _stray_at(self, index: int, spacing: Spacing) -> str:
        moment = self.seconds[index : index + 1]
        nearest = spacing.ruler.positions(moment)[0]
        on_grid = nearest - (nearest - spacing.last) % spacing.step
        marks = spacing.ruler.moments(on_grid + spacing.step * np.arange(-1, 3, dtype=np.int64))
        after = int(np.searchsorted(marks, moment[0]))
        around = [int(mark) for mark in marks[after - 1 : after + 1] if 0 <= mark <= LAST_SECOND]
        text = self._texts(moment)[0]
        places = " and ".join(self._texts(np.array(around, dtype=np.int64)))
        return (
            f"irregular spacing: {text} is not on the grid of the other timestamps, which are "
            f"{spacing} apart (next to it: {places}); move it there or leave it out"
        )

    def _texts(self, seconds: IntArray) -> list[str]:
        return format_timestamps(seconds, self.suffix)
