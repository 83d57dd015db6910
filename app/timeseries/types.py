"""Arrays, and the history that a model or a detector learns from."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.timeseries.calendar.frequency import Frequency

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Grid:
    """When the values of a history were: the time of the first, dtype ``datetime64[s]``, and
    ``step`` seconds from each to the next."""

    first: np.datetime64
    step: int

    def times(self, count: int) -> npt.NDArray[np.datetime64]:
        """The times of ``count`` values from the first one on, shape (count,)."""
        return self.first + self.step * np.arange(count)

    def after(self, dropped: int) -> "Grid":
        """The grid without the first ``dropped`` values."""
        return Grid(self.first + dropped * self.step, self.step)


@dataclass(frozen=True)
class History:
    """The data that a model learns from.

    ``values`` has shape (n,), finite, oldest first, regularly spaced. ``periods`` holds the
    seasonal periods in steps, shortest first, each at least 2: (12,) for months, (24, 168) for
    hours, (288, 2016) for five minutes, (7, 365) for days, () for years. ``grid``: when the values
    were; None where that is unknown, or where steps have no constant length (months, business
    days).
    """

    values: FloatArray
    periods: tuple[int, ...]
    frequency: Frequency
    grid: Grid | None = None
