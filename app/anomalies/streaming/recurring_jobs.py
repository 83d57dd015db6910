"""Jobs that run at fixed times, such as every night: what they add to a series."""

from dataclasses import dataclass, field
from typing import NamedTuple


class JobStep(NamedTuple):
    """A step of the window of a job; an excess is how far the job raises a value."""

    position: int  # steps since the window began
    length: int  # of the window, in steps
    low: float  # the lowest excess of this step
    usual: float
    high: float
    min_total: float  # bounds of the sum of the excesses of a whole run
    max_total: float


@dataclass
class RecurringJobs:
    """All jobs of a series; their windows do not overlap."""

    windows: tuple[int, ...] = ()  # of each job: its period, first phase and length in steps
    # Of each job: the low, the usual and the high excesses of its steps, and the bounds of the sum.
    bands: list[float] = field(default_factory=list)

    def add(self, period: int, begin: int, length: int, band: list[float]) -> None:
        """Add a job whose window begins at the phase ``begin`` of its period."""
        self.windows += (period, begin, length)
        self.bands += band

    def step_at(self, steps: int) -> JobStep | None:
        """Return the step of the job in whose window the time is, ``steps`` after the origin."""
        start = 0
        for index in range(0, len(self.windows), 3):
            period, begin, length = self.windows[index : index + 3]
            position, end = (steps - begin) % period, start + 3 * length
            if position < length:
                excesses = self.bands[start + position : end : length]
                return JobStep(position, length, *excesses, *self.bands[end : end + 2])
            start = end + 2
        return None


@dataclass
class JobRun:
    """The run in the current window of a job: its points so far, and their sum."""

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
