"""Successful responses of POST /forecast: specification 2.3 and 4.1."""

import datetime as dt
import math

import orjson
import pytest

from app.forecasting.model_ids import MODEL_IDS, SEASONAL_NAIVE
from app.timeseries.calendar.frequency import UNITS, Frequency
from tests.support.api import Api, with_series
from tests.support.series import daily_body, regular_body

COLUMNS = ["forecast_timestamps", "lower_bound", "median", "upper_bound"]
EXTREMES = {
    "all equal": [7] * 40,
    "all zero": [0] * 40,
    "the largest allowed": [1e100 if day % 3 else 3e99 for day in range(40)],
    "the most negative allowed": [-1e100 if day % 3 else 1e100 for day in range(40)],
    "close to nothing": [5e-324 if day % 3 else 1e-300 for day in range(40)],
    "one giant among dwarfs": [1e100 if day == 20 else day for day in range(40)],
    "a giant at the end": [*range(39), 1e100],
    "almost equal": [1e15 + (day % 2) for day in range(40)],
    "whole numbers beyond 64 bits": [10**30 + day * 10**28 for day in range(40)],
    "growing without end": [10.0 ** (2 * day) for day in range(40)],
}
# The data-preparation guide's recommendations (specification 4.1, rule 5).
RECOMMENDED = {
    "Seconds": 100, "Minutes": 100, "Hours": 100, "Daily": 30,
    "Weekly": 30, "Monthly": 12, "Quarterly": 12, "Yearly": 5,
}  # fmt: skip


def assert_sound(body: dict, horizon: int) -> None:
    """Check that there are four parallel arrays of finite, ordered numbers."""
    assert sorted(body) == COLUMNS
    assert [len(body[name]) for name in COLUMNS] == [horizon] * 4
    rows = list(zip(body["lower_bound"], body["median"], body["upper_bound"], strict=True))
    for lower, median, upper in rows:
        assert all(isinstance(number, float) for number in (lower, median, upper))
        assert math.isfinite(lower)
        assert math.isfinite(upper)
        assert lower <= median <= upper


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_every_model_gives_four_parallel_ordered_arrays(api: Api, model_id: str) -> None:
    response = api.forecast(daily_body(), X_Model_Id=model_id)
    assert response.status_code == 200
    assert response.mimetype == "application/json"
    assert_sound(response.get_json(), 5)
    assert response.headers["X-Model-Id"] == model_id


def test_the_models_are_four_and_the_first_is_the_default() -> None:
    assert list(MODEL_IDS) == [f"forecast-model-{number}" for number in (1, 2, 3, 4)]


def test_the_seasonal_naive_baseline_repeats_the_last_season(api: Api) -> None:
    body = daily_body()
    response = api.forecast(body, X_Model_Id=SEASONAL_NAIVE)
    assert response.status_code == 200
    assert response.headers["X-Model-Id"] == SEASONAL_NAIVE
    assert_sound(response.get_json(), 5)
    assert response.get_json()["median"] == pytest.approx(body["series"][0]["values"][-7:-2])


def test_without_a_model_header_the_general_model_forecasts(api: Api) -> None:
    chosen = api.forecast(daily_body(12), X_Model_Id="forecast-model-1")
    default = api.forecast(daily_body(12), X_Model_Id=None)
    assert default.headers["X-Model-Id"] == "forecast-model-1"
    assert default.data == chosen.data


@pytest.mark.parametrize("horizon", [1, 2, 99, 100])
def test_the_horizon_is_the_number_of_entries(api: Api, horizon: int) -> None:
    response = api.forecast(daily_body() | {"forecast_horizon": horizon})
    assert_sound(response.get_json(), horizon)


def test_without_confidence_the_interval_is_that_of_95_percent(api: Api) -> None:
    assert "confidence" not in noisy_body()
    default = api.forecast(noisy_body())
    chosen = api.forecast(noisy_body() | {"confidence": 0.95})
    assert default.data == chosen.data
    assert default.data != api.forecast(noisy_body() | {"confidence": 0.9}).data


def test_more_confidence_makes_the_interval_wider(api: Api) -> None:
    widths = []
    for confidence in (0.1, 0.5, 0.8, 0.95, 0.99):
        body = api.forecast(noisy_body() | {"confidence": confidence}).get_json()
        widths.append(body["upper_bound"][0] - body["lower_bound"][0])
    assert widths == sorted(set(widths))


def noisy_body() -> dict:
    """Return a series with an error that no model can learn."""
    values = [50 + (index * 7919 % 101) / 10 for index in range(60)]
    return with_series(daily_body(60), values=values)


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_the_same_request_gives_the_same_bytes(api: Api, model_id: str) -> None:
    first, second = (api.forecast(daily_body(10), X_Model_Id=model_id) for _ in range(2))
    assert first.data == second.data


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("values", EXTREMES.values(), ids=EXTREMES.keys())
def test_no_finite_series_makes_a_forecast_that_is_not(
    api: Api, values: list[float], model_id: str
) -> None:
    texts = ", ".join(map(str, values))
    body = with_series(daily_body(), values=[])
    raw = orjson.dumps(body).replace(b'"values":[]', f'"values":[{texts}]'.encode())
    response = api.forecast(raw, X_Model_Id=model_id)
    assert response.status_code == 200, response.get_data(as_text=True)
    assert_sound(response.get_json(), 5)


