"""Effects are removed from a history and added to its forecast."""

import numpy as np
import pytest
from scipy.special import ndtri

from app.forecasting.effects import Effects
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.numbers import power_of_two_unit

FLAT = ForecastDistribution(
    np.array([10.0, 10.0]), lambda confidence: (np.array([8.0, 8.0]), np.array([13.0, 13.0]))
)


def effects(is_logarithmic, ahead, deviation=(0.0, 0.0)):
    past = np.zeros(3)
    return Effects(past, np.array(ahead), np.array(deviation), is_logarithmic)


def test_factors_and_sums_are_taken_out_of_the_history() -> None:
    history = History(np.array([1.0, 2.0, 3.0]), (), Frequency.DAILY)
    past = np.array([0.0, np.log(2.0), 0.0])
    factors = Effects(past, np.zeros(1), np.zeros(1), True)
    np.testing.assert_allclose(factors.remove_from(history).values, [1.0, 1.0, 3.0])
    sums = Effects(np.array([0.0, -5.0, 0.0]), np.zeros(1), np.zeros(1), False)
    np.testing.assert_allclose(sums.remove_from(history).values, [1.0, 7.0, 3.0])


@pytest.mark.parametrize(("is_logarithmic", "effect"), [(True, np.log(0.5)), (False, -5.0)])
def test_the_forecast_gets_the_effects_to_come(is_logarithmic, effect) -> None:
    prediction = effects(is_logarithmic, [0.0, effect]).add_to(FLAT, floor=-np.inf).at(0.95)
    assert prediction.median.tolist() == [10.0, pytest.approx(5.0)]
    assert prediction.lower.tolist() == [8.0, pytest.approx(4.0 if is_logarithmic else 3.0)]
    assert prediction.upper.tolist() == [13.0, pytest.approx(6.5 if is_logarithmic else 8.0)]


def test_the_uncertainty_of_an_effect_widens_the_interval() -> None:
    prediction = effects(False, [0.0, 0.0], [0.0, 1.5]).add_to(FLAT, floor=-np.inf).at(0.9)
    doubt = 1.5 * ndtri(0.95)
    assert prediction.lower.tolist() == [8.0, pytest.approx(10 - np.hypot(2, doubt))]
    assert prediction.upper.tolist() == [13.0, pytest.approx(10 + np.hypot(3, doubt))]


def test_a_series_that_was_never_negative_is_not_forecast_below_0() -> None:
    prediction = effects(False, [-20.0, 0.0]).add_to(FLAT, floor=0.0).at(0.95)
    assert prediction.lower[0] == prediction.median[0] == prediction.upper[0] == 0.0


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e100])
def test_the_unit_is_a_power_of_two_next_to_the_largest_value(size) -> None:
    unit = power_of_two_unit(np.array([-3.0, 2.0]) * size)
    assert np.frexp(unit)[0] == 0.5
    assert 0.5 <= 3.0 * size / unit < 1
