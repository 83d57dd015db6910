"""The forecast of a young series: a share of the models' own and a share of the prior's.

A model's members need two seasons to see one, and a dozen points to be scored at past origins. The
mixture over small Gaussian models (``posterior.py``) needs neither, and knows little of what long
histories show: it has half of the forecast up to 60 points, more while no member sees a season, and
nothing from 120 points on.
"""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.intervals.learned import LEARNED
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
    """The two forecasts of a young series, and the prior's ``share``, 0 to 1.

    ``own`` is the prior's, not yet widened; its lower bound may be below zero.
    """

    said: Prediction
    own: Prediction
    share: float

    def widened(self, factor: float) -> Prediction:
        """The mixture of both, the prior's interval widened by a ``factor``."""
        lower = self.own.median - factor * (self.own.median - self.own.lower)
        upper = self.own.median + factor * (self.own.upper - self.own.median)
        return replace(
            self.said,
            lower=self.mean(self.said.lower, lower),
            median=self.mean(self.said.median, self.own.median),
            upper=self.mean(self.said.upper, upper),
        )

    def mean(self, said: FloatArray, own: FloatArray) -> FloatArray:
        """The mean of two arrays of one shape, the second with the share."""
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
    mixture = mix(history, confidence, said).widened(LEARNED.young[history.frequency].widening)
    if history.values.min() < 0:
        return mixture
    return replace(mixture, lower=np.maximum(mixture.lower, 0.0))


def is_young(history: History) -> bool:
    """Whether the prior has a share of the forecast."""
    if history.frequency not in LEARNED.young or len(history.values) >= OLD:
        return False
    # Of hours, members know more than the prior as soon as they see the day.
    knows_day = history.frequency is Frequency.HOURS and _shows_season(history)
    return not knows_day and float(np.ptp(history.values[-MOST_POINTS:])) > 0


def mix(history: History, confidence: float, said: Prediction) -> Mixed:
    """Forecast a young series by the prior too, and say how much that counts."""
    values, season = history.values, season_of(history.periods)
    posterior = weigh(values[-MOST_POINTS:], season, LEARNED.young[history.frequency])
    mixture = look_ahead(posterior, len(said.median), season)
    levels = ((1 - confidence) / 2, 0.5, (1 + confidence) / 2, ONE_BELOW, ONE_ABOVE)
    lower, median, upper, below, above = quantiles(mixture, levels)
    error = float(above[0] - below[0]) / 2.0
    share = SHARE * min(1.0, (OLD - len(values)) / (OLD - FADES_FROM))
    if not _shows_season(history):
        share *= 1.0 + posterior.season_probability
    share *= min(1.0, WORSE * said.step_error / error) ** 2
    return Mixed(said, _guard(values, lower, median, upper), share)


def _shows_season(history: History) -> bool:
    """Whether members see the shortest season."""
    season = season_of(history.periods)
    return 1 < season <= len(history.values) // 2


def _guard(
    values: FloatArray, lower: FloatArray, median: FloatArray, upper: FloatArray
) -> Prediction:
    """Keep the median within the range that members keep, and the bounds within ``width_cap``."""
    inside = transform(values, 0)[0].invert(median)
    moved = inside - median
    lower, upper = cap_width((lower + moved, upper + moved), inside, values)
    lower = inside - np.maximum.accumulate(inside - lower)
    upper = inside + np.maximum.accumulate(upper - inside)
    return Prediction(lower, inside, upper)
