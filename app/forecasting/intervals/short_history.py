"""How much wider intervals must be after a short history.

Half-widths are multiplied by

    (enough / n) ** exponent

if n points are less than enough. Standard errors of members for yearly, quarterly and monthly
series ignore the uncertainty of parameters, most of the error after a dozen points. Members for
other frequencies learn a season from the points at which they are measured, so that past errors are
too small.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.learned import SeasonExponents
from app.timeseries.types import FloatArray

# Enough for the low-frequency recipes; for the high-frequency ones, with a season and without.
ENOUGH_POINTS = 30
ENOUGH_SEASONS, ENOUGH_UNSEASONAL_POINTS = 8, 48


def log_shortfall(points: int, enough_points: int = ENOUGH_POINTS) -> float:
    """Return log(``enough_points`` / ``points``), 0 if there are more."""
    return float(np.log(max(1.0, enough_points / points)))


def widening(shortfall: float, exponents: FloatArray) -> FloatArray:
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
        enough_points = ENOUGH_SEASONS * period if period > 1 else ENOUGH_UNSEASONAL_POINTS
        return cls(log_shortfall(points, enough_points), period > 1)

    def widening(self, exponents: SeasonExponents) -> FloatArray:
        """Return the factors of half-widths at each level."""
        chosen = exponents.seasonal if self.is_seasonal else exponents.plain
        return widening(self.log_ratio, chosen)
