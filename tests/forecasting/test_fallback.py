import numpy as np
import pytest

from app.forecasting.fallback import fit_constant, fit_naive
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import History


def test_constant_is_its_own_interval():
    prediction = fit_constant(3.5, 4).predict(0.9)
    for array in (prediction.lower, prediction.median, prediction.upper):
        np.testing.assert_array_equal(array, np.full(4, 3.5))


def test_naive_interval_is_the_normal_one_of_a_seasonal_walk():
    values = np.array([1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 5.0, 6.0])
    prediction = fit_naive(History(values, (4,), Frequency.QUARTERLY), 5).predict(0.95)
    np.testing.assert_array_equal(prediction.median, [3, 4, 5, 6, 3])
    assert prediction.upper[0] - 3.0 == pytest.approx(1.959964 * 2.0)
    assert prediction.upper[4] - 3.0 == pytest.approx(1.959964 * 2.0 * np.sqrt(2))
