"""The forecast of a short history: a weighted mean of the model's forecast and the prior's.

A model's members need two cycles of a season, and a dozen points for past origins. The mixture over
small Gaussian models (``posterior.py``) needs neither, but learns little from long histories. Its
weight is `_MAX_PRIOR_WEIGHT` up to `_FADE_START_POINTS`, more if members cannot see a season, and 0
from `FADE_END_POINTS` on.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.end_jump import find_end_jump
from app.forecasting.intervals.learned import HIGH_FREQUENCIES, LEARNED
from app.forecasting.intervals.width_cap import cap_width, widest_bounds
from app.forecasting.preprocessing.transformations import transformations_of
from app.forecasting.short_history.mixture import Quantiles
from app.forecasting.short_history.posterior import fit_posterior, forecast_mixture
from app.forecasting.short_history.structures import usable_period
from app.forecasting.types import Bounds, ForecastDistribution, IntervalFunction
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

# The prior's weight falls to 0 between these numbers of points.
_FADE_START_POINTS = 60
FADE_END_POINTS = 120
_MAX_PRIOR_POINTS = 60  # the newest points, to which the prior is fitted
_MAX_PRIOR_WEIGHT = 0.5
# Two standard deviations lie between these quantiles of a normal.
_LOWER_SIGMA_LEVEL, _UPPER_SIGMA_LEVEL = 0.1587, 0.8413
# The prior loses weight if its one-step error is more than this many times that of the members,
# whose error is 0 on data without noise.
_MAX_ERROR_RATIO = 5.0


@dataclass(frozen=True)
class PriorForecast:
    """The prior's forecast, and its ``weight`` in the mixture, 0 to 1.

    ``median`` has shape (h,); ``interval`` is neither widened nor limited to ``widest_bounds``.
    """

    median: FloatArray
    interval: IntervalFunction
    weight: float


def blend(history: History, distribution: ForecastDistribution) -> ForecastDistribution:
    """Move a model's forecast of a short history towards the prior's.

    Args:
        history: With `FADE_END_POINTS` or more, or of a frequency without a prior, such as quarters
            and years, ``distribution`` is returned unchanged.
        distribution: The model's forecast, in the unit of the history.
    """
    if not needs_prior(history):
        return distribution
    values = history.values
    prior = forecast_prior(history, len(distribution.median), distribution.step_error)
    widening = LEARNED.priors[history.frequency].widening
    mixed = blend_distributions(values, distribution, prior, widening)
    has_jump = history.frequency in HIGH_FREQUENCIES and find_end_jump(values) is not None
    floor = floor_of(values)

    def widen(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
        if has_jump:
            # The model's interval contains both levels; the prior does not know them.
            bounds = distribution.interval(confidence)
            lower, upper = np.minimum(lower, bounds[0]), np.maximum(upper, bounds[1])
        return np.maximum(lower, floor), upper

    return mixed.map_bounds(widen)


def blend_distributions(
    values: FloatArray, distribution: ForecastDistribution, prior: PriorForecast, widening: float
) -> ForecastDistribution:
    """Return the mixture of both, the prior's interval multiplied by ``widening``."""
    limits = widest_bounds(prior.median, values)

    def weighted_mean(model_part: FloatArray, prior_part: FloatArray) -> FloatArray:
        return (1.0 - prior.weight) * model_part + prior.weight * prior_part

    def mix_bounds(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
        prior_lower, prior_upper = prior.interval(confidence)
        below = widening * np.maximum.accumulate(prior.median - prior_lower)
        above = widening * np.maximum.accumulate(prior_upper - prior.median)
        prior_bounds = cap_width((prior.median - below, prior.median + above), limits)
        return weighted_mean(lower, prior_bounds[0]), weighted_mean(upper, prior_bounds[1])

    median = weighted_mean(distribution.median, prior.median)
    return distribution.map_bounds(mix_bounds, median=median)


def needs_prior(history: History) -> bool:
    """Return whether the prior has any weight in the forecast."""
    if history.frequency not in LEARNED.priors or len(history.values) >= FADE_END_POINTS:
        return False
    # Members forecast hours better than the prior as soon as they see the day.
    has_day = history.frequency is Frequency.HOURS and _has_visible_season(history)
    return not has_day and float(np.ptp(history.values[-_MAX_PRIOR_POINTS:])) > 0


def forecast_prior(history: History, horizon: int, step_error: float) -> PriorForecast:
    """Forecast a short history by the prior, and find its weight.

    Args:
        step_error: The error of one step that the members expect.
    """
    values = history.values
    period = usable_period(history.periods)
    posterior = fit_posterior(
        values[-_MAX_PRIOR_POINTS:], period, LEARNED.priors[history.frequency]
    )
    quantiles = Quantiles.of(forecast_mixture(posterior, horizon, period))
    median = quantiles.at((0.5,))[0]
    # The median is limited as those of the members are.
    limited = transformations_of(values)[0].invert(median)

    def interval(confidence: float) -> Bounds:
        lower, upper = quantiles.at(((1 - confidence) / 2, (1 + confidence) / 2))
        return lower + limited - median, upper + limited - median

    weight = _MAX_PRIOR_WEIGHT * min(
        1.0, (FADE_END_POINTS - len(values)) / (FADE_END_POINTS - _FADE_START_POINTS)
    )
    if not _has_visible_season(history):
        weight *= 1.0 + posterior.season_probability
    weight *= prior_weight(quantiles, step_error)
    return PriorForecast(limited, interval, weight)


def prior_weight(quantiles: Quantiles, step_error: float) -> float:
    """Return a factor of the prior's weight, 0 to 1, by the members' ``step_error``."""
    below, above = quantiles.at((_LOWER_SIGMA_LEVEL, _UPPER_SIGMA_LEVEL))
    error = float(above[0] - below[0]) / 2.0
    return min(1.0, _MAX_ERROR_RATIO * step_error / error) ** 2 if error > 0 else 0.0


def _has_visible_season(history: History) -> bool:
    """Return whether the history has two cycles of the shortest season, as members need."""
    period = usable_period(history.periods)
    return 1 < period <= len(history.values) // 2
