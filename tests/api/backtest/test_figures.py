"""POST /backtest's figures are those that a client computes by hand from POST /forecast."""

import math
from statistics import fmean
from typing import Any

import pytest

from app.forecasting.model_ids import MODEL_IDS
from tests.support.api import Api, with_series
from tests.support.series import airline_body, daily_body, regular_body, with_a_season

NAIVE = "seasonal_naive"
Band = dict[str, list[float]]
EXTREMES = {
    "all equal": [7] * 40,
    "all zero": [0] * 40,
    "equal until the windows": [7] * 30 + list(range(10)),
    "the largest allowed": [1e100 if day % 3 else -1e100 for day in range(40)],
    "close to nothing": [5e-324 if day % 3 else 1e-300 for day in range(40)],
    "counts, mostly zero": [int(day % 10 == 0) for day in range(40)],
    "minus zero": [-0.0, 1] * 20,
}


def checked_backtest(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    response = api.backtest(body)
    assert response.status_code == 200, response.get_data(as_text=True)
    result: dict[str, Any] = response.get_json()
    return result


def body_of_start(body: dict[str, Any], points: int) -> dict[str, Any]:
    """Return the body of POST /forecast of a series that ends after ``points``."""
    column = {name: items[:points] for name, items in body["series"][0].items()}
    sent = {name: part for name, part in body.items() if name not in ("models", "windows")}
    return with_series(sent, **column)


def rows_of_window(values: list[float], bands: Band) -> list[tuple[float, float, float, float]]:
    """Return a row for each point: actual value, median, lower bound, upper bound."""
    columns = (bands[name] for name in ("median", "lower_bound", "upper_bound"))
    return list(zip(values, *columns, strict=True))


def measures_by_definition(
    windows: list[tuple[list[float], list[float], Band]], period: int, confidence: float
) -> dict[str, float]:
    """Compute the measures of windows, each (history, actual values, forecast), by definition."""
    rows = [row for _history, actual, bands in windows for row in rows_of_window(actual, bands)]
    missed = 2 / (1 - confidence)
    mase, msis = [], []
    for history, actual, bands in windows:
        scale = fmean(abs(a - b) for a, b in zip(history[period:], history[:-period], strict=True))
        points = rows_of_window(actual, bands)
        mase.append(fmean(abs(y - m) for y, m, _low, _high in points) / scale)
        scores = (
            high - low + missed * (max(low - y, 0) + max(y - high, 0))
            for y, _m, low, high in points
        )
        msis.append(fmean(scores) / scale)
    return {
        "mae": fmean(abs(y - m) for y, m, _low, _high in rows),
        "rmse": math.sqrt(fmean((y - m) ** 2 for y, m, _low, _high in rows)),
        "smape": 100 * fmean(2 * abs(y - m) / (abs(y) + abs(m)) for y, m, _low, _high in rows),
        "mase": fmean(mase),
        "coverage": fmean(low <= y <= high for y, _m, low, high in rows),
        "mean_width": fmean(high - low for _y, _m, low, high in rows),
        "msis": fmean(msis),
    }


def weekly_body() -> dict[str, Any]:
    body = with_series(daily_body(75), values=[round(value, 3) for value in with_a_season(75)])
    return body | {"forecast_horizon": 9, "confidence": 0.6, "windows": 3}


def monthly_body() -> dict[str, Any]:
    return airline_body() | {"windows": 2, "confidence": 0.5}


SERIES = {"days": (weekly_body, 7), "months": (monthly_body, 12)}


@pytest.mark.parametrize(("make", "period"), SERIES.values(), ids=SERIES.keys())
def test_forecasts_and_measures_are_those_of_the_series_cut_off(
    api: Api, make: Any, period: int
) -> None:
    body = make()
    times, values = (body["series"][0][name] for name in ("timestamps", "values"))
    horizon, confidence = body["forecast_horizon"], body["confidence"]
    result = checked_backtest(api, body)
    assert len(result["windows"]) == body["windows"]
    bands: dict[str, list[Band]] = {}
    parts = []
    for left, window in zip(range(body["windows"], 0, -1), result["windows"], strict=True):
        cutoff = len(values) - horizon * left
        assert window["cutoff"] == times[cutoff - 1]
        assert window["timestamps"] == times[cutoff : cutoff + horizon]
        assert window["actual"] == values[cutoff : cutoff + horizon]
        assert list(window["forecasts"]) == [*MODEL_IDS, NAIVE]
        parts.append((values[:cutoff], window["actual"]))
        for model_id in MODEL_IDS:
            forecast = api.forecast(body_of_start(body, cutoff), X_Model_Id=model_id).get_json()
            assert forecast.pop("forecast_timestamps") == window["timestamps"]
            assert window["forecasts"][model_id] == forecast
            bands.setdefault(model_id, []).append(forecast)
        last_cycle = values[cutoff - period : cutoff]
        naive = window["forecasts"][NAIVE]
        assert naive["median"] == [last_cycle[step % period] for step in range(horizon)]
        bands.setdefault(NAIVE, []).append(naive)
    for scored in result["models"]:
        of_model = bands[scored["model_id"]]
        windows = [(*part, band) for part, band in zip(parts, of_model, strict=True)]
        measures = measures_by_definition(windows, period, confidence)
        assert {name: scored[name] for name in measures} == pytest.approx(measures, rel=1e-9)
        assert 0 <= scored["seconds"] < 60
    assert any(0 < scored["coverage"] < 1 for scored in result["models"])


def test_models_are_ranked_and_the_best_of_them_is_one_that_was_asked_for(api: Api) -> None:
    wanted = ["forecast-model-4", "forecast-model-2"]
    result = checked_backtest(api, weekly_body() | {"models": wanted})
    models = result["models"]
    assert list(result) == ["models", "best_model", "windows"]
    assert {model["model_id"] for model in models} == {*wanted, NAIVE}
    assert [model["rank"] for model in models] == [1, 2, 3]
    assert [model["mae"] for model in models] == sorted(model["mae"] for model in models)
    ranked = [model["model_id"] for model in models if model["model_id"] != NAIVE]
    assert result["best_model"] == ranked[0]
    assert list(result["windows"][0]["forecasts"]) == [*wanted, NAIVE]


def test_the_defaults_are_all_models_and_five_windows(api: Api) -> None:
    body = regular_body("Monthly", 60)
    chosen = body | {"models": list(MODEL_IDS), "windows": 5, "confidence": 0.95}
    usual, spelt = checked_backtest(api, body), checked_backtest(api, chosen)
    assert usual["windows"] == spelt["windows"]
    assert len(usual["windows"]) == 5
    assert len(usual["models"]) == 5


def test_the_same_backtest_has_the_same_figures_but_for_its_seconds(api: Api) -> None:
    body = weekly_body() | {"models": ["forecast-model-3"]}
    first, second = (checked_backtest(api, body) for _ in range(2))
    for result in (first, second):
        assert all(model.pop("seconds") >= 0 for model in result["models"])
    assert first == second


@pytest.mark.parametrize("suffix", ["Z", "+05:30", ".000Z"])
def test_timestamps_come_back_as_they_were_sent(api: Api, suffix: str) -> None:
    body = weekly_body() | {"models": ["forecast-model-2"], "windows": 1}
    times = [text + suffix for text in body["series"][0]["timestamps"]]
    (window,) = checked_backtest(api, with_series(body, timestamps=times))["windows"]
    assert [window["cutoff"], *window["timestamps"]] == times[-10:]


def test_a_series_that_ends_with_the_calendar_is_backtested(api: Api) -> None:
    """Nothing is forecast that lies after it."""
    body = daily_body(31, "9999-12-01T00:00:00")
    assert checked_backtest(api, body)["windows"][-1]["timestamps"][-1] == "9999-12-31T00:00:00"


@pytest.mark.parametrize("values", EXTREMES.values(), ids=EXTREMES.keys())
def test_no_finite_series_makes_numbers_that_are_not(api: Api, values: list[float]) -> None:
    body = with_series(daily_body(40), values=values) | {"models": ["forecast-model-2"]}
    result = checked_backtest(api, body)
    is_scaled = len({*values[:15]}) > 1
    for model in result["models"]:
        numbers = [model[name] for name in ("mae", "rmse", "smape", "coverage", "mean_width")]
        assert all(math.isfinite(number) and number >= 0 for number in numbers)
        assert is_scaled or (model["mase"], model["msis"]) == (None, None)
    for window in result["windows"]:
        for band in window["forecasts"].values():
            for _y, median, lower, upper in rows_of_window(window["actual"], band):
                assert lower <= median <= upper
                assert lower >= 0 or min(values) < 0
    assert b"-0.0" not in api.backtest(body).data
