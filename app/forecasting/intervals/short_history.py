"""How much wider intervals must be after a short history.

Half-widths are multiplied by

    (enough / n) ** exponent

while a history of n points is shorter than enough. Of yearly, quarterly and monthly series
the members' standard errors ignore the uncertainty of their own parameters, and with a dozen
points that is most of the error. Of all others, members learn a season from the same stretch in
which they are measured and weighted: the errors of future steps are larger than those of past
ones.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.learned import SeasonExponents
from app.timeseries.types import FloatArray

# Enough for the short recipes; for the long ones, with a season and without.
ENOUGH_POINTS = 30
ENOUGH_SEASONS, ENOUGH_UNSEASONAL_POINTS = 8, 48


def log_shortfall(points: int, enough: int = ENOUGH_POINTS) -> float:
    """Logarithm of how many times ``points`` fit into ``enough``; 0 when there are enough."""
    return float(np.log(max(1.0, enough / points)))


def widening(shortfall: float, exponents: FloatArray) -> FloatArray:
    """What half-widths are multiplied by at each level, from a ``log_shortfall``."""
    return np.asarray(np.exp(shortfall * exponents))


@dataclass(frozen=True)
class SeasonShortfall:
    """The ``log_shortfall`` of a history for a long recipe, and whether it is one of seasons."""

    log_ratio: float
    is_seasonal: bool

    @classmethod
    def of(cls, points: int, season: int) -> "SeasonShortfall":
        """Return that of a history of ``points``; ``season`` in steps is 1 without one."""
        enough = ENOUGH_SEASONS * season if season > 1 else ENOUGH_UNSEASONAL_POINTS
        return cls(log_shortfall(points, enough), season > 1)

    def widening(self, exponents: SeasonExponents) -> FloatArray:
        """Return what half-widths are multiplied by, at each level."""
        chosen = exponents.seasonal if self.is_seasonal else exponents.plain
        return widening(self.log_ratio, chosen)
