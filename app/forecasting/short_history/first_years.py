"""Daily series of one to two years: weekly means show a yearly season that members cannot see yet.

Members need two years. The mixture over small Gaussian models (``posterior.py``) forecasts the
means of whole weeks, with a season of 52. The members' forecast moves towards these by the
probability of the season, and by what the season would have gained at past origins.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.learned import LEARNED
from app.forecasting.seasonality import WEEKS_PER_YEAR
from app.forecasting.short_history.posterior import Quantiles, fit_posterior, forecast_mixture
from app.forecasting.transformations import transformations_of
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

_WEEK, _YEAR = 7, 365
# Days of history from which the move has its full weight, which is 0 below a year.
_FULL_WEIGHT_DAYS = 400
_MIN_WEIGHT = 0.01  # a smaller weight has no effect, so it is not tested
_ORIGINS = (24, 16, 8)  # past origins, in weeks before the end
_COMPARED_WEEKS = 8  # weeks after each origin that are compared


def is_in_second_year(history: History) -> bool:
    """Return whether the history is of days, from one year to less than two."""
    return (
        history.frequency is Frequency.DAILY
        and _YEAR in history.periods
        and _YEAR <= len(history.values) < 2 * _YEAR
    )


def whole_week_steps(horizon: int) -> int:
    """Return the steps to fit for ``horizon``: up to the middle of a week after the last day."""
    return _WEEK * (horizon // _WEEK + 2)


def shift_weeks(history: History, fit: ForecastDistribution) -> ForecastDistribution:
    """Move a fit of whole weeks towards the weeks that the prior expects.

    Args:
        history: One of those that ``is_in_second_year``.
        fit: The members' fit, its steps a multiple of 7.
    """
    values = history.values
    weeks = values[len(values) % _WEEK :].reshape(-1, _WEEK).mean(axis=1)
    if not np.ptp(weeks) > 0:
        return fit
    member_weeks = fit.median.reshape(-1, _WEEK).mean(axis=1)
    expected = WeekForecast.of(weeks, len(member_weeks), WEEKS_PER_YEAR)
    weight = min(1.0, (len(values) - _YEAR) / (_FULL_WEIGHT_DAYS - _YEAR))
    weight *= expected.season_probability * expected.quantiles.prior_weight(fit.step_error)
    weight *= supported_season_weight(weeks) if weight > _MIN_WEIGHT else 0.0
    # From nothing at the last value, by lines between the middles of weeks.
    middles = _WEEK * np.arange(len(member_weeks)) + _WEEK // 2
    moves = np.concatenate(([0.0], weight * (expected.median - member_weeks)))
    move = np.interp(np.arange(len(fit.median)), np.concatenate(([-1], middles)), moves)
    floor = floor_of(values)

    def shift_bounds(lower: FloatArray, upper: FloatArray, _confidence: float) -> Bounds:
        # A bound at zero means that zeros are usual, in any week.
        moved = np.where(lower > floor, np.maximum(lower + move, floor), floor)
        return moved, np.maximum(upper + move, floor)

    return fit.map_bounds(shift_bounds, median=np.maximum(fit.median + move, floor))


def supported_season_weight(weeks: FloatArray) -> float:
    """Return the weight of the season that past origins support, 0 to 1.

    It is the one by which the forecast without a season should have moved towards the one with it,
    by least squares, shrunk towards 0 by the squared errors at one origin.
    """
    squared_moves = gain = squared_errors = 0.0
    for origin in _ORIGINS:
        known = weeks[:-origin]
        if not np.ptp(known) > 0:
            continue
        actual = weeks[len(known) :][:_COMPARED_WEEKS]
        seasonal, plain = (
            WeekForecast.of(known, _COMPARED_WEEKS, period).median for period in (WEEKS_PER_YEAR, 1)
        )
        moves, errors = seasonal - plain, actual - plain
        squared_moves += float(moves @ moves)
        gain += float(moves @ errors)
        squared_errors += float(errors @ errors) / len(_ORIGINS)
    return max(0.0, min(1.0, gain / (squared_moves + squared_errors))) if gain > 0 else 0.0


@dataclass(frozen=True)
class WeekForecast:
    """The prior's forecast of weeks, with the probability of a season.

    The ``median`` has shape (h,).
    """

    median: FloatArray
    quantiles: Quantiles
    season_probability: float

    @classmethod
    def of(cls, weeks: FloatArray, steps: int, period: int) -> "WeekForecast":
        """Forecast the means of ``steps`` weeks."""
        posterior = fit_posterior(weeks, period, LEARNED.priors[Frequency.WEEKLY])
        quantiles = Quantiles.of(forecast_mixture(posterior, steps, period))
        # The median keeps to the range that members keep to.
        median = transformations_of(weeks)[0].invert(quantiles.at((0.5,))[0])
        return cls(median, quantiles, posterior.season_probability)
