"""The types that all parts of the engine share."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from app.forecasting.calendar.frequency import Frequency

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class History:
    """What a model learns from.

    ``values`` has shape (n,), finite, oldest first, regularly spaced. ``periods`` holds the
    seasonal periods in steps, shortest first, each at least 2: (12,) for months, (24, 168) for
    hours, (288, 2016) for five minutes, (7, 365) for days, () for years.
    """

    values: FloatArray
    periods: tuple[int, ...]
    frequency: Frequency


@dataclass(frozen=True)
class Prediction:
    """The engine's result: three arrays of shape (h,), lower <= median <= upper.

    ``fell_back``: a simpler model was used, because the requested one could not be fitted.
    ``step_error`` is the error of one step that the members expect, infinite if unknown.
    """

    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    notices: tuple[str, ...] = field(default=())
    fell_back: bool = False
    step_error: float = np.inf
