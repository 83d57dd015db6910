"""The forecast of a young series: a share of the models' own and a share of the prior's.

A model's members need two seasons to see one, and a dozen points to be scored at past origins. The
mixture over small Gaussian models (``posterior.py``) needs neither, and knows little of what long
histories show: it has half of the forecast up to 60 points, more while no member sees a season, and
nothing from 120 points on.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.intervals.end_jump import find_end_jump
from app.forecasting.intervals.learned import LEARNED, LONG_FREQUENCIES
from app.forecasting.intervals.width_cap import cap_width
from app.forecasting.transformations import transform
from app.forecasting.types import FloatArray, History, Prediction
from app.forecasting.young.posterior import look_ahead, quantiles, weigh
from app.forecasting.young.types import season_of

# The share falls from the first number of points to the second; so many last points are looked at.
FADES_FROM, OLD = 60, 120
MOST_POINTS = 60
SHARE = 0.5
# The prior loses weight where its errors of one step are more than so many times the members', as
# on data without noise, which members continue exactly.
WORSE = 5.0
# Two standard deviations lie between these quantiles of a normal.
ONE_BELOW, ONE_ABOVE = 0.1587, 0.8413


@dataclass(frozen=True)
class Mixed:
    """The two forecasts of a young series with ``values`` (n,), and the prior's ``share``, 0 to 1.

    ``own`` is the prior's, neither widened nor kept within ``width_cap``.
    """

    values: FloatArray
    said: Prediction
    own: Prediction
    share: float

    def widened(self, factor: float) -> Prediction:
        """The mixture of both, the prior's interval widened by a ``factor``."""
        said, own = self.said, self.own
        lower = own.median - factor * np.maximum.accumulate(own.median - own.lower)
        upper = own.median + factor * np.maximum.accumulate(own.upper - own.median)
        lower, upper = cap_width((lower, upper), own.median, self.values)
        return replace(
            said,
            lower=self._mean(said.lower, lower),
            median=self._mean(said.median, own.median),
            upper=self._mean(said.upper, upper),
        )

    def _mean(self, said: FloatArray, own: FloatArray) -> FloatArray:
        return (1.0 - self.share) * said + self.share * own


def blend(history: History, confidence: float, said: Prediction) -> Prediction:
    """Move a model's forecast of a young series towards the prior's.

    Args:
        history: what the model has seen; from 120 points on, and for frequencies without a prior,
            as quarters and years, ``said`` is returned as it is.
        confidence: between 0 and 1.
        said: the model's forecast, in the history's unit.
    """
    if not is_young(history):
        return said
    values = history.values
    mixture = mix(history, confidence, said).widened(LEARNED.young[history.frequency].widening)
    lower, upper = mixture.lower, mixture.upper
    if history.frequency in LONG_FREQUENCIES and find_end_jump(values) is not None:
        # The model's interval has both levels in it, of which the prior knows nothing.
        lower, upper = np.minimum(lower, said.lower), np.maximum(upper, said.upper)
    if values.min() >= 0:
        lower = np.maximum(lower, 0.0)
    return replace(mixture, lower=lower, upper=upper)


def is_young(history: History) -> bool:
    """Whether the prior has a share of the forecast."""
    if history.frequency not in LEARNED.young or len(history.values) >= OLD:
        return False
    # Of hours, members know more than the prior as soon as they see the day.
    knows_day = history.frequency is Frequency.HOURS and _shows_season(history)
    return not knows_day and float(np.ptp(history.values[-MOST_POINTS:])) > 0


def mix(history: History, confidence: float, said: Prediction) -> Mixed:
    """Forecast a young series by the prior too, and find how much that counts."""
    values, season = history.values, season_of(history.periods)
    posterior = weigh(values[-MOST_POINTS:], season, LEARNED.young[history.frequency])
    mixture = look_ahead(posterior, len(said.median), season)
    levels = ((1 - confidence) / 2, 0.5, (1 + confidence) / 2, ONE_BELOW, ONE_ABOVE)
    lower, median, upper, below, above = quantiles(mixture, levels)
    # The median keeps to the range that members keep to.
    inside = transform(values, 0)[0].invert(median)
    own = Prediction(lower + inside - median, inside, upper + inside - median)
    error = float(above[0] - below[0]) / 2.0
    share = SHARE * min(1.0, (OLD - len(values)) / (OLD - FADES_FROM))
    if not _shows_season(history):
        share *= 1.0 + posterior.season_probability
    share *= min(1.0, WORSE * said.step_error / error) ** 2 if error > 0 else 0.0
    return Mixed(values, said, own, share)


def _shows_season(history: History) -> bool:
    """Whether members see the shortest season."""
    season = season_of(history.periods)
    return 1 < season <= len(history.values) // 2
