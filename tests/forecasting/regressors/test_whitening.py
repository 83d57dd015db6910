"""Level and season are taken out of a series, and its simple forecast."""

import numpy as np
import pytest
from scipy.signal import lfilter

from app.forecasting.regressors.whitening import Whitening, choose_whitening, filter_season

RANDOM = np.random.default_rng(2)


def test_a_season_that_never_changes_leaves_nothing() -> None:
    values = np.tile(RANDOM.normal(size=7), 20)
    assert np.abs(filter_season(values, 7, 0.8)).max() < 1e-12


def test_whitening_removes_a_linear_trend() -> None:
    whitening = Whitening(7, 1.0, 0.5, 0.5)
    left = whitening.apply(3.0 * np.arange(400))
    assert np.abs(left[300:]).max() < 1e-9


def test_the_filter_is_that_of_the_model() -> None:
    values = RANDOM.normal(size=300)
    whitening = Whitening(7, 0.8, 0.3, 0.0)
    season = values[7:] - values[:-7]
    wanted = lfilter([1, -0.8], [1, -0.3], season)[1:]
    np.testing.assert_allclose(whitening.apply(values)[30:], wanted[30:], atol=1e-9)


@pytest.mark.parametrize(
    "whitening",
    [
        Whitening(1, 1.0, 0.0, 0.0),
        Whitening(1, 1.0, 0.7, 0.0),
        Whitening(7, 1.0, 0.7, 0.4),
        Whitening(7, 0.8, 0.0, 0.4),
    ],
)
def test_a_forecast_continues_what_has_no_noise(whitening: Whitening) -> None:
    values = RANDOM.normal(size=120).cumsum()
    origin, ahead = 100, 20
    forecast = whitening.forecast(values, np.array([origin]), ahead)[0]
    continued = np.concatenate([values[:origin], forecast])
    assert np.abs(whitening.apply(continued)[origin - whitening.dropped :]).max() < 1e-9


def test_a_forecast_is_the_same_for_any_horizon() -> None:
    whitening = Whitening(7, 0.8, 0.0, 0.4)
    values, origins = RANDOM.normal(size=(3, 120)), np.array([60, 90])
    few, many = (whitening.forecast(values, origins, horizon) for horizon in (5, 30))
    np.testing.assert_array_equal(few, many[..., :5])


def test_a_walk_and_a_deviation_are_distinguished() -> None:
    noise = RANDOM.normal(size=2_000)
    season = np.tile(10 * RANDOM.normal(size=7), 300)[:2_000]
    deviation = lfilter([1], [1, -0.7], noise)
    assert choose_whitening(season + deviation, 7).kept < 0.9
    assert choose_whitening(season + 5 * noise.cumsum(), 7).kept == 1.0
