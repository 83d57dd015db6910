"""Series by the minute with one day of history, not two: the day that members cannot see yet.

Members need two days. The mixture over small Gaussian models (``posterior.py``) forecasts the means
of whole hours, with a season of 24, as it forecasts hourly series. The members' forecast moves
towards these by the probability of the season, and by what the season would have gained at past
origins. Members know better how the next minutes continue, so the move also depends on both widths.
"""

import numpy as np

from app.forecasting.short_history.posterior import Quantiles
from app.forecasting.short_history.seasonal_means import (
    SeasonalMeans,
    between_means,
    means_of,
    shift_fit,
)
from app.forecasting.short_history.structures import MAX_PRIOR_PERIOD
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

_DAY_HOURS, _WEEK_DAYS = 24, 7
_DAY_OF_HOURS = SeasonalMeans(
    _DAY_HOURS,
    Frequency.HOURS,
    origins=(12, 6),
    compared_means=8,
    error_weight=0.2,
    min_means=10,
)
# Chosen on 12 sets of series by the minute, as were the origins and their weight: the season has
# no weight below this probability, and the members' squared width counts as much as this fraction
# of the prior's.
_MIN_PROBABILITY, _PRIOR_WIDTH_WEIGHT = 0.5, 0.5
_GROWTH_HOURS = 3.0  # hours ahead in which the move reaches 1 - 1/e of its weight
_COMPARED_CONFIDENCE = 0.8  # of the widths
_WIDENING = 1.2  # of the half-widths by the prior, so that intervals cover what they say
_MIN_WEIGHT = 0.01  # a smaller weight has no effect, so it is not tested


def hour_steps(history: History) -> int:
    """Return the steps in an hour, 0 if it is not a whole number, or if ``blend`` sees the day."""
    day = history.period
    has_day = history.frequency is Frequency.MINUTES and history.periods == (day, _WEEK_DAYS * day)
    return day // _DAY_HOURS if has_day and day > MAX_PRIOR_PERIOD and day % _DAY_HOURS == 0 else 0


def is_in_second_day(history: History) -> bool:
    """Return whether the history is by the minute, from one day to less than two."""
    return hour_steps(history) > 0 and history.period <= len(history.values) < 2 * history.period


def shift_hours(history: History, fit: ForecastDistribution) -> ForecastDistribution:
    """Move a fit of whole hours towards the hours that the prior expects.

    Args:
        history: One of those that ``is_in_second_day``.
        fit: The members' fit, its steps a multiple of those in an hour.
    """
    size = hour_steps(history)
    hours = means_of(history.values, size)
    if not np.ptp(hours) > 0:
        return fit
    member_hours = means_of(fit.median, size)
    expected = _DAY_OF_HOURS.forecast(hours, len(member_hours))
    probability = expected.season_probability
    weight = max(0.0, (probability - _MIN_PROBABILITY) / (1.0 - _MIN_PROBABILITY))
    if weight < _MIN_WEIGHT:
        return fit
    weight *= _DAY_OF_HOURS.supported_weight(hours)
    lower, upper = fit.interval(_COMPARED_CONFIDENCE)
    tail = (1.0 - _COMPARED_CONFIDENCE) / 2.0
    prior_lower, prior_upper = expected.quantiles.at((tail, 1.0 - tail))
    weights = weight * _lead_weights(means_of(upper - lower, size), prior_upper - prior_lower)
    shifted = shift_fit(fit, weights * (expected.median - member_hours), history.values)
    return _narrow(shifted, between_means(weights, size, 0.0), expected.quantiles, history.values)


def _narrow(
    fit: ForecastDistribution, weights: FloatArray, prior: Quantiles, values: FloatArray
) -> ForecastDistribution:
    """Move half-widths towards those of the prior by ``weights`` (h,), where these are smaller.

    The prior's are of the hour's mean, to which the deviations of single values are added.
    """
    size, floor = len(weights) // len(prior.values), floor_of(values)
    hours = means_of(values, size)
    middles = size * np.arange(len(hours)) + (size - 1) / 2
    steps = np.arange(size * len(hours))
    deviations = np.abs(values[-len(steps) :] - np.interp(steps, middles, hours))

    def narrow(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
        tail = (1.0 - confidence) / 2.0
        prior_lower, middle, prior_upper = prior.at((tail, 0.5, 1.0 - tail))
        deviation = float(np.quantile(deviations, confidence))

        def reduce(half: FloatArray, prior_half: FloatArray) -> FloatArray:
            whole = np.hypot(between_means(prior_half, size, float(prior_half[0])), deviation)
            return half - weights * np.maximum(half - _WIDENING * whole, 0.0)

        below = reduce(fit.median - lower, middle - prior_lower)
        above = reduce(upper - fit.median, prior_upper - middle)
        # A bound at zero stays there.
        return np.where(lower > floor, fit.median - below, floor), fit.median + above

    return fit.map_bounds(narrow)


def _lead_weights(member_widths: FloatArray, prior_widths: FloatArray) -> FloatArray:
    """Return the weight of the prior's hours by lead, shape (h,), from the widths of both."""
    squares = member_widths**2
    total = squares + _PRIOR_WIDTH_WEIGHT * prior_widths**2
    precision = np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    leads = np.arange(len(total)) + 0.5
    return np.asarray(precision * -np.expm1(-leads / _GROWTH_HOURS))
