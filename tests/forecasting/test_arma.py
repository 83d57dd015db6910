import numpy as np
import pytest
from statsmodels.tsa.arima_process import arma2ma
from statsmodels.tsa.statespace.sarimax import SARIMAX

from app.forecasting.arma import (
    ArmaFit,
    ArmaOrder,
    difference_polynomial,
    fit_arma,
    forecast_arma,
    stationary_coefficients,
)

NONE = np.zeros(0)


def simulate(ar, ma, length, seed=0):
    shocks = np.random.default_rng(seed).normal(size=length)
    series = np.zeros(length)
    for now in range(1, length):
        series[now] = ar * series[now - 1] + shocks[now] + ma * shocks[now - 1]
    return series


def test_any_parameters_give_a_stationary_polynomial():
    random = np.random.default_rng(3)
    for _ in range(50):
        coefficients = stationary_coefficients(random.normal(scale=2.0, size=3))
        roots = np.roots(np.concatenate([[1.0], -coefficients]))
        assert np.abs(roots).max() < 1.0


def test_first_order_coefficient_is_the_least_squares_one():
    series = simulate(0.6, 0.0, 400)
    fit = fit_arma(series, ArmaOrder(1, 0), 1, max_iterations=50)
    expected = series[1:] @ series[:-1] / (series[:-1] @ series[:-1])
    assert fit.ar[0] == pytest.approx(expected, abs=1e-3)


def test_coefficients_come_close_to_maximum_likelihood():
    series = simulate(0.5, 0.4, 500) + 3.0
    fit = fit_arma(series, ArmaOrder(1, 1, constant=True), 1)
    exact = SARIMAX(series, order=(1, 0, 1), trend="c").fit(disp=0)
    np.testing.assert_allclose([fit.ar[0], fit.ma[0]], exact.params[1:3], atol=0.02)
    assert fit.mean == pytest.approx(series.mean(), abs=0.2)


def test_difference_polynomial_multiplies_both_differences():
    np.testing.assert_array_equal(difference_polynomial(1, 1, 4), [1, -1, 0, 0, -1, 1])


def test_seasonal_forecast_equals_the_state_space_models():
    random = np.random.default_rng(5)
    values = np.tile([5.0, 1.0, -3.0, -2.0], 30) + np.cumsum(random.normal(size=120))
    ar, seasonal_ma = 0.4, -0.5
    seasonal = values[4:] - values[:-4]
    differenced = np.diff(seasonal)
    # A fit with given coefficients: the forecast alone is under test.
    order = ArmaOrder(1, 0, 0, 1)
    sum_of_squares = float(len(differenced) - order.size)
    coefficients = (np.array([ar]), NONE, NONE, np.array([seasonal_ma]))
    fit = ArmaFit(order, 4, *coefficients, 0.0, sum_of_squares, len(differenced))
    median, error = forecast_arma(values, differenced, fit, difference_polynomial(1, 1, 4), 10)
    model = SARIMAX(values, order=(1, 1, 0), seasonal_order=(0, 1, 1, 4))
    expected = model.smooth([ar, seasonal_ma, 1.0]).get_forecast(10)
    np.testing.assert_allclose(median, expected.predicted_mean, atol=0.05)
    np.testing.assert_allclose(error, expected.se_mean, rtol=1e-3)


def test_error_of_a_stationary_forecast_is_that_of_its_impulse_response():
    order = ArmaOrder(1, 1)
    fit = ArmaFit(order, 1, np.array([0.7]), np.array([0.2]), NONE, NONE, 0.0, 98.0, 100)
    series = simulate(0.7, 0.2, 100)
    _, error = forecast_arma(series, series, fit, np.ones(1), 6)
    weights = arma2ma([1.0, -0.7], [1.0, 0.2], 6)
    np.testing.assert_allclose(error, np.sqrt(np.cumsum(weights**2)))


def test_mean_draws_the_forecast_home():
    order = ArmaOrder(1, 0, constant=True)
    fit = ArmaFit(order, 1, np.array([0.5]), NONE, NONE, NONE, 10.0, 50.0, 50)
    series = np.full(50, 14.0)
    median, _ = forecast_arma(series, series, fit, np.ones(1), 3)
    np.testing.assert_allclose(median, [12.0, 11.0, 10.5])
