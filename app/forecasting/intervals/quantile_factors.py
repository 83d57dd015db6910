"""Intervals of yearly, quarterly and monthly forecasts: learned factors times an error.

The half-width at one confidence, h steps ahead, is

    W exp(a + b ln h + c ln(v / W) + d ln(s / W) + e ln r + f p ln h)

where W pools the members' standard errors and their spread s, v is the mean absolute seasonal
change of the history, r the ratio of recent changes to it, and p the power of h by which W grows.
The coefficients were learned from many series; f is for yearly series only. After a long history
the members' own errors are known well: the logarithm then moves by a fraction towards that of W
times a normal quantile.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.forecasting.intervals.normal import normal_half_widths
from app.forecasting.types import MIN_MEMBER_STEPS
from app.timeseries.history import History
from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray

_NO_WIDENING: FloatArray = np.ones(len(CONFIDENCE_LEVELS))

# The minimum spread, as a fraction of the error: members that agree may all be wrong.
_MIN_SPREAD_RATIO = 0.05
# The minimum error, as a fraction of that of the first step and of the seasonal change, so that the
# logarithms of a member without errors are finite.
_MIN_ERROR_RATIO = 1e-9
_MAX_CHANGE_RATIO = 100.0
_MAX_RECENT_RATIO = 10.0
_RECENT_CHANGES = 8
_MAX_POWER = 1.5
# Members' standard errors are too small by this factor: they ignore the uncertainty of parameters.
_MEMBER_WIDENING = 1.2
_MIN_MEMBER_WIDTH_POINTS = 30  # from this many points on, the members' own widths have a weight


@dataclass(frozen=True)
class WidthFeatures:
    """What the width of an interval depends on.

    Attributes:
        standard_error: The pooled standard error of the members, shape (h,).
        spread: The standard deviation between them, shape (h,).
        seasonal_change: The mean absolute change over one seasonal period.
        recent_ratio: The mean of the last changes (two periods, at least eight) over that of all.
    """

    standard_error: FloatArray
    spread: FloatArray
    seasonal_change: float
    recent_ratio: float

    @classmethod
    def of(
        cls, history: History, standard_error: FloatArray, spread: FloatArray
    ) -> "WidthFeatures":
        """Return the features of one forecast; a period as long as the history is ignored."""
        period = history.period
        period = period if period < len(history.values) else 1
        changes = np.abs(history.values[period:] - history.values[:-period])
        mean_change = float(changes.mean())
        recent_change = float(changes[-max(_RECENT_CHANGES, 2 * period) :].mean())
        recent_ratio = recent_change / mean_change if mean_change > 0 else 1.0
        if len(history.values) < 2 * period:
            # Members cannot see the season yet, so that a steady one does not make them accurate.
            mean_change = max(mean_change, float(np.abs(np.diff(history.values)).mean()))
        return cls(standard_error, spread, mean_change, recent_ratio)

    def regressors(self) -> tuple[FloatArray, FloatArray]:
        """Return ln W of shape (h,) and the regressors of shape (h, 6)."""
        largest = max(float(self.standard_error[0]), self.seasonal_change)
        smallest = max(_MIN_ERROR_RATIO * largest, TINY)
        error = np.maximum(self.standard_error, smallest)
        steps = np.arange(1, len(error) + 1)
        ones = np.ones(len(error))
        change_ratio = np.clip(
            self.seasonal_change / error, 1 / _MAX_CHANGE_RATIO, _MAX_CHANGE_RATIO
        )
        spread_ratio = np.clip(self.spread / error, _MIN_SPREAD_RATIO, 1.0)
        recent_ratio = np.clip(self.recent_ratio, 1 / _MAX_RECENT_RATIO, _MAX_RECENT_RATIO)
        columns = [ones, steps, change_ratio, spread_ratio, recent_ratio * ones]
        logs = np.log(np.stack(columns, axis=1))
        logs[:, 0] = 1.0
        log_error = np.log(error)
        last = min(MIN_MEMBER_STEPS, len(error)) - 1
        power = (log_error[last] - log_error[0]) / max(logs[last, 1], np.log(2.0))
        growth = np.clip(power, 0.0, _MAX_POWER) * logs[:, 1]
        return log_error, np.column_stack([logs, growth])


def member_width_weight(points: int, max_weight: float) -> float:
    """Return the weight of the members' own widths, 0 to ``max_weight``, after ``points``."""
    return max_weight * max(0.0, 1.0 - _MIN_MEMBER_WIDTH_POINTS / points)


def half_widths(
    features: WidthFeatures,
    factors: FloatArray,
    widening: FloatArray = _NO_WIDENING,
    member_weight: float = 0.0,
) -> FloatArray:
    """Return the half-widths at ``CONFIDENCE_LEVELS``, shape (levels, h).

    They never narrow with the horizon.

    Args:
        features: Of one forecast.
        factors: The coefficients a to e, or to f, at each level, shape (levels, 5 or 6).
        widening: The factor of the widths at each level, shape (levels,).
        member_weight: The weight of the members' own widths, 0 to 1.
    """
    log_error, regressors = features.regressors()
    logs = (1.0 - member_weight) * (factors @ regressors[:, : factors.shape[1]].T)
    normal = normal_half_widths(CONFIDENCE_LEVELS)
    logs += member_weight * np.log(_MEMBER_WIDENING * normal)[:, None]
    learned = widening[:, None] * np.exp(log_error + logs)
    return np.asarray(np.maximum.accumulate(learned, axis=1))
