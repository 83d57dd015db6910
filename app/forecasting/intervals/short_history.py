"""How much wider intervals must be after a short history.

Half-widths are multiplied by

    (long / n) ** exponent

if n points are less than a long history has. Standard errors of members for yearly, quarterly and
monthly series ignore the uncertainty of parameters, most of the error after a dozen points. Members
for other frequencies learn a season from the points at which they are measured, so that past errors
are too small.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.learned import SeasonExponents
from app.timeseries.types import FloatArray

# Histories from this length on need no wider intervals: for the low-frequency recipes in points,
# for the high-frequency ones in seasons, or in points without a season.
MIN_LONG_POINTS = 30
MIN_LONG_SEASONS = 8
MIN_LONG_UNSEASONAL_POINTS = 48


def log_shortfall(points: int, min_points: int = MIN_LONG_POINTS) -> float:
    """Return log(``min_points`` / ``points``), 0 if there are more."""
    return float(np.log(max(1.0, min_points / points)))


def widening_factors(shortfall: float, exponents: FloatArray) -> FloatArray:
    """Return the factors of half-widths at each level, from a ``log_shortfall``."""
    return np.asarray(np.exp(shortfall * exponents))


@dataclass(frozen=True)
class SeasonShortfall:
    """The ``log_shortfall`` of a high-frequency history, in seasons or in points without one."""

    log_ratio: float
    is_seasonal: bool

    @classmethod
    def of(cls, points: int, period: int) -> "SeasonShortfall":
        """Return the shortfall of ``points`` with a seasonal ``period`` in steps, 1 for none."""
        min_points = MIN_LONG_SEASONS * period if period > 1 else MIN_LONG_UNSEASONAL_POINTS
        return cls(log_shortfall(points, min_points), period > 1)

    def widening_factors(self, exponents: SeasonExponents) -> FloatArray:
        """Return the factors of half-widths at each level."""
        chosen = exponents.seasonal if self.is_seasonal else exponents.plain
        return widening_factors(self.log_ratio, chosen)
