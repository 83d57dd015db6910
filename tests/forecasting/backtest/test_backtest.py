"""A backtest ranks models by their forecasts of windows that they have not seen."""

import logging
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.forecasting.backtest.backtest import backtest
from app.forecasting.backtest.results import Backtest
from app.forecasting.fallback import forecast_seasonal_naive
from app.forecasting.model_ids import SEASONAL_NAIVE, UnknownModelError
from app.forecasting.models.recipes import MODELS, Model
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

TWO_MODELS = ("forecast-model-4", "forecast-model-2")


def weekly_values(points: int = 60) -> FloatArray:
    rng = np.random.default_rng(3)
    return 50 + 10 * np.sin(np.arange(points) * 2 * np.pi / 7) + rng.normal(size=points)


def days(values: FloatArray) -> History:
    return History(np.asarray(values, dtype=float), (7, 365), Frequency.DAILY)


def order(result: Backtest) -> list[str]:
    return [ranked.model_id for ranked in result.ranking]


def test_a_forecast_does_not_see_its_window_or_later_values() -> None:
    """Another value at a place changes the forecasts of later windows only."""
    values = weekly_values()
    changed = values.copy()
    changed[52] += 40
    before, after = (backtest(days(series), 5, 0.9, TWO_MODELS, 4) for series in (values, changed))
    for model_id in (*TWO_MODELS, SEASONAL_NAIVE):
        are_equal = [
            np.array_equal(old.forecasts[model_id].median, new.forecasts[model_id].median)
            for old, new in zip(before.windows, after.windows, strict=True)
        ]
        assert are_equal == [True, True, True, False]


def test_models_are_ranked_by_their_absolute_error() -> None:
    result = backtest(days(weekly_values()), 5, 0.9, TWO_MODELS, 4)
    errors = [ranked.scores.mae for ranked in result.ranking]
    assert errors == sorted(errors)
    assert [ranked.rank for ranked in result.ranking] == [1, 2, 3]
    assert set(order(result)) == {*TWO_MODELS, SEASONAL_NAIVE}
    assert result.best_model == next(
        model_id for model_id in order(result) if model_id in TWO_MODELS
    )


@pytest.mark.parametrize("model_ids", [TWO_MODELS, TWO_MODELS[::-1]])
def test_at_equal_errors_the_first_requested_model_wins_and_the_naive_is_last(
    model_ids: tuple[str, ...],
) -> None:
    result = backtest(days(np.full(40, 7.0)), 5, 0.9, model_ids, 2)
    assert order(result) == [*model_ids, SEASONAL_NAIVE]
    assert result.best_model == model_ids[0]
    assert not any("smaller error" in notice for notice in result.notices)


def test_the_seasonal_naive_wins_on_a_series_that_repeats_itself() -> None:
    cycle = np.array([0, 900, 3, 500, 2, 1, 700], dtype=float)
    result = backtest(days(np.tile(cycle, 3)), 7, 0.9, ("forecast-model-2",), 1)
    assert order(result)[0] == SEASONAL_NAIVE
    assert result.best_model == "forecast-model-2"
    assert result.notices[-1] == "seasonal_naive has a smaller error than every requested model"


def test_a_model_that_fails_gets_a_notice(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    broken = replace(MODELS["forecast-model-2"], high_frequency_fitter=fail)
    assert isinstance(broken, Model)
    monkeypatch.setitem(MODELS, "forecast-model-2", broken)
    with caplog.at_level(logging.CRITICAL):
        result = backtest(days(weekly_values()), 5, 0.9, TWO_MODELS, 2)
    notice = "forecast-model-2 could not be fitted, a simpler model was used: 2 of 2 windows"
    assert notice in result.notices


def test_a_history_that_is_short_before_the_first_window_is_reported() -> None:
    notice = "series has 20 points before the first window, 30 are recommended for Daily data"
    assert notice in backtest(days(weekly_values(40)), 5, 0.9, TWO_MODELS, 4).notices
    assert notice not in backtest(days(weekly_values(60)), 5, 0.9, TWO_MODELS, 4).notices


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(UnknownModelError):
        backtest(days(weekly_values()), 5, 0.9, ("best",), 1)


def test_the_seasonal_naive_has_the_interval_of_a_seasonal_random_walk() -> None:
    values = weekly_values(40)
    forecast = forecast_seasonal_naive(days(values), 10, 0.95)
    assert np.array_equal(forecast.median, np.tile(values[-7:], 2)[:10])
    deviation = np.sqrt(np.mean((values[7:] - values[:-7]) ** 2))
    half = 1.959963984540054 * deviation * np.sqrt([1] * 7 + [2] * 3)
    assert forecast.upper - forecast.median == pytest.approx(half)
    assert forecast.median - forecast.lower == pytest.approx(half)


def test_a_history_shorter_than_its_season_repeats_the_last_value() -> None:
    months = History(weekly_values(11), (12,), Frequency.MONTHLY)
    assert set(forecast_seasonal_naive(months, 5, 0.9).median) == {months.values[-1]}


@settings(max_examples=30)
@given(st.lists(st.floats(-1e100, 1e100), min_size=10, max_size=30), st.integers(1, 100))
def test_the_seasonal_naive_is_finite_ordered_and_not_negative_without_need(
    values: list[float], horizon: int
) -> None:
    for history in (days(values), days(np.abs(values))):
        forecast = forecast_seasonal_naive(history, horizon, 0.99)
        assert np.isfinite([forecast.lower, forecast.median, forecast.upper]).all()
        assert (forecast.lower <= forecast.median).all()
        assert (forecast.median <= forecast.upper).all()
        assert forecast.lower.min() >= 0 or history.values.min() < 0


def test_a_window_after_too_few_points_does_not_change_the_ranking() -> None:
    """Weeks: one window after 98 points, one after 124; two years have 104."""
    time = np.arange(150)
    values = 50 + 10 * np.sin(time * 2 * np.pi / 52) + np.random.default_rng(1).normal(size=150)
    history = History(values, (52,), Frequency.WEEKLY)
    two_windows, last_window = (
        backtest(history, 26, 0.9, TWO_MODELS, windows) for windows in (2, 1)
    )
    assert [window.is_short for window in two_windows.windows] == [True, False]
    assert [ranked.scores for ranked in two_windows.ranking] == [
        ranked.scores for ranked in last_window.ranking
    ]
    assert any("1 of 2 windows do not count" in notice for notice in two_windows.notices)
