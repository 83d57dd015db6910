"""Models of months, quarters and years as a whole."""

import numpy as np
import pytest

from app.forecasting.combination import NoMemberError, trimmed_mean
from app.forecasting.members import arima
from app.forecasting.members.ridge import RIDGE
from app.forecasting.members.types import LowFrequencyMember
from app.forecasting.models import low_frequency
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

PERIODS = {Frequency.YEARLY: (), Frequency.QUARTERLY: (4,), Frequency.MONTHLY: (12,)}

GENERAL, LIGHT = MODELS["forecast-model-1"], MODELS["forecast-model-2"]


def walk(length, seed=0):
    return 100.0 + np.cumsum(np.random.default_rng(seed).normal(size=length))


def members_of(model, history):
    members = model.low_frequency[history.frequency].members
    return {member.name for member in members if member.is_suitable(history.values)}


@pytest.mark.parametrize("frequency", PERIODS)
def test_arima_takes_part_in_model_1_and_not_in_model_2(frequency) -> None:
    history = History(walk(30), PERIODS[frequency], frequency)
    assert {"ARIMA", "ARIMA on logs"} <= members_of(GENERAL, history)
    assert not any("ARIMA" in name for name in members_of(LIGHT, history))


@pytest.mark.parametrize(
    "values",
    [walk(30) - 200.0, np.append(walk(29), 0.0), np.geomspace(1.0, 1e6, 30)],
    ids=["negative", "with a zero", "over six magnitudes"],
)
def test_theta_on_raw_values_replaces_theta_on_logs_where_values_are_not_positive(values) -> None:
    history = History(values, (), Frequency.YEARLY)
    names = members_of(GENERAL, history)
    assert names == {"theta", "exponential smoothing", "ARIMA"}


def test_pmdarima_is_fitted_once_for_ten_points(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def record_search(search, horizon):
        calls.append(len(search.standardized))
        return np.zeros(horizon)

    monkeypatch.setattr(arima, "forecast_by_pmdarima", record_search)
    GENERAL.fit(History(walk(10), (12,), Frequency.MONTHLY), 3).at(0.9)
    assert calls == [10]


def test_the_median_mixes_the_middle_of_the_members_with_ridge() -> None:
    history = History(walk(60), (4,), Frequency.QUARTERLY)
    recipe = LIGHT.low_frequency[Frequency.QUARTERLY]
    combined = low_frequency.combine_low_frequency(history, 4, recipe)
    middle = trimmed_mean([member.forecast(history, 4).median for member in recipe.members])
    ridge = RIDGE.forecast(history, 4)
    assert ridge.standard_error[0] < 1.5 * combined.features.standard_error[0]
    np.testing.assert_allclose(combined.median[:4], 0.7 * middle + 0.3 * ridge.median)


def test_a_yearly_trend_is_limited_to_what_the_past_showed() -> None:
    values = np.append(np.full(20, 100.0) + 0.1 * np.arange(20), 150.0)
    prediction = LIGHT.fit(History(values, (), Frequency.YEARLY), 30).at(0.9)
    slope = np.polyfit(np.arange(10), values[-10:], 1)[0]
    assert prediction.median[-1] <= 150.0 + 1.5 * slope * 30 + 1e-9


def test_a_failing_member_is_named_in_the_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_error(history, horizon) -> None:
        raise ValueError("no")

    monkeypatch.setattr(low_frequency, "RIDGE", LowFrequencyMember("ridge", raise_error))
    history = History(walk(60), (12,), Frequency.MONTHLY)
    prediction = LIGHT.fit(history, 3).at(0.9)
    assert prediction.provenance.notices == (
        "ridge could not be fitted, the other members were used",
    )


def test_a_fit_without_any_finite_member_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(low_frequency, "run_low_frequency", lambda *arguments: ({}, ("all",)))
    with pytest.raises(NoMemberError, match="no member"):
        LIGHT.fit(History(walk(20), (), Frequency.YEARLY), 2).at(0.9)


@pytest.mark.parametrize("frequency", PERIODS)
@pytest.mark.parametrize("level", [-100.0, 0.0, 100.0])
def test_intervals_of_noise_cover_it_below_zero_too(level, frequency) -> None:
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(40):
        values = rng.normal(level, 1.0, 27)
        prediction = LIGHT.fit(History(values[:19], PERIODS[frequency], frequency), 8).at(0.95)
        covered.append((values[19:] >= prediction.lower) & (values[19:] <= prediction.upper))
    assert np.mean(covered) > 0.93


@pytest.mark.parametrize("model", [GENERAL, LIGHT], ids=["general", "light"])
@pytest.mark.parametrize("frequency", PERIODS)
def test_forecasts_beat_the_last_cycle_on_a_trend_with_a_season(model, frequency) -> None:
    period = PERIODS[frequency][0] if PERIODS[frequency] else 1
    time = np.arange(6 * period + 24)
    noise = np.random.default_rng(1).normal(size=len(time))
    series = 100.0 + time + 10.0 * np.sin(2 * np.pi * time / max(period, 2)) + noise
    known, actual = series[:-period], series[-period:]
    prediction = model.fit(History(known, PERIODS[frequency], frequency), period).at(0.9)
    error = np.abs(prediction.median - actual).mean()
    assert error < 0.7 * np.abs(known[-period:] - actual).mean()


@pytest.mark.parametrize("model", [GENERAL, LIGHT], ids=["general", "light"])
def test_a_perfect_season_on_a_perfect_line_continues(model) -> None:
    time = np.arange(72)
    series = 100.0 + 0.5 * time + np.tile(np.arange(12.0), 6)
    history = History(series[:60], (12,), Frequency.MONTHLY)
    combined = low_frequency.combine_low_frequency(
        history, 12, model.low_frequency[Frequency.MONTHLY]
    )
    np.testing.assert_allclose(combined.median, series[60:], atol=0.05)


def test_growth_that_is_not_extrapolated_stays_inside_the_interval() -> None:
    values = 1.2 ** np.arange(30.0)
    history = History(values, (), Frequency.YEARLY)
    prediction = LIGHT.fit(history, 6).at(0.95)
    truth = 1.2 ** np.arange(30.0, 36.0)
    assert np.all(prediction.median < truth)
    assert np.all(truth <= prediction.upper * 1.001)


@pytest.mark.parametrize("model", [LIGHT, GENERAL], ids=["light", "general"])
def test_a_season_that_no_member_can_see_yet_narrows_no_interval(model) -> None:
    history = History(np.array([10.0, 20.0] * 10), (12,), Frequency.MONTHLY)
    response = model.fit(history, 4).at(0.95)
    assert (response.lower <= [10, 20, 10, 20]).all()
    assert (response.upper >= [10, 20, 10, 20]).all()
