"""Series by the minute with one day of history, not two: the day that members cannot see yet.

The mixture over small Gaussian models (``posterior.py``) forecasts the means of whole hours, with a
season of 24, as it forecasts hourly series. The members' forecast moves towards these, the more
probable the season is and the more it would have gained at past origins. Members forecast the next
minutes better, so the move also depends on the widths of both intervals.
"""

import numpy as np

from app.forecasting.short_history.mixture import Quantiles
from app.forecasting.short_history.seasonal_means import (
    SeasonalMeans,
    between_means,
    means_of,
    middles_of,
    shift_distribution,
)
from app.forecasting.short_history.structures import MAX_PRIOR_PERIOD
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

_DAY_HOURS = 24
_DAY_OF_HOURS = SeasonalMeans(
    _DAY_HOURS, Frequency.HOURS, origins=(12, 6), compared_means=8, error_weight=0.2, min_means=10
)
# Chosen on 12 sets of series by the minute, like the numbers above.
_MIN_PROBABILITY = 0.5  # below it the season has no weight
_PRIOR_WIDTH_WEIGHT = 0.5  # of the prior's squared width, relative to the members'
_GROWTH_HOURS = 3.0  # the hours ahead in which the move reaches 1 - 1/e of its weight
_COMPARED_CONFIDENCE = 0.8  # of the intervals whose widths are compared
_WIDENING = 1.2  # the factor of the prior's half-widths, for the coverage of the intervals
_MIN_WEIGHT = 0.01  # a smaller weight has no effect, so that past origins are not needed


def steps_per_hour(history: History) -> int:
    """Return the steps in an hour, 0 if an hour is not whole steps, or if ``blend`` has the day."""
    day = history.period
    has_day = history.frequency is Frequency.MINUTES and history.periods == (day, 7 * day)
    return day // _DAY_HOURS if has_day and day > MAX_PRIOR_PERIOD and day % _DAY_HOURS == 0 else 0


def is_in_second_day(history: History) -> bool:
    """Return whether the history is by the minute, from one day to less than two."""
    is_by_the_minute = steps_per_hour(history) > 0
    return is_by_the_minute and history.period <= len(history.values) < 2 * history.period


def shift_hours(history: History, distribution: ForecastDistribution) -> ForecastDistribution:
    """Move a forecast of whole hours towards the hours that the prior expects.

    Args:
        history: One of those that ``is_in_second_day``.
        distribution: The members' forecast; its steps are whole hours.
    """
    per_hour = steps_per_hour(history)
    hours = means_of(history.values, per_hour)
    if not np.ptp(hours) > 0:
        return distribution
    member_hours = means_of(distribution.median, per_hour)
    expected = _DAY_OF_HOURS.forecast(hours, len(member_hours))
    probability = expected.season_probability
    weight = max(0.0, (probability - _MIN_PROBABILITY) / (1.0 - _MIN_PROBABILITY))
    if weight < _MIN_WEIGHT:
        return distribution
    weight *= _DAY_OF_HOURS.supported_weight(hours)
    lower, upper = distribution.interval(_COMPARED_CONFIDENCE)
    tail = (1.0 - _COMPARED_CONFIDENCE) / 2.0
    prior_lower, prior_upper = expected.quantiles.at((tail, 1.0 - tail))
    weights = weight * _lead_weights(means_of(upper - lower, per_hour), prior_upper - prior_lower)
    moves = weights * (expected.median - member_hours)
    shifted = shift_distribution(distribution, moves, history.values)
    return _narrow_interval(
        shifted, between_means(weights, per_hour, 0.0), expected.quantiles, history.values
    )


def _narrow_interval(
    distribution: ForecastDistribution, weights: FloatArray, prior: Quantiles, values: FloatArray
) -> ForecastDistribution:
    """Narrow half-widths towards those of the prior by ``weights`` (h,), where these are smaller.

    The prior's half-widths are of means of hours; the deviation of single values is added to them.
    """
    per_hour, floor = len(weights) // len(prior.values), floor_of(values)
    hours = means_of(values, per_hour)
    steps = np.arange(per_hour * len(hours))
    smooth = np.interp(steps, middles_of(len(hours), per_hour), hours)
    deviations = np.abs(values[-len(steps) :] - smooth)

    def narrow(lower: FloatArray, upper: FloatArray, confidence: float) -> Bounds:
        tail = (1.0 - confidence) / 2.0
        prior_lower, middle, prior_upper = prior.at((tail, 0.5, 1.0 - tail))
        deviation = float(np.quantile(deviations, confidence))

        def reduce(half: FloatArray, prior_half: FloatArray) -> FloatArray:
            of_values = np.hypot(
                between_means(prior_half, per_hour, float(prior_half[0])), deviation
            )
            return half - weights * np.maximum(half - _WIDENING * of_values, 0.0)

        below = reduce(distribution.median - lower, middle - prior_lower)
        above = reduce(upper - distribution.median, prior_upper - middle)
        # A bound at zero stays there.
        lower = np.where(lower > floor, distribution.median - below, floor)
        return lower, distribution.median + above

    return distribution.map_bounds(narrow)


def _lead_weights(member_widths: FloatArray, prior_widths: FloatArray) -> FloatArray:
    """Return the weight of the prior at each lead, shape (h,), by the widths of both intervals."""
    squares = member_widths**2
    total = squares + _PRIOR_WIDTH_WEIGHT * prior_widths**2
    precision = np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    leads = np.arange(len(total)) + 0.5
    return np.asarray(precision * -np.expm1(-leads / _GROWTH_HOURS))
