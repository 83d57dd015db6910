"""How much wider intervals must be after a short history.

The members' standard errors know nothing of how uncertain their own parameters are, and with a
dozen points that is most of the error. So half-widths are multiplied by

    (ENOUGH_POINTS / n) ** exponent

while n is below ``ENOUGH_POINTS``. The exponents come from quantile regression of the errors of
forecasts from histories cut short: ``benchmarks/calibrate_short.py`` learns them and checks them
across sources. Yearly factors need none, as they are learned on short histories to begin with.
"""

from collections.abc import Mapping

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.types import FloatArray

ENOUGH_POINTS = 30
# One exponent for each of ``quantile_factors.LEVELS``.
Exponents = Mapping[Frequency, tuple[float, float, float, float, float]]

EXPONENTS_WITH_ARIMA: Exponents = {
    Frequency.QUARTERLY: (0.21, 0.22, 0.25, 0.30, 0.56),
    Frequency.MONTHLY: (0.31, 0.38, 0.45, 0.53, 0.65),
}
EXPONENTS_LIGHT: Exponents = {
    Frequency.QUARTERLY: (0.24, 0.27, 0.30, 0.36, 0.64),
    Frequency.MONTHLY: (0.24, 0.35, 0.41, 0.50, 0.69),
}


def shortness(points: int, enough: int = ENOUGH_POINTS) -> float:
    """Logarithm of how many times ``points`` fit into ``enough``; 0 when there are enough."""
    return float(np.log(max(1.0, enough / points)))


def widening(points: int, frequency: Frequency, *, with_arima: bool) -> FloatArray:
    """What the half-widths of a forecast from ``points`` are multiplied by, at each level."""
    exponents = EXPONENTS_WITH_ARIMA if with_arima else EXPONENTS_LIGHT
    chosen = np.array(exponents.get(frequency, (0.0,) * 5))
    return np.asarray(np.exp(shortness(points) * chosen))
