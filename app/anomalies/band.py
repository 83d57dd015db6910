"""p-values of residuals and the band consistent with them."""

import math
from dataclasses import dataclass, field

import numpy as np

from app.anomalies.results import Direction
from app.anomalies.tail import MIN_P_VALUE, Tail
from app.timeseries.types import BoolArray, FloatArray


@dataclass
class Tails:
    """The upper tails of scaled residuals and of their negatives."""

    up: Tail = field(default_factory=Tail)
    down: Tail = field(default_factory=Tail)

    def log_p(self, scaled: float, direction: Direction) -> float:
        """Return the logarithm of the probability of a residual this far out, on its sides."""
        if direction is Direction.UP:
            return self.up.log_p(scaled)
        if direction is Direction.DOWN:
            return self.down.log_p(-scaled)
        beyond = self.up.log_p(scaled) if scaled > 0 else self.down.log_p(-scaled)
        return min(0.0, beyond + self._log_side_count)

    def p_value(self, scaled: FloatArray, direction: Direction) -> FloatArray:
        """Return the probability of residuals this far out on the sides of ``direction``."""
        above, below = (
            np.maximum(np.exp(tail.log_p_values(sign * scaled)), MIN_P_VALUE)
            for tail, sign in ((self.up, 1), (self.down, -1))
        )
        if direction is not Direction.BOTH:
            return above if direction is Direction.UP else below
        sides = math.exp(self._log_side_count)
        return np.asarray(np.minimum(sides * np.minimum(above, below), 1.0))

    def improbability(self, scaled: FloatArray) -> FloatArray:
        """Return -log10 of the probability of residuals this far out on their own side."""
        above = self.up.cautious().log_p_values(scaled)
        below = self.down.cautious().log_p_values(-scaled)
        return -np.where(scaled > 0, above, below) / math.log(10.0)

    def limits(self, rate: float, direction: Direction) -> tuple[float, float]:
        """Return how far below and above 0 a residual may be, each at least 0.

        With one direction the rate applies to its side; the other limit is that of the other
        direction.
        """
        log_p = math.log(rate) - (self._log_side_count if direction is Direction.BOTH else 0.0)
        return max(0.0, self.down.quantile(log_p)), max(0.0, self.up.quantile(log_p))

    @property
    def _log_side_count(self) -> float:
        """The logarithm of the number of sides with a band: one if values have a bound."""
        return 0.0 if self.up.is_bare or self.down.is_bare else math.log(2.0)


def is_outside_band(
    values: FloatArray, lower: FloatArray, upper: FloatArray, direction: Direction
) -> BoolArray:
    """Return whether each value lies outside its band on a side of ``direction``."""
    is_above = (values > upper) & direction.has_side(is_up=True)
    return np.asarray(is_above | (values < lower) & direction.has_side(is_up=False))


def reconcile_p_values(p_value: FloatArray, is_anomaly: BoolArray, rate: float) -> FloatArray:
    """Return p-values that are below the rate exactly where flagged, despite rounding."""
    below = np.nextafter(rate, 0.0)
    return np.where(is_anomaly, np.minimum(p_value, below), np.maximum(p_value, rate))
