"""Recurring surges, such as that of a nightly backup, and the band of each of their steps."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from app.anomalies.results import AnomalousSegment, EventKind
from app.timeseries.types import BoolArray, FloatArray

# Of a window: its period, first phase and length. Of a step: its lowest, typical and highest
# excess. Of a whole surge: the smallest, the typical and the largest sum of its excesses.
_WINDOW_NUMBERS, _STEP_NUMBERS, _TOTAL_NUMBERS = 3, 3, 3
MIN_TOTAL_FRACTION = 0.05  # of the typical sum: less is none
# The evidence of a surge at the edge of its band; it grows by the square of the distance.
_EDGE_EVIDENCE, _MAX_EVIDENCE = 3.0, 18.0
_MAX_WIDTHS = 1e6  # the maximum distance, in half-widths


class Bands(NamedTuple):
    """The band of each value of a series, in its units: arrays of shape (n,)."""

    lower: FloatArray
    expected: FloatArray
    upper: FloatArray


class SurgeBand(NamedTuple):
    """The band of a value, in the series' units."""

    lower: float
    expected: float
    upper: float
    # The value of a whole surge of nothing, where a sum is judged: below what is expected, ratios
    # to the typical sum count.
    nothing: float | None = None

    def distance(self, value: float) -> float:
        """Return the signed distance of a value from the expectation, in half-widths."""
        edge = self.upper if value > self.expected else self.lower
        widths = (value - self.expected) / max(abs(edge - self.expected), sys.float_info.min)
        if self.nothing is not None and value < edge and edge > self.nothing:
            typical = self.expected - self.nothing
            log_sum, log_edge = (
                math.log(max(MIN_TOTAL_FRACTION, (number - self.nothing) / typical))
                for number in (value, edge)
            )
            widths = min(widths, -log_sum / min(log_edge, -sys.float_info.epsilon))
        return max(-_MAX_WIDTHS, min(_MAX_WIDTHS, widths))


class SurgeStep(NamedTuple):
    """A step of the window of a recurring surge; an excess is how far it raises a value."""

    position: int  # steps since the window began
    length: int  # of the window, in steps
    low: float  # the lowest excess of this step
    typical: float
    high: float
    min_total: float  # bounds of the sum of the excesses of a whole surge, and the typical one
    typical_total: float
    max_total: float

    def raise_band(
        self, band: SurgeBand, total_before: float | None, *, is_last: bool
    ) -> SurgeBand:
        """Return the band of a value, given that without the surge.

        What is missing of the typical sum by the last step to judge is expected there; a surge that
        was long or high enough must end. ``total_before`` is the sum of the excesses of the steps
        before, None if one is missing.
        """
        (lower, expected, upper, _), typical = band, self.typical
        low = expected + self.low if self.low > 0 else lower
        high, nothing = max(upper, expected + self.high), None
        if total_before is not None:
            high = max(upper, min(high, expected + self.max_total - total_before))
            low = low if low <= high else lower
            if is_last and self.min_total > total_before:
                nothing = expected - total_before
                low = max(low, min(high, nothing + self.min_total))
                typical = max(typical, self.typical_total - total_before)
        return SurgeBand(low, max(low, min(expected + typical, high)), high, nothing)


@dataclass
class RecurringSurges:
    """The surges of a series that recur; their windows do not overlap.

    Both lists are flat, because ``pack`` stores no nested ones.
    """

    windows: tuple[int, ...] = ()  # the numbers of each window, in steps
    bands: list[float] = field(default_factory=list)  # of each: all low, typical, high; the totals

    def add(
        self, period: int, begin: int, excesses: FloatArray, totals: tuple[float, float, float]
    ) -> None:
        """Add a surge whose window begins at the phase ``begin`` of its period.

        ``excesses``, shape (3, length), are the lowest, typical and highest of each step,
        ``totals`` those of their sum.
        """
        self.windows += (period, begin, excesses.shape[1])
        self.bands += [*excesses.ravel().tolist(), *totals]

    @property
    def periods(self) -> tuple[int, ...]:
        return self.windows[::_WINDOW_NUMBERS]

    def step_at(self, steps: int) -> SurgeStep | None:
        """Return the step of the surge in whose window the time is, ``steps`` after the origin."""
        start = 0
        for period, begin, length in self._each_window():
            totals = start + _STEP_NUMBERS * length
            end, position = totals + _TOTAL_NUMBERS, (steps - begin) % period
            if position < length:
                numbers = self.bands[start + position : totals : length] + self.bands[totals:end]
                return SurgeStep(position, length, *numbers)
            start = end
        return None

    def raise_bands(self, values: FloatArray, bands: Bands) -> tuple[Bands, FloatArray]:
        """Return the bands of the values (n,), given those without surges.

        The excess of a whole surge over its bounds is judged at its peak.

        Returns:
            The bands, and the distance of each value in a window as of `SurgeBand.distance`, shape
            (n,), 0 elsewhere.
        """
        n, raised, widths = len(values), np.array(bands), np.zeros(len(values))
        for period, begin, length in self._each_window():
            steps = [step for i in range(length) if (step := self.step_at(begin + i))]
            steps.sort(key=lambda step: step.typical)
            for start in range(begin - period, n, period):
                inside = [step for step in steps if 0 <= start + step.position < n]
                total = 0.0 if 0 <= start <= n - length else None
                for step in inside:
                    index = start + step.position
                    value = float(values[index])
                    base = SurgeBand(*raised[:, index].tolist())
                    band = step.raise_band(base, total, is_last=step is steps[-1])
                    raised[:, index] = band[:3]
                    widths[index] = band.distance(value)
                    total = None if total is None else total + value - base.expected
        return Bands(*raised), widths

    def _each_window(self) -> Iterator[tuple[int, int, int]]:
        return zip(*[iter(self.windows)] * _WINDOW_NUMBERS, strict=True)


@dataclass
class CurrentSurge:
    """The points so far in the current window of a recurring surge, and their sum."""

    points: int = 0
    total: float = 0.0

    def add_point(self, position: int, excess: float) -> float | None:
        """Add a point; return the sum of the excesses before it, None if one is missing."""
        if position == 0:
            self.points, self.total = 0, 0.0
        total_before = self.total if self.points == position else None
        self.points += 1
        self.total += excess
        return total_before


def find_flagged_surges(
    widths: FloatArray, is_inside: BoolArray, is_flagged: BoolArray
) -> list[AnomalousSegment]:
    """Return the surges with flagged points, each a spike or a dip; all arguments have shape (n,).

    ``widths`` are from `RecurringSurges.raise_bands`; ``is_inside``: whether each is in a surge.
    """
    segments = []
    for window in np.flatnonzero(np.diff(is_inside, prepend=False, append=False)).reshape(-1, 2):
        indices = np.flatnonzero(is_flagged[slice(*window)]) + window[0]
        if len(indices):
            peak = float(widths[indices[np.argmax(np.abs(widths[indices]))]])
            kind = EventKind.SPIKE if peak > 0 else EventKind.DIP
            p_value = 10.0 ** -surge_evidence(peak)
            segments.append(AnomalousSegment(int(indices[0]), int(indices[-1]), kind, p_value))
    return segments


def surge_evidence(widths: float) -> float:
    """Return -log10 of the p-value of a distance from the expectation, in half-widths."""
    return min(_MAX_EVIDENCE, _EDGE_EVIDENCE * widths**2)
