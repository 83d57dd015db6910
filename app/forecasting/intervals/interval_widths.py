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
        centre: The centre of the intervals, shape (h,).
        below: The lower half-widths, in units of ``expected_errors``, shape (levels, h).
        above: The upper half-widths, likewise.
        expected_errors: Of each step, shape (h,).
        values: The history, shape (n,), which limits the widths.
        jump: A jump at the end of the history; the interval contains both of its levels.
    """

    centre: FloatArray
    below: FloatArray
    above: FloatArray
    expected_errors: FloatArray
    values: FloatArray
    jump: Jump | None

    def to_distribution(
        self, median: FloatArray, floor: float, provenance: Provenance
    ) -> ForecastDistribution:
        """Return the forecast with this ``median``; neither it nor a bound is below ``floor``."""
        sides = np.stack([self.below, self.above], axis=1)
        widest = widest_bounds(self.centre, self.values)

        def interval(confidence: float) -> Bounds:
            below, above = interpolate_levels(sides, confidence) * self.expected_errors
            bounds = cap_width((self.centre - below, self.centre + above), widest)
            lower, upper = widen_to_both_levels(bounds, self.centre, self.jump, confidence)
            lower, upper = np.minimum(lower, median), np.maximum(upper, median)
            return np.maximum(lower, floor), np.maximum(upper, floor)

        error = float(self.expected_errors[0])
        return ForecastDistribution(
            np.maximum(median, floor), interval, error, provenance=provenance
        )
