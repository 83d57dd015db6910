"""Models of minutes, hours, days and weeks as a whole."""

from itertools import pairwise

import numpy as np
import pytest

from app.forecasting.members import adjusted_arima
from app.forecasting.models import high_frequency
from app.forecasting.models.high_frequency import select_recent
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

PERIODS = {
    Frequency.SECONDS: (60, 3_600),
    Frequency.MINUTES: (288, 2_016),
    Frequency.HOURS: (24, 168),
    Frequency.DAILY: (7, 365),
    Frequency.WEEKLY: (52,),
}


GENERAL, LIGHT, SEASONAL, ROBUST, *_ = MODELS.values()
EVERY_MODEL = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def history_of(values, frequency):
    return History(np.asarray(values, dtype=float), PERIODS[frequency], frequency)


def hourly_history(n, rng, noise=1.0):
    time = np.arange(n)
    week = np.where(time // 24 % 7 >= 5, -15.0, 0.0)
    return 100 + 20 * np.sin(2 * np.pi * time / 24) + week + noise * rng.standard_normal(n)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@EVERY_MODEL
@pytest.mark.parametrize("frequency", list(PERIODS))
@pytest.mark.parametrize("length", [10, 11, 17, 33, 70])
@pytest.mark.parametrize("horizon", [1, 100])
def test_every_frequency_is_forecast_from_ten_points_up(model, frequency, length, horizon, rng):
    values = rng.gamma(2.0, 10.0, length)
    response = model.fit(history_of(values, frequency), horizon).at(0.9)
    for bound in (response.lower, response.median, response.upper):
        assert bound.shape == (horizon,)
        assert np.isfinite(bound).all()
        assert bound.min() >= 0
    assert (response.lower <= response.median).all()
    assert (response.median <= response.upper).all()
    assert response.provenance.notices == ()


@EVERY_MODEL
def test_day_and_week_of_hours_are_continued(model, rng) -> None:
    values = hourly_history(24 * 7 * 5 + 100, rng)
    response = model.fit(history_of(values[:-100], Frequency.HOURS), 100).at(0.95)
    assert np.abs(response.median - values[-100:]).mean() < 2.5
    inside = (response.lower <= values[-100:]) & (values[-100:] <= response.upper)
    assert inside.mean() >= 0.8
    assert (response.upper - response.lower).mean() < 15


@EVERY_MODEL
def test_a_random_walk_is_forecast_near_its_last_value(model, rng) -> None:
    values = 500 + np.cumsum(rng.standard_normal(600))
    response = model.fit(history_of(values, Frequency.DAILY), 10).at(0.9)
    assert np.abs(response.median - values[-1]).max() < 6


@EVERY_MODEL
def test_the_same_history_gives_the_same_forecast(model, rng) -> None:
    history = history_of(hourly_history(200, rng), Frequency.HOURS)
    first, second = model.fit(history, 30).at(0.8), model.fit(history, 30).at(0.8)
    for name in ("lower", "median", "upper"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("model", [LIGHT, SEASONAL, ROBUST])
@pytest.mark.parametrize("frequency", [Frequency.HOURS, Frequency.WEEKLY])
def test_more_confidence_is_a_wider_interval_around_the_same_median(model, frequency, rng) -> None:
    history = history_of(hourly_history(300, rng, noise=8.0), frequency)
    responses = [model.fit(history, 24).at(level) for level in (0.1, 0.5, 0.7, 0.9, 0.95, 0.99)]
    for narrow, wide in pairwise(responses):
        np.testing.assert_array_equal(narrow.median, wide.median)
        assert (wide.lower <= narrow.lower).all()
        assert (wide.upper >= narrow.upper).all()


@pytest.mark.parametrize("model", [LIGHT, SEASONAL])
def test_the_forecast_scales_with_the_series(model, rng) -> None:
    values = hourly_history(300, rng)
    small = model.fit(history_of(values, Frequency.HOURS), 24).at(0.9)
    large = model.fit(history_of(values * 1e6, Frequency.HOURS), 24).at(0.9)
    np.testing.assert_allclose(large.median, small.median * 1e6, rtol=1e-6)
    np.testing.assert_allclose(large.upper, small.upper * 1e6, rtol=1e-6)


def test_members_look_at_no_more_than_some_cycles_of_a_long_history() -> None:
    values, seasonality = select_recent(History(np.arange(50_000.0), (24, 168), Frequency.HOURS))
    assert len(values) == high_frequency.MIN_KEPT_POINTS
    assert seasonality.long == 168
    history = History(np.arange(50_000.0), (1_440, 10_080), Frequency.MINUTES)
    values, seasonality = select_recent(history)
    assert len(values) == high_frequency.MAX_KEPT_POINTS
    assert (seasonality.short, seasonality.long) == (1_440, 0)


def test_without_pmdarima_the_other_members_forecast_and_a_note_says_so(rng, monkeypatch) -> None:
    def reject(*_args) -> None:
        raise RuntimeError("no convergence")

    history = history_of(hourly_history(200, rng), Frequency.HOURS)
    expected = GENERAL.fit(history, 24).at(0.9)
    monkeypatch.setattr(adjusted_arima, "search_order", reject)
    response = GENERAL.fit(history, 24).at(0.9)
    assert response.provenance.notices == (
        "ARIMA could not be fitted, the other members were used",
    )
    np.testing.assert_allclose(response.median, expected.median, rtol=0.05)


def test_a_year_is_seen_beside_the_week_in_daily_data(rng) -> None:
    time = np.arange(365 * 3 + 60)
    year = 40 * np.sin(2 * np.pi * time / 365.25)
    values = 200 + year + np.tile([0.0, 3, 5, 2, 0, -20, -25], 200)[: len(time)]
    values = values + rng.standard_normal(len(time))
    response = SEASONAL.fit(history_of(values[:-60], Frequency.DAILY), 60).at(0.9)
    assert np.abs(response.median - values[-60:]).mean() < 3
