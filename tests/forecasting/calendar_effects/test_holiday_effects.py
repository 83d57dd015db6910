"""Holidays in forecasts: learned where they are proved, reported, and otherwise without a trace."""

from dataclasses import replace

import numpy as np
import pytest

from app.forecasting.backtest.backtest import backtest
from app.forecasting.calendar_effects import holiday_effects as explaining
from app.forecasting.calendar_effects.calendar_effects import CalendarEffects
from app.forecasting.calendar_effects.events import NO_HOLIDAYS, Holidays
from app.forecasting.calendar_effects.holiday_effects import (
    holiday_effects,
    holiday_notices,
    holidays_of,
)
from app.forecasting.forecast import predict
from app.forecasting.model_ids import MODEL_IDS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from benchmarks.without_holidays import DRAWS, DROPS, KINDS, draw, draw_shop, has_effects
from tests.forecasting.calendar_effects.shops import (
    DAY,
    daily_history,
    days_from,
    hourly_history,
    shop,
    week_of,
)

QUICK = "forecast-model-2"
FIRST = "2021-02-01"
SHOP = daily_history(shop(FIRST, 1040), FIRST)  # up to 2023-12-07
CORE = "adjusted for Christmas, New Year and Easter"
PARTS = ("lower", "median", "upper")


def are_equal(first, other):
    return all(np.array_equal(getattr(first, name), getattr(other, name)) for name in PARTS)


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_every_model_forecasts_a_shop_that_closes(model_id) -> None:
    prediction = predict(SHOP, 28, 0.95, model_id)
    christmas = 17  # 2023-12-25, a Monday
    assert 20 < prediction.median[christmas] < 45
    assert prediction.lower[christmas] < 30 < prediction.upper[christmas]
    assert prediction.provenance.holiday_notices == (CORE,)
    unaware = predict(replace(SHOP, grid=None), 28, 0.95, model_id)
    assert unaware.median[christmas] > 70


def test_a_history_without_a_grid_has_no_calendar() -> None:
    assert holiday_effects(replace(SHOP, grid=None), 28, None) is None


@pytest.mark.parametrize("kind", KINDS)
def test_no_effect_is_proved_on_series_without_holidays(kind) -> None:
    assert [seed for seed in range(DRAWS) if has_effects(draw(kind, seed))] == []


@pytest.mark.parametrize("drop", DROPS)
def test_effects_that_are_there_are_proved(drop) -> None:
    assert [seed for seed in range(DRAWS) if not has_effects(draw_shop(drop, seed))] == []


def test_holidays_that_are_switched_off_are_not_learned_and_no_notice_names_them() -> None:
    prediction = predict(SHOP, 28, 0.95, QUICK, NO_HOLIDAYS)
    assert are_equal(prediction, predict(replace(SHOP, grid=None), 28, 0.95, QUICK))
    assert prediction.provenance.holiday_notices == ()


@pytest.mark.parametrize("points", [10, 55, 200, 1000])
def test_a_series_without_effects_is_forecast_as_without_a_calendar(points) -> None:
    history = daily_history(week_of(days_from(FIRST, points), 0.1), FIRST)
    prediction = predict(history, 40, 0.95, QUICK)
    assert are_equal(prediction, predict(replace(history, grid=None), 40, 0.95, QUICK))
    assert prediction.provenance.holiday_notices == ()


@pytest.mark.parametrize(
    "values",
    [
        shop(FIRST, 1040) * 1e90,
        shop(FIRST, 1040) * 1e-300,
        shop(FIRST, 1040, left=0.0),
        shop(FIRST, 1040, left=0.0) - 50,
        shop(FIRST, 1040, left=30.0),
        shop(FIRST, 1040, left=0.0, noise=0.0),
        np.where(shop(FIRST, 1040, noise=0.0) < 50, 0.0, 1.0),
    ],
    ids=["large", "small", "zeros", "negative", "peaks", "exact", "switch"],
)
def test_forecasts_of_any_values_are_finite_and_ordered(values) -> None:
    prediction = predict(daily_history(values, FIRST), 100, 0.95, QUICK)
    assert np.all(prediction.lower <= prediction.median)
    assert np.all(prediction.median <= prediction.upper)
    assert np.isfinite([getattr(prediction, name) for name in PARTS]).all()
    assert prediction.lower.min() >= 0 or values.min() < 0
    assert prediction.provenance.holiday_notices == (CORE,)


@pytest.mark.parametrize("horizon", [1, 100])
def test_any_horizon_can_be_asked_for(horizon) -> None:
    assert predict(SHOP, horizon, 0.95, QUICK).median.shape == (horizon,)


def test_an_idle_start_does_not_move_the_dates() -> None:
    values = np.concatenate([np.zeros(200), SHOP.values])
    history = History(values, (7, 365), Frequency.DAILY, SHOP.grid.without_first(-200))
    late = predict(history, 28, 0.95, QUICK)
    assert "points before the first change were set aside: 200" in late.provenance.notices
    assert are_equal(late, predict(SHOP, 28, 0.95, QUICK))


