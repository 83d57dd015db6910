"""Effects that are removed from a history and added to its forecast."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from app.forecasting.attempt import try_fit
from app.forecasting.intervals.normal import normal_half_width
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.history import History
from app.timeseries.numbers import power_of_two_unit
from app.timeseries.types import FloatArray

logger = logging.getLogger(__name__)

_MIN_MEDIAN_RATIO = 0.02  # effects are factors if no value is below this fraction of the median


class RemovableEffect(Protocol):
    """What is removed from a history before a model is fitted, and added to its forecast."""

    def remove_from(self, history: History) -> History: ...

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution: ...


@dataclass(frozen=True)
class Effects:
    """Effects on a series: factors of its values, or amounts added to them.

    Attributes:
        past: The effects on the values of the history, shape (n,).
        ahead: The effects on the values to come, shape (h,).
        deviation: The standard deviations of ``ahead``, shape (h,).
        is_logarithmic: Whether effects are logarithms of factors, not amounts.
    """

    past: FloatArray
    ahead: FloatArray
    deviation: FloatArray
    is_logarithmic: bool

    def remove_from(self, history: History) -> History:
        """Return the history as it would be without the effects."""
        values = history.values
        values_without = values / np.exp(self.past) if self.is_logarithmic else values - self.past
        return replace(history, values=values_without)

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution with the effects to come, not below ``floor``.

        The errors of the distribution and of the effects add up as independent errors do.
        """
        factor = np.exp(self.ahead) if self.is_logarithmic else np.ones(len(self.ahead))
        amount = 0.0 if self.is_logarithmic else self.ahead
        median = distribution.median * factor + amount
        deviation = self.deviation * np.abs(median) if self.is_logarithmic else self.deviation
        median = np.maximum(median, floor)

        def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
            lower, upper = lower * factor + amount, upper * factor + amount
            half_width = normal_half_width(confidence) * deviation
            is_uncertain = half_width > 0
            lower = np.where(is_uncertain, median - np.hypot(median - lower, half_width), lower)
            upper = np.where(is_uncertain, median + np.hypot(upper - median, half_width), upper)
            return np.maximum(lower, floor), np.maximum(upper, floor)

        inner = 0.0 if distribution.effects is None else distribution.effects
        return distribution.map_bounds(
            widen, median=median, effects=inner + median - distribution.median
        )


FoundEffects = TypeVar("FoundEffects", bound=Effects)


def finite_effects(find: Callable[[], FoundEffects | None], noun: str) -> FoundEffects | None:
    """Return the effects that ``find`` returns; None if they are not finite or it raises.

    The log then names the effects of ``noun``.
    """
    with np.errstate(all="ignore"):
        effects = try_fit(find, f"the effects of {noun}")
    if effects is None:
        return None
    if not all(np.isfinite(effect).all() for effect in (effects.past, effects.ahead)):
        logger.error("the effects of %s are not finite", noun)
        return None
    return effects


class ScaledValues(NamedTuple):
    """What effects are learned from: values of magnitude 1, or their logarithms.

    Effects times ``unit`` are those of ``Effects``.
    """

    values: FloatArray
    unit: float
    is_logarithmic: bool


def scale_values(values: FloatArray) -> ScaledValues:
    """Return the logarithms if no value is near 0, so that effects are factors, or the values."""
    unit = power_of_two_unit(values)
    if values.min() > max(0.0, _MIN_MEDIAN_RATIO * float(np.median(values))):
        return ScaledValues(np.log(values / unit), 1.0, is_logarithmic=True)
    return ScaledValues(values / unit, unit, is_logarithmic=False)
