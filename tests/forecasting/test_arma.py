import numpy as np
import pytest
from statsmodels.tsa.statespace.sarimax import SARIMAX

from app.forecasting.arma import ArmaOrder, fit_arma, stationary_coefficients


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
