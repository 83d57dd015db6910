"""Levels by weighted medians, which spikes do not move."""

import numpy as np

from app.forecasting.models.robust import forgetting_medians, robust_levels
from app.forecasting.preprocessing.cleaning import clean_series
from app.forecasting.preprocessing.seasonality import Seasonality
from tests.forecasting.tasks import make_task


def test_without_forgetting_the_weighted_median_is_the_median() -> None:
    values = np.array([5.0, 1, 9, 2, 7])
    assert forgetting_medians(values, 1e6, np.array([5]))[0] == 5.0


def test_half_of_the_weight_lies_on_either_side() -> None:
    # Weights 1/8, 1/4, 1/2, 1 from old to new: the newest holds more than half.
    assert forgetting_medians(np.array([9.0, 8, 7, 1]), 1.0, np.array([4]))[0] == 1.0


def test_points_before_the_first_do_not_count() -> None:
    assert forgetting_medians(np.array([4.0, 6, 6]), 100.0, np.array([1]))[0] == 4.0


def test_a_spike_at_the_end_does_not_move_the_level() -> None:
    values = 10 + 0.01 * np.sin(np.arange(96.0))
    values[-1] = 1e6
    cleaned = clean_series(values, Seasonality(0, 0), 4)
    for forecast in robust_levels(make_task(values, 4, (60, 70)), cleaned, (1.0, 12.0)):
        np.testing.assert_allclose(forecast.forecast, 10, atol=0.1)


def test_level_and_season_are_added() -> None:
    pattern = np.array([0.0, 8, 2, -4, 1, 6])
    values = 50 + np.tile(pattern, 20)
    cleaned = clean_series(values, Seasonality(6, 0), 6)
    (forecast,) = robust_levels(make_task(values, 6, (90,)), cleaned, (12.0,))
    np.testing.assert_allclose(forecast.forecast, 50 + pattern, atol=1e-9)
    np.testing.assert_allclose(forecast.backtest[0], 50 + pattern, atol=1e-9)


def test_a_metric_that_never_was_negative_gets_no_negative_level() -> None:
    rng = np.random.default_rng(0)
    values = np.maximum(0, 3 * np.sin(np.arange(240) * np.pi / 12) + rng.standard_normal(240))
    cleaned = clean_series(values, Seasonality(24, 0), 24)
    for forecast in robust_levels(make_task(values, 24, (150, 180)), cleaned, (4.0,)):
        assert forecast.forecast.min() >= 0
        assert forecast.backtest.min() >= 0
