"""Growth or decay at one rate, which multiplies a series and its noise.

Members follow the trend of the last points, damped, with errors of the whole history. That is right
for most real growth, which slows down. But the values to come of a series that has grown at one
rate to a hundred times its size would soon be above all bounds, and the bounds of one that has
decayed would be as wide as its first noise. Without that growth the level is constant and the noise
even.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.preprocessing.seasonality import deseasonalize
from app.forecasting.types import MAX_HORIZON, ForecastDistribution
from app.timeseries.history import History
from app.timeseries.least_squares import line_slope
from app.timeseries.types import FloatArray

MIN_RATE_POINTS = 24  # shorter series often fit one rate by chance
# The total change of the logarithm at which removal starts, and at which it is complete.
_DECAY_LIMITS = (2.0, 3.5)
_GROWTH_LIMITS = (4.0, 5.0)  # growth of real series is more likely to end than decay
_MAX_SCATTER = 0.5  # the standard deviation of logarithms around a line; with more, a rate is vague
# That deviation over the one of white noise with such changes. A random walk of 24 points has 1.8.
_MAX_WANDERING = 1.4
_MAX_ROUNDING = 1e-9  # scatter below this is rounding
_MAX_LOG_VALUE = 600.0  # of a forecast: intervals remain finite


@dataclass(frozen=True)
class ExponentialGrowth:
    """Growth of which a part, a factor of ``exp(rate)`` at each step, is not left to the members.

    ``total_rate`` is that of all growth.
    """

    rate: float
    total_rate: float

    def remove_from(self, history: History) -> History:
        """Return the history with the growth divided out, at its last level."""
        points = len(history.values)
        growth = np.exp(self.rate * np.arange(1.0 - points, 1.0))
        return replace(history, values=history.values / growth)

    def add_to(self, distribution: ForecastDistribution, _floor: float) -> ForecastDistribution:
        """Return the distribution with the growth of its steps."""
        growth = np.exp(self.rate * np.arange(1.0, len(distribution.median) + 1.0))
        effects = distribution.effects
        grown = distribution.map_values(
            lambda values: values * growth,
            step_error=distribution.step_error * growth[0],
            effects=None if effects is None else effects * growth,
        )
        percent = 100 * np.expm1(self.total_rate)
        notice = f"extrapolated a constant growth rate: {percent:+.3g} % per step"
        return grown.with_provenance(notices=(notice, *grown.provenance.notices))


def find_exponential_growth(history: History) -> ExponentialGrowth | None:
    """Return the growth of a history, None unless it kept one rate and is large."""
    values = history.values
    if len(values) < MIN_RATE_POINTS or values.min() <= 0:
        return None
    rate = line_slope(np.log(values))
    some, full = _GROWTH_LIMITS if rate > 0 else _DECAY_LIMITS
    if np.log(values[-1]) + rate * MAX_HORIZON > _MAX_LOG_VALUE:
        return None
    fraction = min(1.0, (abs(rate) * len(values) - some) / (full - some))
    if fraction <= 0 or not is_one_rate(values, history.periods, rate):
        return None
    return ExponentialGrowth(fraction * rate, rate)


def is_one_rate(values: FloatArray, periods: tuple[int, ...], rate: float) -> bool:
    """Return whether positive values without growth at ``rate`` vary like white noise.

    A season is left out.
    """
    level = values / np.exp(rate * np.arange(1.0 - len(values), 1.0))
    logs, _ = deseasonalize(level, periods)
    noise = float(np.diff(logs).std()) / np.sqrt(2.0)
    return float(logs.std()) <= max(_MAX_ROUNDING, min(_MAX_SCATTER, _MAX_WANDERING * noise))
