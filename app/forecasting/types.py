"""The types that all parts of the engine share."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from app.timeseries.calendar.frequency import Frequency

FloatArray = npt.NDArray[np.float64]
MAX_HORIZON = 100
"""The most steps that are forecast."""

SHAPE_STEPS = 6
"""How a forecast turns and how its error grows are read from so many first steps, whatever the
horizon."""

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

Bounds = tuple[FloatArray, FloatArray]
"""Lower and upper bounds, each of shape (h,)."""


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
        """The grid of what is left when the first ``dropped`` values are dropped."""
        return Grid(self.first + dropped * self.step, self.step)


@dataclass(frozen=True)
class History:
    """What a model learns from.

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


@dataclass(frozen=True)
class Prediction:
    """The engine's result: three arrays of shape (h,), lower <= median <= upper.

    ``fell_back``: a simpler model was used, because the requested one could not be fitted.
    ``holiday_notices`` are those about holidays, ``notices`` all others.
    """

    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    notices: tuple[str, ...] = field(default=())
    fell_back: bool = False
    holiday_notices: tuple[str, ...] = ()


Interval = Callable[[float], Bounds]
"""The bounds of any confidence between 0 and 1, wider for a larger one."""


@dataclass(frozen=True)
class Fit:
    """A model fitted to a history: ``median`` of shape (h,), and its interval of any confidence.

    ``step_error`` is the error of one step that the members expect, infinite if unknown. The other
    fields are those of ``Prediction``.
    """

    median: FloatArray
    interval: Interval
    notices: tuple[str, ...] = ()
    fell_back: bool = False
    step_error: float = np.inf
    holiday_notices: tuple[str, ...] = ()

    def predict(self, confidence: float) -> Prediction:
        """Return the forecast with the interval of a confidence between 0 and 1."""
        lower, upper = self.interval(confidence)
        return Prediction(
            lower, self.median, upper, self.notices, self.fell_back, self.holiday_notices
        )

    def first(self, horizon: int) -> "Fit":
        """Return the fit for the first ``horizon`` of its steps."""

        def interval(confidence: float) -> Bounds:
            lower, upper = self.interval(confidence)
            return lower[:horizon], upper[:horizon]

        return replace(self, median=self.median[:horizon], interval=interval)
