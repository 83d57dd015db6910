import numpy as np
import pytest

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.intervals.quantile_factors import LEVELS
from app.forecasting.intervals.short_history import (
    ENOUGH_POINTS,
    EXPONENTS_LIGHT,
    EXPONENTS_WITH_ARIMA,
    widening,
)
from app.forecasting.forecast import predict
from app.forecasting.types import History

TABLES = {True: EXPONENTS_WITH_ARIMA, False: EXPONENTS_LIGHT}


@pytest.mark.parametrize("with_arima", [True, False])
@pytest.mark.parametrize("frequency", [Frequency.QUARTERLY, Frequency.MONTHLY])
def test_half_the_points_that_are_enough_widen_by_two_to_the_exponent(frequency, with_arima):
    wider = widening(ENOUGH_POINTS // 2, frequency, with_arima=with_arima)
    np.testing.assert_allclose(wider, 2.0 ** np.array(TABLES[with_arima][frequency]))
    assert np.all(wider > 1)


@pytest.mark.parametrize("points", [ENOUGH_POINTS, ENOUGH_POINTS + 1, 50_000])
def test_enough_points_leave_the_width_alone(points):
    np.testing.assert_array_equal(widening(points, Frequency.MONTHLY, with_arima=True), 1.0)


def test_yearly_widths_are_left_alone():
    wider = widening(10, Frequency.YEARLY, with_arima=False)
    np.testing.assert_array_equal(wider, np.ones(len(LEVELS)))


@pytest.mark.parametrize("table", TABLES.values(), ids=["with ARIMA", "light"])
def test_more_confidence_is_never_widened_less(table):
    for exponents in table.values():
        assert list(exponents) == sorted(exponents)


def test_a_dozen_months_of_a_random_walk_are_covered_about_as_often_as_promised():
    """Without the widening 95 % intervals cover three quarters of what comes."""
    covered = []
    for seed in range(60):
        walk = 100 + np.cumsum(np.random.default_rng(seed).standard_normal(24))
        history = History(walk[:12], (12,), Frequency.MONTHLY)
        answer = predict(history, 12, 0.95, "forecast-model-2")
        covered.append(np.mean((walk[12:] >= answer.lower) & (walk[12:] <= answer.upper)))
    assert np.mean(covered) > 0.84
