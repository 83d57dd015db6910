"""The scale that a series is judged on: its own, or the logarithms of it."""

from dataclasses import dataclass

import numpy as np

from app.forecasting.types import FloatArray

# Values that differ by less than so many units in the last place of the largest are one value.
_ROUNDING = 8
# Values further from the median, in units of the usual distance, are as far as this.
_FURTHEST = 1e9
# Values nearer to it, in the same units, are the median: their ratios would overflow.
_NEAREST = 1e-100
NEGLIGIBLE = 1e-5
"""What is off by less, in units, is not off: of a series without noise that is rounding."""
_LARGEST = float(np.finfo(float).max)


@dataclass(frozen=True)
class Units:
    """How values are put into numbers without unit, and back.

    Attributes:
        centre: The median, of the values or of their logarithms.
        unit: How far from it they usually lie; 0 if all are equal.
        is_log: Whether logarithms are meant.
    """

    centre: float
    unit: float
    is_log: bool

    def plain(self, values: FloatArray) -> FloatArray:
        """Return values without unit; how far out the furthest lie does not matter any more."""
        own = np.log(values) if self.is_log else values
        # Halved first: of values near the largest numbers the difference might overflow.
        with np.errstate(over="ignore"):
            away = (own / 2 - self.centre / 2) / (self.unit / 2)
        near = np.abs(away) < _NEAREST
        return np.where(near, 0.0, np.clip(away, -_FURTHEST, _FURTHEST))

    def restored(self, plain: FloatArray | float) -> FloatArray:
        """Return the values that these are, within the range of numbers."""
        with np.errstate(over="ignore"):
            own = np.clip(self.unit * np.asarray(plain) + self.centre, -_LARGEST, _LARGEST)
            return np.asarray(np.minimum(np.exp(own), _LARGEST) if self.is_log else own)


def find_units(values: FloatArray, *, is_log: bool = False) -> Units:
    """Return the units of a series of shape (n,), above 0 where logarithms are meant."""
    # Differences of the largest numbers overflow, those of their halves do not.
    halves = (np.log(values) if is_log else values) / 2
    low, centre, high = np.quantile(halves, [0.25, 0.5, 0.75])
    rounding = _ROUNDING * float(np.spacing(np.abs(halves).max()))
    usual = float(high - low)
    if usual <= rounding:
        away = np.abs(halves - centre)
        away = away[away > rounding]
        usual = float(np.median(away)) if len(away) else 0.0
    return Units(2 * float(centre), usual, is_log)
