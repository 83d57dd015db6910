"""Recurring surges: loads at fixed times, such as every night, and what they add to a series."""

from dataclasses import dataclass, field
from typing import NamedTuple


class SurgeStep(NamedTuple):
    """A step of the window of a recurring surge; an excess is how far it raises a value."""

    position: int  # steps since the window began
    length: int  # of the window, in steps
    low: float  # the lowest excess of this step
    usual: float
    high: float
    min_total: float  # bounds of the sum of the excesses of a whole surge
    max_total: float


@dataclass
class RecurringSurges:
    """The surges of a series that recur; their windows do not overlap."""

    windows: tuple[int, ...] = ()  # of each surge: its period, first phase and length in steps
    # Of each surge: the low, the usual and the high excesses of its steps, and the bounds of their
    # sum.
    bands: list[float] = field(default_factory=list)

    def add(self, period: int, begin: int, length: int, band: list[float]) -> None:
        """Add a surge whose window begins at the phase ``begin`` of its period."""
        self.windows += (period, begin, length)
        self.bands += band

    def step_at(self, steps: int) -> SurgeStep | None:
        """Return the step of the surge in whose window the time is, ``steps`` after the origin."""
        start = 0
        for index in range(0, len(self.windows), 3):
            period, begin, length = self.windows[index : index + 3]
            position, end = (steps - begin) % period, start + 3 * length
            if position < length:
                excesses = self.bands[start + position : end : length]
                return SurgeStep(position, length, *excesses, *self.bands[end : end + 2])
            start = end + 2
        return None


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
