"""Days with a year seen once: their weeks' season moves the forecast, of every model."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.models.recipes import MODELS
from app.forecasting.short_history.first_years import YEAR_OF_WEEKS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

EVERY_MODEL = pytest.mark.parametrize("model_id", MODELS)
WEEKDAYS = np.array([1, 1.05, 1.1, 1.05, 1, 0.75, 0.7])
HORIZON = 56


def history_of(values, frequency=Frequency.DAILY, periods=(7, 365)):
    return History(np.asarray(values, dtype=np.float64), periods, frequency)


def forecast_by_members(history, model_id="forecast-model-2"):
    with np.errstate(all="ignore"):
        return MODELS[model_id].fit_members(history, HORIZON).median


def year_of_days(count, seed, phase=0.0):
    """Return a year's wave with weekdays and noise, and the same without noise."""
    steps = np.arange(count)
    wave = 1 + 0.4 * np.sin(2 * np.pi * (steps / 365.25 + phase))
    clean = 100 * WEEKDAYS[steps % 7] * wave
    return clean * (1 + np.random.default_rng(seed).normal(0, 0.05, count)), clean


def errors(points, model_id):
    """Return the mean errors with the weeks' season and without it, over four phases."""
    results = []
    for phase in (0, 0.25, 0.5, 0.75):
        noisy, clean = year_of_days(points + HORIZON, points, phase)
        history = history_of(noisy[:points])
        forecast = predict(history, HORIZON, 0.95, model_id).median
        members = forecast_by_members(history, model_id)
        results.append([np.abs(median - clean[points:]).mean() for median in (forecast, members)])
    return np.mean(results, axis=0)


@EVERY_MODEL
@pytest.mark.parametrize(("points", "share"), [(450, 0.9), (640, 0.7)])
def test_a_year_half_seen_again_is_continued(points, share, model_id) -> None:
    followed, not_followed = errors(points, model_id)
    assert followed < share * not_followed


@EVERY_MODEL
@pytest.mark.parametrize(
    "values",
    [
        10 + 0.5 * np.arange(556),
        10 * 1.003 ** np.arange(556),
        100 - 80 * np.exp(-np.arange(556) / 150),
        (100 + 0.1 * np.arange(556)) * WEEKDAYS[np.arange(556) % 7],
    ],
    ids=["line", "growth", "saturation", "weekdays"],
)
def test_days_without_noise_are_continued_as_the_members_do(values, model_id) -> None:
    history = history_of(values[:500])
    forecast = predict(history, HORIZON, 0.95, model_id).median
    members = forecast_by_members(history, model_id)
    own = np.abs(members - values[500:]).mean()
    assert np.abs(forecast - values[500:]).mean() <= own + 0.002 * np.ptp(values)


@pytest.mark.parametrize("points", [364, 365, 730])
def test_the_move_begins_with_a_year_and_ends_where_members_see_one(points) -> None:
    noisy, _ = year_of_days(points, 3)
    history = history_of(noisy)
    forecast = MODELS["forecast-model-2"].fit(history, HORIZON).median
    np.testing.assert_array_equal(forecast, forecast_by_members(history))


@EVERY_MODEL
def test_the_forecast_of_a_day_does_not_depend_on_the_horizon(model_id) -> None:
    noisy, _ = year_of_days(550, 4)
    history = history_of(noisy)
    whole = predict(history, 100, 0.95, model_id)
    for horizon in (1, 6, 7, 28, 99):
        part = predict(history, horizon, 0.95, model_id)
        for name in ("lower", "median", "upper"):
            expected = getattr(whole, name)[:horizon]
            np.testing.assert_allclose(getattr(part, name), expected, rtol=1e-9)


def test_a_count_is_not_forecast_below_zero() -> None:
    noisy, _ = year_of_days(500, 5)
    values = np.maximum(np.round((noisy - 60) / 20), 0)
    forecast = predict(history_of(values), HORIZON, 0.95, "forecast-model-2")
    assert (forecast.lower >= 0).all()
    assert (forecast.lower <= forecast.median).all()
    assert (forecast.median <= forecast.upper).all()


def test_days_that_are_often_zero_are_covered_in_wet_weeks_too() -> None:
    steps, rng = np.arange(500 + HORIZON), np.random.default_rng(8)
    season = 1 + 0.9 * np.sin(2 * np.pi * (steps / 365.25 + 0.5))
    rain = np.where(rng.random(len(steps)) < 0.5, 0.0, 5 * season * rng.exponential(1, len(steps)))
    history = history_of(rain[:500])
    forecast = predict(history, HORIZON, 0.95, "forecast-model-2")
    assert forecast.median.mean() != pytest.approx(forecast_by_members(history).mean(), abs=1e-6)
    assert np.mean(forecast.lower <= rain[500:]) > 0.9


@pytest.mark.parametrize("periods", [(7,), (5, 260)], ids=["no year", "business days"])
def test_days_without_a_year_among_their_periods_are_left_as_they_are(periods) -> None:
    noisy, _ = year_of_days(500, 6)
    history = history_of(noisy, periods=periods)
    forecast = MODELS["forecast-model-2"].fit(history, HORIZON).median
    np.testing.assert_array_equal(forecast, forecast_by_members(history))


def test_a_season_that_past_origins_do_not_support_has_no_weight() -> None:
    weeks = np.arange(100)
    noise = np.random.default_rng(7).normal(0, 1.0, 100)
    year = 20 * np.sin(2 * np.pi * weeks / 52)
    assert YEAR_OF_WEEKS.supported_weight(100 + year + noise) > 0.6
    # A wave in each year, the second one half a year later in it.
    waves = 40 * (np.exp(-(((weeks - 20) / 5) ** 2)) + np.exp(-(((weeks - 92) / 5) ** 2)))
    assert YEAR_OF_WEEKS.supported_weight(100 + waves + noise) < 0.1
    assert YEAR_OF_WEEKS.supported_weight(np.append(np.full(60, 5.0), noise[:8])) < 0.1
