"""The types that all parts of the engine share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.timeseries.types import FloatArray

MAX_HORIZON = 100  # maximum number of steps ahead

# Fewer steps of a low-frequency member do not show whether it alternates, or how errors grow.
MIN_MEMBER_STEPS = 6

Bounds = tuple[FloatArray, FloatArray]  # lower and upper bounds, each of shape (h,)


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """How a forecast was made.

    Attributes:
        notices: Short sentences about the forecast, without those about its other attributes.
        is_fallback: A simpler model was used, because the requested one could not be fitted.
        holiday_notices: Short sentences about holidays.
        shopping_days: The names of shopping days whose effects are in the forecast.
        level_change: Index of the first point of a new level, to which earlier points were moved.
        season_shift: Index of the first point after the daily season moved by an hour.
        interruption: Indices of the first and the last point of a past interruption, which were
            moved to the usual level.
        upper_bound: What the series often reached and never passed, if that limits the forecast.
    """

    notices: tuple[str, ...] = ()
    is_fallback: bool = False
    holiday_notices: tuple[str, ...] = ()
    shopping_days: tuple[str, ...] = ()
    level_change: int | None = None
    season_shift: int | None = None
    interruption: tuple[int, int] | None = None
    upper_bound: float | None = None

    def with_earlier_points(self, points: int) -> "Provenance":
        """Return the provenance, with indices in a history that begins ``points`` earlier."""
        shift, change, interruption = self.season_shift, self.level_change, self.interruption
        return replace(
            self,
            level_change=None if change is None else change + points,
            season_shift=None if shift is None else shift + points,
            interruption=interruption and (points + interruption[0], points + interruption[1]),
        )


@dataclass(frozen=True)
class Prediction:
    """A forecast with one interval: three arrays of shape (h,), lower <= median <= upper."""

    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    provenance: Provenance = Provenance()


# The bounds of any confidence between 0 and 1, wider for a larger one.
IntervalFunction = Callable[[float], Bounds]


@dataclass(frozen=True)
class ForecastDistribution:
    """The forecast of a fitted model: a median, and an interval at any confidence.

    Attributes:
        median: Shape (h,).
        interval: Returns the bounds at a confidence between 0 and 1.
        step_error: The standard error of one step by the members, infinite if unknown.
        contributions: By how much each known column moves the median, shape (k, h).
        effects: By how much holidays and known columns together move it, shape (h,).
    """

    median: FloatArray
    interval: IntervalFunction
    step_error: float = np.inf
    contributions: FloatArray | None = None
    effects: FloatArray | None = None
    provenance: Provenance = Provenance()

    def at(self, confidence: float) -> Prediction:
        """Return the forecast with the interval at a confidence between 0 and 1."""
        lower, upper = self.interval(confidence)
        return Prediction(lower=lower, median=self.median, upper=upper, provenance=self.provenance)

    def with_provenance(self, **changes: Any) -> "ForecastDistribution":
        """Return the forecast with changed attributes of its provenance."""
        return replace(self, provenance=replace(self.provenance, **changes))

    def map_bounds(
        self, change: Callable[[FloatArray, FloatArray, float], Bounds], **changes: Any
    ) -> "ForecastDistribution":
        """Return the forecast with the interval ``change(lower, upper, confidence)``.

        ``changes`` are of other attributes, as in ``dataclasses.replace``.
        """

        def interval(confidence: float) -> Bounds:
            return change(*self.interval(confidence), confidence)

        return replace(self, interval=interval, **changes)

    def map_values(
        self, change: Callable[[FloatArray], FloatArray], **changes: Any
    ) -> "ForecastDistribution":
        """Return the forecast with ``change`` applied to its median and to its bounds."""
        return self.map_bounds(
            lambda lower, upper, _: (change(lower), change(upper)),
            median=change(self.median),
            **changes,
        )

    def first_steps(self, horizon: int) -> "ForecastDistribution":
        return self.map_values(
            lambda values: values[:horizon],
            effects=None if self.effects is None else self.effects[:horizon],
            contributions=None if self.contributions is None else self.contributions[:, :horizon],
        )


@dataclass(frozen=True)
class Forecast:
    """A forecast of h periods.

    Attributes:
        timestamps: One for each period.
        lower: Shape (h,); lower <= median <= upper, all finite.
        median: Shape (h,).
        upper: Shape (h,).
        model_id: The requested model.
        notices: Short sentences about the forecast.
        is_fallback: A simpler model was used, because the requested one could not be fitted.
    """

    timestamps: list[str]
    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    model_id: str
    notices: tuple[str, ...] = ()
    is_fallback: bool = False


# Here and not beside its job: a web process that unpickles it must not import the models.
@dataclass(frozen=True, kw_only=True)
class Explanation(Forecast):
    """A forecast of h periods and its parts, each of shape (h,), in the unit of the series.

    The sum of the three parts is the median, within rounding.
    """

    level_and_trend: FloatArray
    season: FloatArray
    holidays: FloatArray
