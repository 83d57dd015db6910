"""Known columns of a series are taken out of it, and put back into its forecast."""

from dataclasses import replace

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.regressors import regressor_effects as module
from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.regressor_effects import regressor_effects
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from app.timeseries.types import FloatArray

POINTS, AHEAD = 420, 28
STEPS = np.arange(POINTS + AHEAD)
RANDOM = np.random.default_rng(8)
WEATHER = RANDOM.normal(15, 8, POINTS + AHEAD)
HEAT = 3 * np.abs(WEATHER - 15)
CALM = 200 + 20 * np.sin(2 * np.pi * STEPS / 7) + RANDOM.normal(0, 4, POINTS + AHEAD)
NOISE = RANDOM.normal(size=(4, POINTS + AHEAD))


def known_columns(*columns: FloatArray) -> KnownColumns:
    return KnownColumns(np.array(columns), np.zeros(len(columns), dtype=bool))


def days(values: FloatArray) -> History:
    return History(values[:POINTS], (7, 365), Frequency.DAILY)


def error(values: FloatArray, columns: KnownColumns | None, model: str) -> float:
    fitted = fit(days(values), AHEAD, model, columns=columns)
    return float(np.abs(fitted.median - values[POINTS:]).mean())


@pytest.mark.parametrize("model", ["forecast-model-1", "forecast-model-2", "forecast-model-4"])
def test_the_weather_ahead_makes_a_forecast_better(model: str) -> None:
    values = CALM + HEAT
    assert error(values, known_columns(WEATHER), model) < 0.6 * error(values, None, model)


def test_effects_are_factors_where_values_allow_it() -> None:
    values = CALM * np.exp(HEAT / 100)
    effects = regressor_effects(days(values), known_columns(WEATHER))
    assert effects is not None
    assert effects.is_logarithmic
    wanted = HEAT[POINTS:] / 100 - (HEAT[:POINTS] / 100).mean()
    assert np.abs(effects.ahead - wanted).mean() < 0.3 * np.abs(wanted).mean()


def test_columns_of_noise_change_no_bit_of_the_forecast() -> None:
    assert regressor_effects(days(CALM), known_columns(*NOISE)) is None
    with_it = fit(days(CALM), AHEAD, "forecast-model-2", columns=known_columns(*NOISE))
    without = fit(days(CALM), AHEAD, "forecast-model-2")
    np.testing.assert_array_equal(with_it.median, without.median)


def test_columns_of_noise_do_not_hide_the_weather() -> None:
    effects = regressor_effects(
        days(CALM + HEAT), known_columns(NOISE[0], WEATHER, 2 * WEATHER, NOISE[1])
    )
    assert effects is not None
    moved = np.abs(effects.by_column).max(axis=1)
    assert moved[[1, 2]].max() > 10 * moved[[0, 3]].max()


def test_a_step_has_one_effect_for_any_horizon() -> None:
    values, columns = CALM + HEAT, known_columns(WEATHER)
    short = replace(columns, values=columns.values[:, : POINTS + 3])
    few = fit(days(values), 3, "forecast-model-2", columns=short)
    many = fit(days(values), AHEAD, "forecast-model-2", columns=columns)
    np.testing.assert_allclose(few.median, many.median[:3], rtol=1e-9)
    for bound, longer in zip(few.interval(0.9), many.interval(0.9), strict=True):
        np.testing.assert_allclose(bound, longer[:3], rtol=1e-9)


def test_effects_ahead_stay_within_those_of_the_past() -> None:
    wild = WEATHER.copy()
    wild[POINTS:] = 1e6
    effects = regressor_effects(days(CALM + HEAT), known_columns(wild))
    assert effects is not None
    assert effects.ahead.max() <= effects.past.max() - effects.past.mean() + 1e-9


@pytest.mark.parametrize("scale", [1e-250, 1.0, 1e250])
@pytest.mark.parametrize("offset", [0.0, -400.0])
def test_contributions_are_what_moves_the_median(scale: float, offset: float) -> None:
    values, columns = scale * (CALM + HEAT + offset), known_columns(WEATHER, NOISE[0])
    fitted = fit(days(values), AHEAD, "forecast-model-2", columns=columns)
    assert fitted.contributions is not None
    effects = regressor_effects(days(values), columns)
    assert effects is not None
    plain = fit(effects.remove_from(days(values)), AHEAD, "forecast-model-2")
    moved = fitted.contributions.sum(axis=0)
    np.testing.assert_allclose(plain.median + moved, fitted.median, rtol=1e-9)


def test_the_interval_is_narrower_by_what_is_known() -> None:
    values = CALM + HEAT
    widths = [
        np.subtract(
            *reversed(fit(days(values), AHEAD, "forecast-model-2", columns=columns).interval(0.9))
        )
        for columns in (known_columns(WEATHER), None)
    ]
    assert widths[0].mean() < 0.7 * widths[1].mean()


def test_holidays_are_learned_beside_the_weather() -> None:
    first = np.datetime64("2023-11-01T00:00:00")
    dates = (first + STEPS * np.timedelta64(86_400, "s")).astype("datetime64[D]")
    is_closed = np.isin(
        dates, np.array(["2023-12-25", "2023-12-26", "2024-01-01", "2024-12-25"], "M8[D]")
    )
    values = np.where(is_closed, 5.0, CALM + HEAT)
    history = replace(days(values), grid=Grid(first, 86_400))
    fitted = fit(history, AHEAD, "forecast-model-2", columns=known_columns(WEATHER))
    at = int(np.flatnonzero(is_closed[POINTS:])[0])
    assert fitted.median[at] < 0.6 * np.median(fitted.median)
    assert fitted.contributions is not None


def test_a_short_history_shows_no_effects() -> None:
    history = replace(days(CALM + HEAT), values=(CALM + HEAT)[:20])
    assert regressor_effects(history, known_columns(WEATHER[:48])) is None


def test_the_strongest_of_many_columns_are_learned() -> None:
    many = RANDOM.normal(size=(60, POINTS + AHEAD))
    many[50] = WEATHER
    effects = regressor_effects(days(CALM + HEAT), known_columns(*many))
    assert effects is not None
    moved = np.abs(effects.by_column).max(axis=1)
    assert moved.argmax() == 50
    assert moved[50] > 10 * np.delete(moved, 50).max()


def test_a_failure_leaves_the_forecast_as_it_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_arguments: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(module, "_find_column_effects", fail)
    fitted = fit(days(CALM), AHEAD, "forecast-model-2", columns=known_columns(WEATHER))
    np.testing.assert_array_equal(fitted.median, fit(days(CALM), AHEAD, "forecast-model-2").median)
    assert "the effects of known columns failed" in caplog.text
