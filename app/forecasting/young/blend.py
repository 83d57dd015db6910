"""The forecast of a young series: a share of the models' own and a share of the prior's.

A model's members need two seasons to see one, and a dozen points to be scored at past origins. The
mixture over small Gaussian models (``posterior.py``) needs neither, and knows little of what long
histories show: it has half of the forecast up to 60 points, more while no member sees a season, and
nothing from 120 points on.
"""

from dataclasses import replace

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
    mixed, share = mix(history, confidence, said)
    wider = LEARNED.young[history.frequency].widening ** share
    lower = mixed.median - wider * (mixed.median - mixed.lower)
    upper = mixed.median + wider * (mixed.upper - mixed.median)
    if history.values.min() >= 0:
        # A bound at zero stays there.
        lower = np.where(mixed.lower > 0, np.maximum(lower, 0.0), mixed.lower)
    return replace(mixed, lower=lower, upper=upper)


def is_young(history: History) -> bool:
    """Whether the prior has a share of the forecast."""
    if history.frequency not in LEARNED.young or len(history.values) >= OLD:
        return False
    # Of hours, members know more than the prior as soon as they see the day.
    knows_day = history.frequency is Frequency.HOURS and _shows_season(history)
    return not knows_day and float(np.ptp(history.values[-MOST_POINTS:])) > 0


def _shows_season(history: History) -> bool:
    """Whether members see the shortest season."""
    season = season_of(history.periods)
    return 1 < season <= len(history.values) // 2


def mix(history: History, confidence: float, said: Prediction) -> tuple[Prediction, float]:
    """The forecast of a young series before it is widened, and the prior's share of it."""
    values, season = history.values, season_of(history.periods)
    posterior = weigh(values[-MOST_POINTS:], season, LEARNED.young[history.frequency])
    mixture = look_ahead(posterior, len(said.median), season)
    levels = ((1 - confidence) / 2, 0.5, (1 + confidence) / 2, ONE_BELOW, ONE_ABOVE)
    lower, median, upper, below, above = quantiles(mixture, levels)
    share = SHARE * min(1.0, (OLD - len(values)) / (OLD - FADES_FROM))
    if not _shows_season(history):
        share *= 1.0 + posterior.season_probability
    error = float(above[0] - below[0]) / 2.0
    share *= min(1.0, WORSE * said.step_error / error) ** 2
    lower, median, upper = _guard(values, lower, median, upper)
    mixed = replace(
        said,
        lower=(1.0 - share) * said.lower + share * lower,
        median=(1.0 - share) * said.median + share * median,
        upper=(1.0 - share) * said.upper + share * upper,
    )
    return mixed, share


def _guard(
    values: FloatArray, lower: FloatArray, median: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Keep the median within the range that members keep, and the bounds within ``width_cap``."""
    inside = transform(values, 0)[0].invert(median)
    moved = inside - median
    lower, upper = cap_width((lower + moved, upper + moved), inside, values)
    lower = inside - np.maximum.accumulate(inside - lower)
    upper = inside + np.maximum.accumulate(upper - inside)
    if values.min() >= 0:
        lower, inside, upper = (np.maximum(each, 0.0) for each in (lower, inside, upper))
    return lower, inside, upper
