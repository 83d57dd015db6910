"""The few types every part of the engine shares."""

from collections.abc import Callable
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
class MemberForecast:
    """What one member says of the next ``h`` steps.

    ``median`` has shape (h,). ``width`` has shape (h,): about one standard deviation of the error
    at each step, or None where the member has no own idea of it. ``backtest`` has shape
    (origins, h): what a member that is given a ``validation.Task`` would have forecast at each past
    origin, from the values before it; None for the others.
    """

    median: FloatArray
    width: FloatArray | None = None
    backtest: FloatArray | None = None


Member = Callable[[History, int], MemberForecast]
"""A member of the short recipes: a history and a horizon in, a median with a width out."""


@dataclass(frozen=True)
class Prediction:
    """The engine's answer: three arrays of shape (h,), lower <= median <= upper.

    ``fell_back``: a simpler model answered, because the one asked for could not be fitted.
    """

    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    notices: tuple[str, ...] = field(default=())
    fell_back: bool = False
