"""The scale on which a series is judged: its values or their logarithms."""

from dataclasses import dataclass

import numpy as np

from app.timeseries.types import FloatArray

# Values that differ by less than this many units in the last place of a large one count as equal.
_ROUNDING_ULPS = 8
# The large one is this quantile of the magnitudes, so that a few absurd values do not set it.
_SOUND_QUANTILE = 0.99
# Distances from the median, in units of the typical distance, are clipped to this.
MAX_DISTANCE_UNITS = 1e9
# Smaller distances, in the same units, count as zero: their ratios would overflow.
_MIN_DISTANCE_UNITS = 1e-100
NEGLIGIBLE = 1e-5  # smaller deviations, in units, are ignored: they are rounding errors
# A series is idle if at least this fraction of its values repeats; each use says what they repeat.
MIN_IDLE_FRACTION = 0.5
_MAX_FLOAT = float(np.finfo(float).max)


@dataclass(frozen=True)
class Units:
    """The conversion of values to dimensionless numbers and back."""

    centre: float  # the median, of the values or of their logarithms
    unit: float  # their typical distance from it; 0 if all are equal
    is_log: bool  # whether logarithms are used

    def to_units(self, values: FloatArray) -> FloatArray:
        """Return dimensionless values, with the furthest ones clipped."""
        transformed = np.log(values) if self.is_log else values
        # Halved first: the difference of values near the largest numbers could overflow.
        with np.errstate(over="ignore"):
            away = (transformed / 2 - self.centre / 2) / (self.unit / 2)
        is_near = np.abs(away) < _MIN_DISTANCE_UNITS
        return np.where(is_near, 0.0, np.clip(away, -MAX_DISTANCE_UNITS, MAX_DISTANCE_UNITS))

    def to_values(self, plain: FloatArray | float) -> FloatArray:
        """Return the original values, within the range of floating-point numbers."""
        with np.errstate(over="ignore"):
            transformed = self.unit * np.asarray(plain) + self.centre
            values = np.clip(transformed, -_MAX_FLOAT, _MAX_FLOAT)
            return np.asarray(np.minimum(np.exp(values), _MAX_FLOAT) if self.is_log else values)


def find_units(values: FloatArray, *, is_log: bool = False) -> Units:
    """Return the units of a series of shape (n,), which must be positive if ``is_log``."""
    # Halved first: differences of the largest numbers overflow.
    halves = (np.log(values) if is_log else values) / 2
    low, centre, high = np.quantile(halves, [0.25, 0.5, 0.75])
    largest = np.quantile(np.abs(halves), _SOUND_QUANTILE, method="lower")
    rounding = _ROUNDING_ULPS * float(np.spacing(largest))
    distance = float(high - low)
    if distance <= rounding:
        away = np.abs(halves - centre)
        away = away[away > rounding]
        distance = float(np.median(away)) if len(away) else 0.0
    return Units(2 * float(centre), distance, is_log)
