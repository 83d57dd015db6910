"""Daily series of one to two years: weekly means show a yearly season that members cannot see yet.

The mixture over small Gaussian models (``posterior.py``) forecasts the means of whole weeks, with a
season of 52. The members' forecast moves towards these, the more probable the season is and the
more it would have gained at past origins.
"""

import numpy as np

from app.forecasting.preprocessing.seasonality import WEEKS_PER_YEAR
from app.forecasting.short_history.blend import prior_weight
from app.forecasting.short_history.seasonal_means import SeasonalMeans, means_of, shift_distribution
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.seconds import DAYS_PER_WEEK

_YEAR = 365
# Days of history from which on the move has its full weight; it grows from 0 after a year.
_FULL_WEIGHT_DAYS = 400
_MIN_WEIGHT = 0.01  # a smaller weight has no effect, so that past origins are not needed
YEAR_OF_WEEKS = SeasonalMeans(
    WEEKS_PER_YEAR, Frequency.WEEKLY, origins=(24, 16, 8), compared_means=8
)


def is_in_second_year(history: History) -> bool:
    """Return whether the history is of days, from one year to less than two."""
    return (
        history.frequency is Frequency.DAILY
        and _YEAR in history.periods
        and _YEAR <= len(history.values) < 2 * _YEAR
    )


def shift_weeks(history: History, distribution: ForecastDistribution) -> ForecastDistribution:
    """Move a forecast of whole weeks towards the weeks that the prior expects.

    Args:
        history: One of those that ``is_in_second_year``.
        distribution: The members' forecast; its steps are whole weeks.
    """
    values = history.values
    weeks = means_of(values, DAYS_PER_WEEK)
    if not np.ptp(weeks) > 0:
        return distribution
    member_weeks = means_of(distribution.median, DAYS_PER_WEEK)
    expected = YEAR_OF_WEEKS.forecast(weeks, len(member_weeks))
    weight = min(1.0, (len(values) - _YEAR) / (_FULL_WEIGHT_DAYS - _YEAR))
    factor = prior_weight(expected.quantiles, distribution.step_error)
    weight *= expected.season_probability * factor
    weight *= YEAR_OF_WEEKS.supported_weight(weeks) if weight > _MIN_WEIGHT else 0.0
    return shift_distribution(distribution, weight * (expected.median - member_weeks), values)
