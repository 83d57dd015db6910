"""Forecasts of ARMA models on differences, and their errors."""

import numpy as np
import pytest
from statsmodels.tsa.arima_process import arma2ma
from statsmodels.tsa.statespace.sarimax import SARIMAX

from app.forecasting.arma.estimation import ArmaFit, ArmaOrder
from app.forecasting.arma.forecast import difference_polynomial, forecast_arma, standard_errors

NONE = np.zeros(0)
# ARIMA(1, 1, 0)(0, 1, 1) of period 4 with given coefficients: only the forecast is under test.
SEASONAL = ArmaFit(
    ArmaOrder(1, 0, 0, 1), 4, np.array([0.4]), NONE, NONE, np.array([-0.5]), 0.0, 113.0, 115
)


def seasonal_walk(length, seed=5):
    rng = np.random.default_rng(seed)
    return np.resize([5.0, 1.0, -3.0, -2.0], length) + np.cumsum(rng.normal(size=length))


def test_the_difference_polynomial_multiplies_both_differences() -> None:
    np.testing.assert_array_equal(difference_polynomial(1, 1, 4), [1, -1, 0, 0, -1, 1])


def test_seasonal_forecast_equals_the_state_space_models() -> None:
    values, integration = seasonal_walk(120), difference_polynomial(1, 1, 4)
    model = SARIMAX(values, order=(1, 1, 0), seasonal_order=(0, 1, 1, 4))
    expected = model.smooth([0.4, -0.5, 1.0]).get_forecast(10)
    median = forecast_arma([values], SEASONAL, integration, 10)[0]
    np.testing.assert_allclose(median, expected.predicted_mean, atol=0.05)
    error = standard_errors(SEASONAL, integration, 10)
    np.testing.assert_allclose(error, expected.se_mean, rtol=1e-3)


@pytest.mark.parametrize("horizon", [1, 3, 30])
def test_the_forecast_iterates_the_difference_equation(horizon) -> None:
    values, integration = seasonal_walk(60), difference_polynomial(1, 1, 4)
    left, right = SEASONAL.polynomials
    full = np.convolve(left, integration)
    differenced = np.convolve(values, integration, "valid")
    shocks = np.zeros(len(values) + horizon)
    for now, value in enumerate(differenced):
        past = [differenced[now - 1] if now else 0.0, shocks[now + 5 - 4]]
        shocks[now + 5] = value - 0.4 * past[0] + 0.5 * past[1]
    path = [*values]
    for now in range(len(values), len(values) + horizon):
        news = right[1:] @ shocks[now - len(right) + 1 : now][::-1]
        path.append(news - full[1:] @ path[: -len(full) : -1])
    median = forecast_arma([values], SEASONAL, integration, horizon)[0]
    np.testing.assert_allclose(median, path[len(values) :], rtol=1e-12)


def test_series_forecast_together_equal_series_forecast_one_by_one() -> None:
    values, integration = seasonal_walk(80), difference_polynomial(1, 1, 4)
    series = [values[:stop][-60:] for stop in (7, 30, 61, 80)]
    together = forecast_arma(series, SEASONAL, integration, 12)
    single = [forecast_arma([values], SEASONAL, integration, 12)[0] for values in series]
    np.testing.assert_allclose(together, np.stack(single), rtol=1e-12)


def test_white_noise_continues_at_its_mean() -> None:
    fit = ArmaFit(ArmaOrder(0, 0, has_constant=True), 1, NONE, NONE, NONE, NONE, 3.0, 10.0, 10)
    median = forecast_arma([np.arange(10.0)], fit, np.ones(1), 4)
    np.testing.assert_array_equal(median, np.full((1, 4), 3.0))


def test_error_of_a_stationary_forecast_is_that_of_its_impulse_response() -> None:
    order = ArmaOrder(1, 1)
    fit = ArmaFit(order, 1, np.array([0.7]), np.array([0.2]), NONE, NONE, 0.0, 98.0, 100)
    error = standard_errors(fit, np.ones(1), 6)
    weights = arma2ma([1.0, -0.7], [1.0, 0.2], 6)
    np.testing.assert_allclose(error, np.sqrt(np.cumsum(weights**2)))


def test_the_forecast_reverts_to_the_mean() -> None:
    order = ArmaOrder(1, 0, has_constant=True)
    fit = ArmaFit(order, 1, np.array([0.5]), NONE, NONE, NONE, 10.0, 50.0, 50)
    median = forecast_arma([np.full(50, 14.0)], fit, np.ones(1), 3)
    np.testing.assert_allclose(median[0], [12.0, 11.0, 10.5])
