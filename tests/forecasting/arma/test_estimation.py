"""ARMA coefficients by conditional sum of squares."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter
from statsmodels.tsa.statespace.sarimax import SARIMAX

from app.forecasting.arma.estimation import ArmaOrder, fit_arma
from app.forecasting.arma.stationary_coefficients import (
    constrain_stationary,
    unconstrain_stationary,
)


def simulate(ar, ma, length, seed=0):
    shocks = np.random.default_rng(seed).normal(size=length)
    series = np.zeros(length)
    for now in range(1, length):
        series[now] = ar * series[now - 1] + shocks[now] + ma * shocks[now - 1]
    return series


def test_any_parameters_give_a_stationary_polynomial() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        coefficients = constrain_stationary(rng.normal(scale=2.0, size=3))
        roots = np.roots(np.concatenate([[1.0], -coefficients]))
        assert np.abs(roots).max() < 1.0


def test_first_order_coefficient_is_the_least_squares_one() -> None:
    series = simulate(0.6, 0.0, 400)
    fit = fit_arma(series, ArmaOrder(1, 0), 1)
    expected = series[1:] @ series[:-1] / (series[:-1] @ series[:-1])
    assert fit.ar[0] == pytest.approx(expected, abs=5e-3)


def test_coefficients_come_close_to_maximum_likelihood() -> None:
    series = simulate(0.5, 0.4, 500) + 3.0
    fit = fit_arma(series, ArmaOrder(1, 1, has_constant=True), 1)
    exact = SARIMAX(series, order=(1, 0, 1), trend="c").fit(disp=0)
    np.testing.assert_allclose([fit.ar[0], fit.ma[0]], exact.params[1:3], atol=0.02)
    assert fit.mean == pytest.approx(series.mean(), abs=0.2)


def test_coefficients_lead_back_to_the_numbers_they_were_made_of() -> None:
    numbers = [0.4, -1.2, 0.7]
    result = unconstrain_stationary(constrain_stationary(numbers))
    np.testing.assert_allclose(result, numbers, rtol=1e-12)


def squares_by_differences(series, fit):
    """Return how the sum of squares changes with each coefficient, by moving it up and down."""
    blocks = [fit.ar, fit.ma, fit.seasonal_ar, fit.seasonal_ma]

    def squares(flat, mean):
        counts = [len(block) for block in blocks]
        moved = np.split(flat, np.cumsum(counts)[:-1])
        left, right = replace(
            fit, ar=moved[0], ma=moved[1], seasonal_ar=moved[2], seasonal_ma=moved[3]
        ).polynomials
        residuals = lfilter(left, right, series - mean)
        return residuals @ residuals

    flat, step = np.concatenate(blocks), 1e-5
    slopes = [
        (squares(flat + move, fit.mean) - squares(flat - move, fit.mean)) / (2 * step)
        for move in step * np.eye(len(flat))
    ]
    slopes.append((squares(flat, fit.mean + step) - squares(flat, fit.mean - step)) / (2 * step))
    return np.array(slopes)


@pytest.mark.parametrize(
    "order",
    [ArmaOrder(3, 0, has_constant=True), ArmaOrder(2, 1, 1, 0, True), ArmaOrder(1, 2, 0, 1, True)],
)
def test_the_fit_ends_where_no_coefficient_can_better_it(order) -> None:
    rng = np.random.default_rng(8)
    series = 0.3 + lfilter([1.0, 0.4], [1.0, -0.5, 0.2], rng.normal(size=300))
    series[4:] += 0.3 * series[:-4]
    fit = fit_arma(series, order, 4)
    slopes = squares_by_differences(series, fit)
    assert np.abs(slopes).max() < 0.1 * fit.sum_of_squares


def test_a_fit_from_a_similar_one_ends_where_one_from_nowhere_does() -> None:
    series = simulate(0.5, 0.4, 300)
    near = fit_arma(series, ArmaOrder(1, 1), 1)
    single = fit_arma(series, ArmaOrder(1, 1, has_constant=True), 1)
    fitted = fit_arma(series, ArmaOrder(1, 1, has_constant=True), 1, near)
    assert fitted.sum_of_squares == pytest.approx(single.sum_of_squares, rel=1e-3)
    assert fitted.ar[0] == pytest.approx(single.ar[0], abs=0.02)
