"""ARIMA on a seasonally adjusted series."""

import numpy as np
import pytest

from app.forecasting.members.adjusted_arima import adjusted_arima, apply_search, forgetting_profile
from app.forecasting.members.arima import forecast_by_pmdarima, search_order
from tests.forecasting.tasks import make_task


def test_a_steady_season_is_its_profile() -> None:
    pattern = np.array([3.0, -1, 0, 5, -7])
    profile = forgetting_profile(np.tile(pattern, 12), 5)
    np.testing.assert_allclose(profile, pattern, atol=1e-9)


def test_recent_cycles_shape_the_profile() -> None:
    old, new = np.tile([0.0, 4, 0, -4], 30), np.tile([0.0, -4, 0, 4], 15)
    profile = forgetting_profile(np.concatenate([old, new]), 4)
    np.testing.assert_allclose(profile, [0, -4, 0, 4], atol=0.6)


def test_past_forecasts_are_those_of_the_model_that_pmdarima_fits() -> None:
    rng = np.random.default_rng(1)
    values = 50 + np.cumsum(rng.standard_normal(150)) + np.tile([0.0, 2, 4, 1, 0, 3], 25)
    search = search_order(values, 6)
    expected = forecast_by_pmdarima(search, 9)
    np.testing.assert_allclose(apply_search(search, [values], 9)[0], expected, atol=0.3)


@pytest.mark.parametrize("period", [0, 7, 24])
def test_a_season_is_continued_whether_modelled_or_adjusted_for(period) -> None:
    rng = np.random.default_rng(2)
    pattern = 10 * np.sin(2 * np.pi * np.arange(max(period, 1)) / max(period, 1))
    values = 100 + np.resize(pattern, 336) + rng.standard_normal(336)
    forecast = adjusted_arima(make_task(values, 24, (280, 300), raw=True), period)
    np.testing.assert_allclose(
        forecast.forecast, 100 + np.resize(np.roll(pattern, -(336 % max(period, 1))), 24), atol=4
    )
    assert forecast.backtest.shape == (2, 24)
    truth = np.stack([values[280:304], values[300:324]])
    assert np.abs(forecast.backtest - truth).mean() < 2.5


def test_a_series_that_does_not_vary_is_rejected() -> None:
    with pytest.raises(ValueError, match="varies"):
        adjusted_arima(make_task(np.full(50, 3.0), 5, (40,)), 0)