def test_a_failure_is_a_forecast_without_holidays(monkeypatch, caplog) -> None:
    def fail(*_arguments) -> None:
        raise ArithmeticError("no")

    monkeypatch.setattr(explaining, "estimate_day_effects", fail)
    prediction = predict(SHOP, 28, 0.95, QUICK)
    assert are_equal(prediction, predict(replace(SHOP, grid=None), 28, 0.95, QUICK))
    assert "the effects of holidays failed" in caplog.text


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e5])
def test_effects_that_are_not_finite_are_left_out(monkeypatch, wrong) -> None:
    nothing = np.zeros(28)
    effects = CalendarEffects(
        np.full(1040, wrong), np.full(28, wrong), nothing, True, 1, 1, nothing > 0
    )
    monkeypatch.setattr(explaining, "estimate_day_effects", lambda *_arguments: effects)
    prediction = predict(SHOP, 28, 0.95, QUICK)
    assert are_equal(prediction, predict(replace(SHOP, grid=None), 28, 0.95, QUICK))


def test_the_backtest_sees_no_value_after_its_cutoff() -> None:
    result = backtest(SHOP, 28, 0.95, [QUICK], 3, "AU-VIC")
    for window in result.windows:
        cut = replace(SHOP, values=SHOP.values[: window.cutoff])
        known = predict(cut, 28, 0.95, QUICK, holidays_of("AU-VIC", cut, 28))
        assert are_equal(window.forecasts[QUICK], known)
    last = predict(replace(SHOP, values=SHOP.values[:1012]), 28, 0.95, QUICK, None)
    assert not are_equal(result.windows[-1].forecasts[QUICK], last)
    assert result.notices[-1].startswith("holidays of AU-VIC: ")


def notice(history, code="AU-VIC", horizon=28):
    events = holidays_of(code, history, horizon)
    return holiday_notices(history, horizon, events, holiday_effects(history, horizon, events))


def test_the_notice_counts_what_was_learned_from_and_what_is_ahead() -> None:
    assert notice(SHOP) == ("holidays of AU-VIC: 3 ahead, learned from 41",)
    assert notice(SHOP, horizon=10) == ("holidays of AU-VIC: 0 ahead, learned from 41",)


def test_the_notice_says_why_holidays_were_not_used() -> None:
    noise = daily_history(week_of(days_from(FIRST, 400), 0.1), FIRST)
    assert notice(noise) == ("holidays of AU-VIC do not show in this series",)
    short = daily_history(SHOP.values[:55], FIRST)
    few = "holidays of AU-VIC were not used: they are learned from 56 points or more"
    assert notice(short) == (few,)
    hours = hourly_history(np.arange(100.0), FIRST)
    assert notice(hours) == (few.replace("56", "672"),)
    for frequency in (Frequency.WEEKLY, Frequency.MINUTES, Frequency.MONTHLY):
        other = History(SHOP.values, (), frequency)
        assert notice(other) == ("holidays are used for days and hours only",)


@pytest.mark.parametrize("step", [2 * DAY, 5 * 3600])
def test_other_steps_of_days_and_hours_are_not_explained(step) -> None:
    grid = Grid(np.datetime64(FIRST, "s"), step)
    frequency = Frequency.DAILY if step > DAY else Frequency.HOURS
    history = History(SHOP.values, (), frequency, grid)
    assert holiday_effects(history, 28, Holidays("", dict.fromkeys(range(99_999), ""))) is None
    (text,) = notice(history)
    assert text.startswith("holidays of AU-VIC were not used: ")


@pytest.mark.parametrize("first", ["1960-03-01", "2049-03-01", "9990-02-01"])
def test_years_without_known_holidays_are_reported(first) -> None:
    notices = notice(daily_history(shop(first, 1000), first))
    assert notices[-1] == "holidays are known from 1970 to 2050"


def test_hours_use_the_holidays_of_a_country_only() -> None:
    times = np.datetime64("2024-01-01T00:00:00") + np.arange(168 * 12) * np.timedelta64(3600, "s")
    weekday = (times.astype("datetime64[D]").astype(np.int64) + 3) % 7 < 5
    values = 20 + 50.0 * weekday + np.random.default_rng(0).normal(0, 1, len(times))
    history = hourly_history(values, "2024-01-01T00:00:00")  # up to a Sunday, 24 March
    assert holiday_effects(history, 72, None) is None
    events = holidays_of("DE", history, 168)
    prediction = predict(history, 168, 0.95, QUICK, events)
    assert prediction.provenance.holiday_notices == ("holidays of DE: 1 ahead, learned from 1",)
    friday = slice(96, 120)  # Good Friday; New Year's Day was as any other day
    plain = predict(history, 168, 0.95, QUICK)
    assert np.all(prediction.median[friday] < plain.median[friday])
    assert np.all(
        (prediction.upper - prediction.lower)[friday] > (plain.upper - plain.lower)[friday]
    )


def test_a_constant_series_is_forecast_constant() -> None:
    history = daily_history(np.full(400, 7.0), FIRST)
    prediction = predict(history, 28, 0.95, QUICK, holidays_of("AU", history, 28))
    assert prediction.lower.tolist() == prediction.upper.tolist() == [7.0] * 28
    assert prediction.provenance.holiday_notices == ("holidays of AU do not show in this series",)
