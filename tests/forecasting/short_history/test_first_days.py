"""One day of minutes, not two: the second day follows the first as far as it has recurred."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.model_ids import MODEL_IDS
from app.forecasting.models.recipes import MODELS
from app.forecasting.short_history.first_days import shift_hours, steps_per_hour
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.periods import periods_of_seconds
from app.timeseries.history import History
from app.timeseries.types import FloatArray

EVERY_MODEL = pytest.mark.parametrize("model_id", MODEL_IDS)


def history_of(values: FloatArray, minutes: int) -> History:
    return History(values, periods_of_seconds(60 * minutes), Frequency.MINUTES)


def calls(minutes: int, seed: int, hours: float) -> tuple[FloatArray, FloatArray]:
    """Return counts of calls with a daily rhythm, and those of the next 100 steps."""
    rng, day = np.random.default_rng(seed), 1440 // minutes
    known = int(hours * 60 / minutes)
    steps = np.arange(known + 100)
    rhythm = 60 * np.exp(np.sin(2 * np.pi * (steps / day - 0.3)))
    slow = np.exp(0.1 * np.repeat(rng.normal(size=len(steps) // 30 + 1), 30)[: len(steps)])
    values = rng.poisson(rhythm * slow).astype(float)
    return values[:known], values[known:]


def forecast_by_members(history: History, model_id: str) -> FloatArray:
    return MODELS[model_id].fit_members(history, 100).median


@EVERY_MODEL
@pytest.mark.parametrize("minutes", [5, 10, 15])
def test_a_day_that_was_seen_once_is_forecast_again(model_id, minutes) -> None:
    errors = []
    for seed in range(4):
        known, coming = calls(minutes, seed, 27 + 6 * seed)
        history = history_of(known, minutes)
        median = predict(history, 100, 0.95, model_id).median
        errors.append(
            [np.abs(m - coming).mean() for m in (median, forecast_by_members(history, model_id))]
        )
    moved, unmoved = np.mean(errors, axis=0)
    assert moved < 0.75 * unmoved


@pytest.mark.parametrize("minutes", [10, 15])
def test_intervals_of_the_second_day_are_honest_and_narrower_than_the_members(minutes) -> None:
    covered, widths = [], []
    for seed in range(8):
        known, coming = calls(minutes, seed, 26 + 3 * seed)
        history = history_of(known, minutes)
        prediction = predict(history, 100, 0.95, "forecast-model-2")
        lower, upper = MODELS["forecast-model-2"].fit_members(history, 100).interval(0.95)
        covered.append((prediction.lower <= coming) & (coming <= prediction.upper))
        widths.append([(prediction.upper - prediction.lower).mean(), (upper - lower).mean()])
    narrowed, wide = np.mean(widths, axis=0)
    assert np.mean(covered) >= 0.9
    assert narrowed < 0.8 * wide


@EVERY_MODEL
def test_noise_without_a_day_is_forecast_by_the_members(model_id) -> None:
    values = 50 + np.random.default_rng(1).normal(size=400)
    history = history_of(values, 5)
    median = predict(history, 100, 0.95, model_id).median
    assert np.abs(median - forecast_by_members(history, model_id)).max() < 0.3


@EVERY_MODEL
def test_a_line_by_the_minute_continues(model_id) -> None:
    values = 5 + np.arange(400) / 8
    median = predict(history_of(values, 5), 100, 0.95, model_id).median
    np.testing.assert_allclose(median, 5 + np.arange(400, 500) / 8, rtol=1e-6)


@EVERY_MODEL
def test_a_step_of_the_second_day_does_not_depend_on_the_horizon(model_id) -> None:
    history = history_of(calls(10, 0, 31)[0], 10)
    near, far = (predict(history, horizon, 0.9, model_id) for horizon in (7, 100))
    for name in ("lower", "median", "upper"):
        np.testing.assert_allclose(getattr(near, name), getattr(far, name)[:7], rtol=1e-9)


def test_a_lower_bound_of_zero_stays_at_zero_on_the_second_day() -> None:
    history = history_of(calls(10, 0, 31)[0], 10)
    zeros, wide = np.zeros(102), np.full(102, 500.0)
    fit = ForecastDistribution(zeros + 50.0, lambda confidence: (zeros, wide), 5.0)
    shifted = shift_hours(history, fit)
    assert np.abs(shifted.median - 50.0).max() > 10
    np.testing.assert_array_equal(shifted.interval(0.95)[0], 0.0)


@pytest.mark.parametrize(
    ("frequency", "seconds", "steps"),
    [
        (Frequency.MINUTES, 300, 12),
        (Frequency.MINUTES, 1_200, 3),
        (Frequency.MINUTES, 1_800, 0),
        (Frequency.MINUTES, 420, 0),
        (Frequency.SECONDS, 30, 0),
        (Frequency.HOURS, 3_600, 0),
    ],
)
def test_hours_are_those_of_a_day_that_is_too_long_for_the_prior(frequency, seconds, steps) -> None:
    assert steps_per_hour(History(np.ones(10), periods_of_seconds(seconds), frequency)) == steps