def test_the_recommended_lengths_are_the_guide_s() -> None:
    assert {str(name): unit.recommended_points for name, unit in UNITS.items()} == RECOMMENDED


@pytest.mark.parametrize("frequency", Frequency)
def test_ten_points_are_enough_and_a_notice_says_what_is_recommended(
    api: Api, frequency: Frequency
) -> None:
    recommended = RECOMMENDED[frequency]
    response = api.forecast(regular_body(frequency, 10))
    assert response.status_code == 200, response.get_data(as_text=True)
    notice = response.headers.get("X-Forecast-Notice")
    if recommended <= 10:
        assert notice is None
    else:
        assert "10 points" in notice
        assert f"{recommended} are recommended" in notice


def test_a_bound_that_the_series_often_reached_is_named(api: Api) -> None:
    values = [min(100.0, 97 + 5 * math.sin(7 * day * day)) for day in range(200)]
    response = api.forecast(with_series(daily_body(200), values=values))
    bound = "nothing is forecast above 100: the series often reached it and never passed it"
    assert bound in response.headers["X-Forecast-Notice"].split("; ")


@pytest.mark.parametrize("frequency", Frequency)
def test_a_series_as_long_as_recommended_gets_no_notice(api: Api, frequency: Frequency) -> None:
    response = api.forecast(regular_body(frequency, max(10, RECOMMENDED[frequency])))
    assert "X-Forecast-Notice" not in response.headers


@pytest.mark.parametrize(
    ("frequency", "when"),
    [(Frequency.DAILY, slice(10)), (Frequency.MONTHLY, slice(10)), (Frequency.HOURS, slice(None))],
)
def test_a_level_that_has_changed_is_named_with_its_date(
    api: Api, frequency: Frequency, when: slice
) -> None:
    body = regular_body(frequency, 120)
    series = body["series"][0]
    noise = [math.sin(7 * step * step) for step in range(120)]
    series["values"] = [(100 if step < 115 else 60) + noise[step] for step in range(120)]
    response = api.forecast(body)
    assert response.headers["X-Forecast-Notice"].split("; ")[:2] == [
        f"the level changed about {series['timestamps'][115][when]}",
        "what came before is only used for the season",
    ]
    assert max(abs(value - 60) for value in response.get_json()["median"]) < 3


def test_an_interruption_in_the_past_is_named_with_its_dates(api: Api) -> None:
    body = regular_body(Frequency.MONTHLY, 96)
    series = body["series"][0]
    season = [
        100 + 20 * math.cos(math.pi * step / 6) + math.sin(7 * step * step) for step in range(96)
    ]
    share = [0.2 if 50 <= step < 59 else 1.0 for step in range(96)]
    series["values"] = [value * part for value, part in zip(season, share, strict=True)]
    response = api.forecast(body)
    first, last = (series["timestamps"][step][:10] for step in (50, 58))
    assert response.headers["X-Forecast-Notice"].split("; ") == [
        f"an interruption from {first} to {last} was moved to the usual level"
    ]
    median = response.get_json()["median"]
    assert max(abs(value - usual) for value, usual in zip(median, season, strict=False)) < 6


def test_a_backtest_names_a_change_of_level_before_its_last_window(api: Api) -> None:
    body = regular_body(Frequency.DAILY, 120) | {"models": ["forecast-model-2"], "windows": 1}
    series = body["series"][0]
    levels = [100 if step < 110 else 60 for step in range(120)]
    series["values"] = [level + math.sin(7 * step * step) for step, level in enumerate(levels)]
    notice = f"the level changed about {series['timestamps'][110][:10]}"
    assert notice in api.backtest(body).headers["X-Forecast-Notice"].split("; ")
    after_the_change = body | {"forecast_horizon": 30}
    assert notice not in api.backtest(after_the_change).headers.get("X-Forecast-Notice", "")


def test_a_season_that_has_moved_with_the_clocks_is_named_with_its_hour(api: Api) -> None:
    body = regular_body(Frequency.HOURS, 40 * 24, "2026-02-20T00:00:00")
    series = body["series"][0]
    times = [dt.datetime.fromisoformat(time) for time in series["timestamps"]]
    change = dt.datetime(2026, 3, 29, 1)
    local = [time + dt.timedelta(hours=1 if time < change else 2) for time in times]
    series["values"] = [
        (100 if 9 <= time.hour < 17 else 20) + math.sin(7 * step * step)
        for step, time in enumerate(local)
    ]
    series["timestamps"] = [time + "Z" for time in series["timestamps"]]
    notices = [
        "the daily season moved by an hour about 2026-03-29T01:00:00Z",
        "what came before was moved with it",
    ]
    light = body | {"forecast_horizon": 24}
    response = api.forecast(light, X_Model_Id="forecast-model-2")
    assert response.headers["X-Forecast-Notice"].split("; ")[:2] == notices
    is_open = [value > 60 for value in response.get_json()["median"]]
    assert [hour for hour in range(24) if is_open[hour]] == list(range(7, 15))
    backtest = light | {"models": ["forecast-model-2"], "windows": 1}
    assert set(notices) <= set(api.backtest(backtest).headers["X-Forecast-Notice"].split("; "))


def test_the_longest_series_allowed_is_forecast(api: Api) -> None:
    response = api.forecast(regular_body(Frequency.MINUTES, 50_000))
    assert_sound(response.get_json(), 5)
