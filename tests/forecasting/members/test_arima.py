"""The order search of ARIMA, and its forecasts beside those of pmdarima."""

import warnings

import numpy as np
import pytest
from statsmodels.tsa.statespace.sarimax import SARIMAX
from statsmodels.tsa.stattools import kpss

from app.forecasting.members import arima
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def monthly_history(values):
    return History(np.asarray(values, dtype=float), (12,), Frequency.MONTHLY)


def seasonal_walk(length, seed=0):
    rng = np.random.default_rng(seed)
    pattern = np.tile(10.0 * np.sin(np.arange(12)), length // 12 + 1)[:length]
    return 100.0 + pattern + np.cumsum(rng.normal(size=length))


def test_kpss_statistic_is_the_librarys() -> None:
    values = np.cumsum(np.random.default_rng(1).normal(size=90))
    lags = int(3 * np.sqrt(90) / 13)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = kpss(values, regression="c", nlags=lags)[0]
    assert arima.kpss_statistic(values) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.random.default_rng(2).normal(size=120), (0, 0)),
        (np.cumsum(np.random.default_rng(3).normal(size=120)), (1, 0)),
        # The seasonal difference of a random walk is stationary already.
        (seasonal_walk(120), (0, 1)),
    ],
    ids=["noise", "random walk", "seasonal random walk"],
)
def test_the_orders_of_differencing_are_those_of_the_simulated_series(values, expected) -> None:
    assert arima.choose_differences(values, 12) == expected


def test_search_finds_a_strong_autoregression() -> None:
    rng = np.random.default_rng(4)
    series = np.zeros(300)
    for now in range(2, 300):
        series[now] = 1.2 * series[now - 1] - 0.6 * series[now - 2] + rng.normal()
    result = arima.search_order(series, 1)
    assert result.differences == 0
    assert result.fit.order.ar >= 2
    np.testing.assert_allclose(result.fit.ar[:2], [1.2, -0.6], atol=0.15)


def test_pmdarima_forecasts_by_the_coefficients_of_the_search() -> None:
    search = arima.search_order(seasonal_walk(120), 12)
    fit, order = search.fit, search.fit.order
    model = SARIMAX(
        search.standardized,
        order=(order.ar, search.differences, order.ma),
        seasonal_order=(order.seasonal_ar, search.seasonal_differences, order.seasonal_ma, 12),
        trend="c" if order.has_constant else None,
    )
    at_one = fit.mean * (1 - fit.ar.sum()) * (1 - fit.seasonal_ar.sum())
    intercept = [at_one] if order.has_constant else []
    coefficients = [*intercept, *fit.ar, *fit.ma, *fit.seasonal_ar, *fit.seasonal_ma, 1.0]
    expected = model.smooth(coefficients).forecast(12) * search.scale + search.location
    np.testing.assert_allclose(arima.forecast_by_pmdarima(search, 12), expected, rtol=1e-6)


def test_the_search_ends_close_to_the_maximum_of_the_likelihood() -> None:
    search = arima.search_order(seasonal_walk(120, seed=7), 12)
    order = search.fit.order
    exact = SARIMAX(
        search.standardized,
        order=(order.ar, search.differences, order.ma),
        seasonal_order=(order.seasonal_ar, search.seasonal_differences, order.seasonal_ma, 12),
        trend="c" if order.has_constant else None,
    ).fit(disp=0)
    expected = exact.forecast(12) * search.scale + search.location
    assert np.abs(arima.forecast_by_pmdarima(search, 12) - expected).max() < 0.5


def test_least_squares_and_pmdarima_agree_on_a_long_series() -> None:
    values = seasonal_walk(240)
    fast = arima.arima_by_least_squares(monthly_history(values), 6)
    exact = arima.arima(monthly_history(values), 6)
    np.testing.assert_allclose(fast.median, exact.median, rtol=0.03)
    np.testing.assert_allclose(fast.standard_error, exact.standard_error, rtol=0.15)


@pytest.mark.parametrize("length", [10, 11, 26])
def test_pmdarima_takes_part_from_ten_points_up(length, monkeypatch) -> None:
    import pmdarima

    fitted = []
    fit = pmdarima.ARIMA.fit

    def record_fit(self, *arguments, **options):
        fitted.append(self.order)
        return fit(self, *arguments, **options)

    monkeypatch.setattr(pmdarima.ARIMA, "fit", record_fit)
    values = np.random.default_rng(length).normal(size=length)
    forecast = arima.arima(monthly_history(values), 5)
    assert len(fitted) == 1
    assert np.all(np.isfinite(forecast.median))
    assert np.all(forecast.standard_error > 0)


def test_only_the_last_points_count() -> None:
    values = seasonal_walk(arima.MAX_ARIMA_POINTS + 50)
    changed = values.copy()
    changed[:50] = 0.0
    whole = arima.arima_by_least_squares(monthly_history(values), 4).median
    np.testing.assert_array_equal(
        whole, arima.arima_by_least_squares(monthly_history(changed), 4).median
    )


def test_a_constant_series_is_rejected() -> None:
    with pytest.raises(ValueError, match="varies"):
        arima.search_order(np.ones(20), 1)


def test_akaike_weights_are_those_of_the_formula_without_the_unlikely() -> None:
    weights = arima.akaike_weights(np.array([10.0, 12.0, 30.0]))
    likely = np.array([1.0, np.exp(-1.0)])
    np.testing.assert_allclose(weights, [*(likely / likely.sum()), 0.0])


def test_a_series_that_has_not_moved_for_long_continues_as_it_is() -> None:
    values = np.append(5.0, np.full(arima.MAX_ARIMA_POINTS, 2.0))
    for member in (arima.arima, arima.arima_by_least_squares):
        forecast = member(monthly_history(values), 3)
        np.testing.assert_array_equal(forecast.median, [2.0, 2.0, 2.0])
        np.testing.assert_array_equal(forecast.standard_error, np.zeros(3))
