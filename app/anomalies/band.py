"""p-values of residuals and the band consistent with them."""

from dataclasses import dataclass

import numpy as np

from app.anomalies.results import Direction
from app.anomalies.tail import Tail, fit_tail
from app.timeseries.types import BoolArray, FloatArray


@dataclass(frozen=True)
class Tails:
    """The upper tails of scaled residuals and of their negatives."""

    up: Tail
    down: Tail

    @property
    def _side_count(self) -> int:
        """The number of sides on which points can be out: one if values have a bound, such as 0."""
        return 1 if self.up.is_bare or self.down.is_bare else 2

    def p_value(self, scaled: FloatArray, direction: Direction) -> FloatArray:
        """Return the probability of scaled residuals this far out on the sides of ``direction``."""
        if direction is Direction.UP:
            return self.up.p_value(scaled)
        if direction is Direction.DOWN:
            return self.down.p_value(-scaled)
        nearer = np.minimum(self.up.p_value(scaled), self.down.p_value(-scaled))
        return np.asarray(np.minimum(self._side_count * nearer, 1.0))

    def improbability(self, scaled: FloatArray) -> FloatArray:
        """Return -log10 of the probability of scaled residuals this far out on their own side."""
        above = self.up.improbability(scaled)
        return np.where(scaled > 0, above, self.down.improbability(-scaled))

    def bounds(self, rate: float, direction: Direction) -> tuple[float, float]:
        """Return the scaled residuals, at most 0 and at least 0, beyond which a point is out.

        With one direction the rate applies to its side; the other bound is that of the other
        direction.
        """
        share = rate / self._side_count if direction is Direction.BOTH else rate
        return -max(self.down.quantile(share), 0.0), max(self.up.quantile(share), 0.0)


def fit_tails(scaled: FloatArray) -> Tails:
    """Fit both tails of scaled residuals, shape (n,)."""
    return Tails(fit_tail(scaled), fit_tail(-scaled))


def is_outside_band(
    values: FloatArray, lower: FloatArray, upper: FloatArray, direction: Direction
) -> BoolArray:
    """Return whether each value lies outside its band on a side of ``direction``."""
    is_above = (values > upper) & direction.includes(is_up=True)
    return np.asarray(is_above | (values < lower) & direction.includes(is_up=False))


def reconcile_p_values(p_value: FloatArray, is_anomaly: BoolArray, rate: float) -> FloatArray:
    """Return p-values that are below the rate exactly where flagged, despite rounding."""
    below = np.nextafter(rate, 0.0)
    return np.where(is_anomaly, np.minimum(p_value, below), np.maximum(p_value, rate))
