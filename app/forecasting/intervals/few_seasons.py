"""How much wider intervals from past errors must be after a history of few seasons.

What two or three seasons look like, members learn from the very stretch at whose origins they prove
themselves, and they are weighed by what they prove there. So the errors of coming steps are larger
than those of past ones, and half-widths are multiplied by

    (enough / n) ** exponent

while n is below what is enough: so many seasons, or so many points where no season is seen. The
exponents come from quantile regression: ``benchmarks/calibrate_seasons.py`` learns them on hourly,
daily, weekly series, synthetic metrics and random walks cut short, and checks them on each kind
with exponents learned on the others.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.forecasting.intervals.short_history import shortness
from app.forecasting.types import FloatArray

ENOUGH_SEASONS = 8
ENOUGH_POINTS = 48

Exponents = tuple[float, float, float, float, float]
"""One for each of ``conformal.LEVELS``."""


class SeasonExponents(NamedTuple):
    """Exponents where a season is seen, and where none is."""

    seasonal: Exponents
    plain: Exponents


EXPONENTS_WEIGHED = SeasonExponents((0.18, 0.20, 0.22, 0.26, 0.34), (0.07, 0.07, 0.10, 0.10, 0.34))
EXPONENTS_ROBUST = SeasonExponents((0.48, 0.62, 0.77, 0.88, 1.28), (0.37, 0.37, 0.51, 0.75, 0.93))
"""Model 4 cleans with the whole history, origins included, and so is misled the more."""


@dataclass(frozen=True)
class Shortness:
    """The logarithm of how many times a history fits into enough, 0 when it is enough."""

    log_ratio: float
    is_seasonal: bool

    @classmethod
    def of(cls, points: int, season: int) -> "Shortness":
        """Return that of a history of ``points``; ``season`` in steps is 1 where none is seen."""
        enough = ENOUGH_SEASONS * season if season > 1 else ENOUGH_POINTS
        return cls(shortness(points, enough), season > 1)

    def widening(self, exponents: SeasonExponents) -> FloatArray:
        """Return what half-widths are multiplied by, at each level."""
        chosen = exponents.seasonal if self.is_seasonal else exponents.plain
        return np.asarray(np.exp(self.log_ratio * np.array(chosen)))
