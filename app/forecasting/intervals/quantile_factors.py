"""Intervals of yearly, quarterly and monthly forecasts: learned factors times the members' width.

The half-width at confidence c, h steps ahead, is W exp(a + b ln h + c ln(v/W) + d ln(s/W)), where W
pools the members' standard errors and their spread s, and v is the mean absolute seasonal change.
The coefficients come from quantile regression of past forecast errors
(``benchmarks/calibrate.py``, which also checks them across sources).
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtri

from app.forecasting.frequency import Frequency
from app.forecasting.types import FloatArray

LEVELS = (0.50, 0.80, 0.90, 0.95, 0.99)
# The spread counts as at least this share of the width, so that agreement is not certainty.
SMALLEST_SPREAD = 0.05

# Rows as LEVELS; columns: constant, ln horizon, ln seasonal change, ln spread.
Factors = tuple[tuple[float, float, float, float], ...]
_FACTORS: dict[Frequency, Factors] = {
    Frequency.YEARLY: (
        (0.04, 0.37, 0.44, 0.12),
        (0.78, 0.38, 0.41, 0.11),
        (1.15, 0.39, 0.42, 0.12),
        (1.44, 0.42, 0.44, 0.12),
        (2.06, 0.47, 0.52, 0.13),
    ),
    Frequency.QUARTERLY: (
        (-0.54, 0.27, 0.29, 0.02),
        (0.14, 0.27, 0.28, -0.02),
        (0.49, 0.26, 0.24, -0.02),
        (0.79, 0.28, 0.26, 0.01),
        (1.34, 0.26, 0.31, 0.04),
    ),
    Frequency.MONTHLY: (
        (-0.20, 0.07, 0.14, 0.21),
        (0.45, 0.08, 0.10, 0.17),
        (0.78, 0.09, 0.14, 0.18),
        (1.00, 0.12, 0.18, 0.20),
        (1.53, 0.12, 0.17, 0.24),
    ),
}


@dataclass(frozen=True)
class WidthFeatures:
    """What the width of an interval depends on.

    ``width`` and ``spread`` have shape (h,): pooled standard error of the members, and standard
    deviation between them. ``change`` is the mean absolute change over one seasonal period.
    """

    width: FloatArray
    spread: FloatArray
    change: float

    def regressors(self) -> tuple[FloatArray, FloatArray]:
        """ln W of shape (h,) and the regressors of shape (h, 4)."""
        smallest = max(1e-12 * float(self.width.max()), 1e-300)
        width = np.maximum(self.width, smallest)
        steps = np.arange(1, len(width) + 1)
        change = np.log(np.clip(self.change / width, 1e-2, 1e2))
        between = np.log(np.clip(self.spread / width, SMALLEST_SPREAD, 1.0))
        columns = [np.ones(len(width)), np.log(steps), change, between]
        return np.log(width), np.stack(columns, axis=1)


def seasonal_change(values: FloatArray, period: int) -> float:
    """Mean |y[t] - y[t - m]|; of lag 1 where the history is no longer than one period."""
    lag = period if period < len(values) else 1
    return float(np.mean(np.abs(values[lag:] - values[:-lag])))


def half_widths(features: WidthFeatures, frequency: Frequency, confidence: float) -> FloatArray:
    """Half-width of the interval at each step, shape (h,): grows with confidence and never
    narrows with the horizon.

    Between the learned levels a monotone cubic runs over the normal quantile of the confidence,
    through 0 at confidence 0.
    """
    log_width, regressors = features.regressors()
    factors = np.array(_FACTORS.get(frequency, _FACTORS[Frequency.MONTHLY]))
    learned = np.exp(log_width + factors @ regressors.T)
    learned = np.maximum.accumulate(np.maximum.accumulate(learned, axis=0), axis=1)
    knots = np.concatenate([[0.0], ndtri((1.0 + np.array(LEVELS)) / 2.0)])
    table = np.vstack([np.zeros(learned.shape[1]), learned])
    return np.asarray(PchipInterpolator(knots, table)(ndtri((1.0 + confidence) / 2.0)))
