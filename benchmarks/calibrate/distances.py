"""Distances from a high-frequency recipe's median to the values, in half-widths: 1 is on the bound.

One combination of the members serves all confidences; the other bounds of an interval
(``width_cap``, ``end_jump``) are left out.
"""

from dataclasses import replace

import numpy as np

from app.forecasting.intervals.conformal import (
    learned_half_widths,
    measure_errors,
    skewed_half_widths,
)
from app.forecasting.intervals.learned import (
    CONFIDENCE_LEVELS,
    HighFrequencyWidths,
    SeasonExponents,
)
from app.forecasting.models.high_frequency import combine_high_frequency
from app.forecasting.models.recipes import MODELS
from app.forecasting.models.robust import combine_robust
from app.timeseries.history import History
from app.timeseries.types import FloatArray


def widths_with_exponent(widths: HighFrequencyWidths, exponent: float) -> HighFrequencyWidths:
    """Return the same factors with one exponent for all short histories; 0 widens none."""
    exponents = np.full(len(CONFIDENCE_LEVELS), exponent)
    return replace(widths, exponents=SeasonExponents(exponents, exponents))


def weighed_distances(
    past: History, future: FloatArray, horizon: int, model: str, widths: HighFrequencyWidths
) -> FloatArray:
    """Return the distances of ``future`` (k,) from a model's forecast, shape (levels, k)."""
    fitted = combine_high_frequency(past, horizon, MODELS[model].high_frequency[past.frequency])
    mean = fitted.combined.mean
    scale = measure_errors(mean, fitted.task)
    steps = len(future)
    expected = np.maximum(scale.expected_errors[:steps], min_expected_error(past))
    error = np.abs(future - mean.forecast[:steps])
    return np.asarray(error / expected / learned_half_widths(scale, widths)[:, :steps])


def robust_distances(
    past: History, future: FloatArray, horizon: int, widths: HighFrequencyWidths
) -> FloatArray:
    """Return the same for model 4, whose intervals have two sides."""
    fitted = combine_robust(
        past, horizon, MODELS["forecast-model-4"].high_frequency[past.frequency]
    )
    steps = len(future)
    sides = skewed_half_widths(fitted.scale, widths)
    expected = np.maximum(fitted.scale.expected_errors[:steps], min_expected_error(past))
    middle = fitted.combined.forecast[:steps] + sides.median_shift * expected
    below, above = (side[:, :steps] * expected for side in (sides.below, sides.above))
    is_non_negative = past.values.min() >= 0
    error = future - (np.maximum(middle, 0.0) if is_non_negative else middle)
    distance = np.abs(error) / np.where(error < 0, below, above)
    # A bound at zero covers all values that are not negative, whatever its width.
    is_covered = (error < 0) & (middle - below <= 0) & (future >= 0) & is_non_negative
    return np.where(is_covered, 0.0, distance)


def min_expected_error(past: History) -> float:
    """Return the smallest expected error, so that a perfect past causes no division by zero."""
    return float(1e-9 * np.abs(past.values).max() + 1e-300)
