"""A forecast with an interval of learned half-widths, as a distribution."""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.end_jump import Jump, widen_to_both_levels
from app.forecasting.intervals.learned import interpolate_levels
from app.forecasting.intervals.width_cap import cap_width, widest_bounds
from app.forecasting.types import Bounds, ForecastDistribution, Provenance
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class IntervalWidths:
    """A forecast with its half-widths at ``CONFIDENCE_LEVELS``.

    Attributes:
        centre: Where the half-widths begin, shape (h,).
        below: Half-widths in units of ``unit``, shape (levels, h).
        above: The same upwards.
        unit: The expected error of each step, shape (h,).
        values: The history, shape (n,), which bounds the interval.
        jump: A jump at the end of the history; the interval contains both of its levels.
    """

    centre: FloatArray
    below: FloatArray
    above: FloatArray
    unit: FloatArray
    values: FloatArray
    jump: Jump | None

    def to_distribution(
        self, median: FloatArray, floor: float, provenance: Provenance
    ) -> ForecastDistribution:
        """Return the distribution around a median, no number of it below ``floor``."""
        sides = np.stack([self.below, self.above], axis=1)
        widest = widest_bounds(self.centre, self.values)

        def interval(confidence: float) -> Bounds:
            below, above = interpolate_levels(sides, confidence)
            bounds = self.centre - below * self.unit, self.centre + above * self.unit
            bounds = cap_width(bounds, widest)
            lower, upper = widen_to_both_levels(bounds, self.centre, self.jump, confidence)
            lower, upper = np.minimum(lower, median), np.maximum(upper, median)
            return np.maximum(lower, floor), np.maximum(upper, floor)

        error = float(self.unit[0])
        return ForecastDistribution(
            np.maximum(median, floor), interval, error, provenance=provenance
        )
