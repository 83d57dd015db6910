"""The types that all parts of the engine share."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from app.timeseries.types import FloatArray

MAX_HORIZON = 100  # maximum number of steps ahead

# Minimum number of steps that members forecast: they show turns and the growth of errors.
MIN_MEMBER_STEPS = 6

Bounds = tuple[FloatArray, FloatArray]  # lower and upper bounds, each of shape (h,)


@dataclass(frozen=True, kw_only=True)
class ForecastNotices:
    """How a forecast was made.

    ``is_fallback``: a simpler model was used, because the requested one could not be fitted.
    ``holiday_notices`` are those about holidays, ``notices`` all others. ``level_change``: index of
    the first point of a new level, if what came before was moved to it.
    """

    notices: tuple[str, ...] = ()
    is_fallback: bool = False
    holiday_notices: tuple[str, ...] = ()
    level_change: int | None = None


@dataclass(frozen=True)
class Prediction(ForecastNotices):
    """The engine's result: three arrays of shape (h,), lower <= median <= upper."""

    lower: FloatArray
    median: FloatArray
    upper: FloatArray


# The bounds of any confidence between 0 and 1, wider for a larger one.
IntervalFunction = Callable[[float], Bounds]


@dataclass(frozen=True)
class ForecastDistribution(ForecastNotices):
    """The forecast of a fitted model: ``median`` (h,), and its interval at any confidence.

    ``step_error`` is the error of one step that the members expect, infinite if unknown;
    ``effects``, of shape (h,): by how much holidays and known columns together move the median, and
    ``contributions``, of shape (k, h), each column; None without effects.
    """

    median: FloatArray
    interval: IntervalFunction
    step_error: float = np.inf
    contributions: FloatArray | None = None
    effects: FloatArray | None = None

    def at(self, confidence: float) -> Prediction:
        """Return the forecast with the interval at a confidence between 0 and 1."""
        lower, upper = self.interval(confidence)
        notices = {field.name: getattr(self, field.name) for field in fields(ForecastNotices)}
        return Prediction(lower, self.median, upper, **notices)

    def first_steps(self, horizon: int) -> "ForecastDistribution":
        def interval(confidence: float) -> Bounds:
            lower, upper = self.interval(confidence)
            return lower[:horizon], upper[:horizon]

        return replace(
            self,
            median=self.median[:horizon],
            interval=interval,
            effects=None if self.effects is None else self.effects[:horizon],
            contributions=(None if self.contributions is None else self.contributions[:, :horizon]),
        )


@dataclass(frozen=True)
class Forecast:
    """A forecast of ``h`` periods: ``timestamps`` and three arrays of shape (h,).

    lower <= median <= upper, all finite. ``notices`` are short sentences about the forecast;
    ``is_fallback``: a simpler model was used, because ``model_id`` could not be fitted.
    """

    timestamps: list[str]
    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    model_id: str
    notices: tuple[str, ...] = ()
    is_fallback: bool = False
