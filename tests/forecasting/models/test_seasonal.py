import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.models import light, seasonal
from app.forecasting.types import History


def test_a_year_is_seen_beside_the_week_in_daily_data():
    rng = np.random.default_rng(31)
    time = np.arange(365 * 3 + 60)
    year = 40 * np.sin(2 * np.pi * time / 365.25)
    values = 200 + year + np.tile([0.0, 3, 5, 2, 0, -20, -25], 200)[: len(time)]
    values = values + rng.standard_normal(len(time))
    history = History(values[:-60], (7, 365), Frequency.DAILY)
    answer = seasonal.forecast(history, 60, 0.9)
    assert np.abs(answer.median - values[-60:]).mean() < 3


def test_months_are_answered_by_the_short_recipe():
    values = 50 + np.arange(48.0) + np.tile(np.arange(12.0), 4)
    history = History(values, (12,), Frequency.MONTHLY)
    np.testing.assert_array_equal(
        seasonal.forecast(history, 12, 0.9).median, light.forecast(history, 12, 0.9).median
    )
