"""Effects on a history and its forecast: removed, and added again."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from app.forecasting.attempt import try_fit
from app.forecasting.intervals.normal import normal_half_width
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.history import History
from app.timeseries.types import FloatArray

logger = logging.getLogger(__name__)

_MIN_MEDIAN_RATIO = 0.02  # effects are factors where no value is below this fraction of the median


class RemovableEffect(Protocol):
    """What is removed from a history before a model is fitted, and added to its forecast."""

    def remove_from(self, history: History) -> History: ...

    def add_to(self, fit: ForecastDistribution, floor: float) -> ForecastDistribution: ...


@dataclass(frozen=True)
class Effects:
    """Effects on a series: factors of its values, or amounts added to them.

    Attributes:
        past: The effects on the values of the history, shape (n,).
        ahead: The effects on the values to come, shape (h,).
        deviation: The standard deviations of ``ahead``, shape (h,).
        is_logarithmic: Whether these are logarithms of factors; otherwise they are amounts in the
            unit of the series.
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

    def add_to(self, fit: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the fit with the effects to come, cut off at ``floor``.

        Its half-widths and the uncertainty of the effects add up as independent errors do.
        """
        factor = np.exp(self.ahead) if self.is_logarithmic else np.ones(len(self.ahead))
        moved = 0.0 if self.is_logarithmic else self.ahead
        median = fit.median * factor + moved
        deviation = self.deviation * np.abs(median) if self.is_logarithmic else self.deviation
        median = np.maximum(median, floor)

        def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
            lower, upper = lower * factor + moved, upper * factor + moved
            half_width = normal_half_width(confidence) * deviation
            is_uncertain = half_width > 0
            lower = np.where(is_uncertain, median - np.hypot(median - lower, half_width), lower)
            upper = np.where(is_uncertain, median + np.hypot(upper - median, half_width), upper)
            return np.maximum(lower, floor), np.maximum(upper, floor)

        inner = 0.0 if fit.effects is None else fit.effects
        return fit.map_bounds(widen, median=median, effects=inner + median - fit.median)


FoundEffects = TypeVar("FoundEffects", bound=Effects)


def finite_effects(find: Callable[[], FoundEffects | None], noun: str) -> FoundEffects | None:
    """Return the effects that ``find`` returns, if they are finite.

    None also if it raises; the log then names ``noun``.
    """
    with np.errstate(all="ignore"):
        effects = try_fit(find, f"the effects of {noun}")
    if effects is None:
        return None
    if not all(np.isfinite(effect).all() for effect in (effects.past, effects.ahead)):
        logger.error("the effects of %s are not finite", noun)
        return None
    return effects


def has_factors(values: FloatArray) -> bool:
    """Return whether effects are factors, learned as logarithms: no value is near 0."""
    return bool(values.min() > max(0.0, _MIN_MEDIAN_RATIO * float(np.median(values))))
