"""Arrays, and the history that a model or a detector learns from."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.timeseries.calendar.frequency import Frequency

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MAX_MAGNITUDE = 1e100
"""The largest absolute value of a series: squares of larger ones may overflow."""


@dataclass(frozen=True)
class Grid:
    """The times of a history: the first one, dtype ``datetime64[s]``, and the step in seconds."""

    first: np.datetime64
    step: int

    def times(self, count: int) -> npt.NDArray[np.datetime64]:
        """Return the times of the first ``count`` values, shape (count,)."""
        return self.first + self.step * np.arange(count)

    def after(self, dropped: int) -> "Grid":
        """Return the grid without the first ``dropped`` values."""
        return Grid(self.first + dropped * self.step, self.step)


@dataclass(frozen=True)
class History:
    """The data that a model learns from.

    ``values`` has shape (n,), finite, oldest first, regularly spaced. ``periods`` holds the
    seasonal periods in steps, shortest first, each at least 2: (12,) for months, (24, 168) for
    hours, (288, 2016) for five minutes, (7, 365) for days, () for years. ``grid``: the times of
    the values; None if unknown, or if steps have no constant length (months, business days).
    """

    values: FloatArray
    periods: tuple[int, ...]
    frequency: Frequency
    grid: Grid | None = None
