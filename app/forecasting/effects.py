"""Effects on a history and its forecast: removed, and added again."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from app.forecasting.attempt import try_fit
from app.forecasting.intervals.normal import normal_half_width
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.history import History
from app.timeseries.types import FloatArray

logger = logging.getLogger(__name__)

_MIN_MEDIAN_RATIO = 0.02  # effects are factors where no value is below this fraction of the median


@dataclass(frozen=True)
class Effects:
    """Effects on a series: factors of its values, or amounts added to them.

    ``past`` are the effects on the n values of the history, shape (n,). ``ahead`` are those on the
    h values to come, and ``deviation`` their standard deviations, shape (h,). They are logarithms
    of factors if ``is_logarithmic``, else in the series' unit.
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

    def add_to(self, fit: ForecastDistribution, *, is_non_negative: bool) -> ForecastDistribution:
        """Return the fit with the effects to come; ``is_non_negative``: it is cut at 0.

        Its half-widths and the uncertainty of the effects add as independent errors do.
        """
        factor = np.exp(self.ahead) if self.is_logarithmic else np.ones(len(self.ahead))
        moved = 0.0 if self.is_logarithmic else self.ahead
        median = fit.median * factor + moved
        deviation = self.deviation * np.abs(median) if self.is_logarithmic else self.deviation
        floor = 0.0 if is_non_negative else -np.inf

        def interval(confidence: float) -> Bounds:
            lower, upper = (bound * factor + moved for bound in fit.interval(confidence))
            half_width = normal_half_width(confidence) * deviation
            is_uncertain = half_width > 0
            lower = np.where(is_uncertain, median - np.hypot(median - lower, half_width), lower)
            upper = np.where(is_uncertain, median + np.hypot(upper - median, half_width), upper)
            return np.maximum(lower, floor), np.maximum(upper, floor)

        median = np.maximum(median, floor)
        inner = 0.0 if fit.effects is None else fit.effects
        return replace(fit, median=median, interval=interval, effects=inner + median - fit.median)


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


def power_of_two_unit(values: FloatArray) -> float:
    """Return the power of two that brings the largest of ``values`` to between 1/2 and 1.

    Divided by it, values of any size have the same digits, and their squares are numbers.
    """
    return float(np.ldexp(1.0, int(np.frexp(np.abs(values).max())[1])))
