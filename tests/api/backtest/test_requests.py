"""POST /backtest with wrong parameters is 400, with wrong data or too little of it 422."""

import time
from typing import Any

import pytest

from app.compute.errors import EngineFailedError
from app.forecasting.model_ids import MODEL_IDS
from app.ops.engine_libraries import warm_up_forecasting
from tests.support.api import Api, details_of, first_defect, make_engine_fail, with_series
from tests.support.machine_speed import slowness
from tests.support.series import daily_body, regular_body, with_a_season

GOOD = daily_body() | {"models": ["forecast-model-2"]}
PERIODS = {"Monthly": 12, "Daily": 7, "Minutes": 1440}
WINDOWS = "Must be between 1 and 10"
WHOLE_NUMBER_ISSUE = "Must be a whole number, without quotes and without a fraction"
IDS = ", ".join(MODEL_IDS)
MODELS = f"Must be an array of 1 to 4 of {IDS}, each once"
UNKNOWN = "unknown model: {} was sent; send one of " + IDS
FIELDS = "series, forecast_horizon, data_frequency, forecast_frequency, confidence, models, windows"

WRONG: list[tuple[str, Any, str]] = [
    *(("windows", value, WINDOWS) for value in (0, 11, -1, 1e30)),
    *(("windows", value, WHOLE_NUMBER_ISSUE) for value in (2.5, True, "5", None, [5])),
    *(("models", value, MODELS) for value in ([], None, "forecast-model-1", {}, 1)),
    ("models", ["forecast-model-1"] * 5, f"{MODELS}; 5 were sent"),
    ("forecast_horizon", 0, "Must be between 1 and 100"),
    ("confidence", 0.999, "Must be between 0.1 and 0.99"),
    (
        "forecast_frequency",
        "Weekly",
        "invalid frequency: Must equal data_frequency, which is Daily",
    ),
    ("detect", "all", f"unknown field: remove it or check its spelling; known are {FIELDS}"),
]
WRONG_MODELS: list[tuple[list[Any], str, str]] = [
    (["forecast-model-1", "best"], "models[1]", UNKNOWN.format("'best'")),
    ([2], "models[0]", UNKNOWN.format("2")),
    ([None], "models[0]", UNKNOWN.format("null")),
    (
        ["forecast-model-1", "forecast-model-2", "forecast-model-1"],
        "models[2]",
        "forecast-model-1 is repeated: send each model once",
    ),
]


@pytest.mark.parametrize(("field", "value", "issue"), WRONG)
def test_a_wrong_parameter_is_named_with_what_to_send(
    api: Api, field: str, value: Any, issue: str
) -> None:
    reported, issue_sent, provided = first_defect(api.backtest(GOOD | {field: value}), 400)
    assert (reported, issue_sent) == (field, issue)
    assert provided == value or isinstance(value, (list, dict))


@pytest.mark.parametrize(("models", "field", "issue"), WRONG_MODELS)
def test_an_unknown_model_is_reported_with_its_index(
    api: Api, models: list[Any], field: str, issue: str
) -> None:
    index = int(field[-2])
    response = api.backtest(GOOD | {"models": models})
    assert first_defect(response, 400) == (field, issue, models[index])


def test_too_few_points_for_one_window_are_rejected_with_how_many_it_takes(api: Api) -> None:
    body = daily_body(15) | {"models": ["forecast-model-2"]}
    assert len(api.backtest(body).get_json()["windows"]) == 1
    field, issue, provided = first_defect(api.backtest(body | {"forecast_horizon": 6}), 422)
    assert (field, provided) == ("series[0].timestamps", "array of 15 items")
    assert issue == (
        "insufficient data points: 15 sent, at least 16 needed: 10 and one window of 6; "
        "send a longer history, or a forecast_horizon of at most 5"
    )
    _field, issue, _provided = first_defect(
        api.backtest(daily_body(10) | {"forecast_horizon": 1}), 422
    )
    assert issue.endswith("; send a longer history")


def test_windows_that_are_left_out_are_reported(api: Api) -> None:
    response = api.backtest(daily_body(38) | {"models": ["forecast-model-2"], "windows": 10})
    assert len(response.get_json()["windows"]) == 5
    notices = response.headers["X-Forecast-Notice"].split("; ")
    left_out = "5 of 10 windows left out: fewer than 10 points come before them"
    uncounted = "1 of 5 windows do not count in the ranking: "
    uncounted += "fewer than two seasons (14 points) come before them"
    short = "series has 13 points before the first window, 30 are recommended for Daily data"
    assert notices[:3] == [left_out, uncounted, short]
    shorts = [window["short_history"] for window in response.get_json()["windows"]]
    assert shorts == [True, False, False, False, False]
    whole = api.backtest(daily_body(60) | {"models": ["forecast-model-2"]})
    assert "left out" not in whole.headers.get("X-Forecast-Notice", "")


def test_an_engine_that_fails_is_an_error_that_says_what_to_do(app, key: str) -> None:
    make_engine_fail(app, EngineFailedError("it took more than 30 s"))
    issue = details_of(Api(app, key).backtest(GOOD), 500)["issue"]
    assert issue.startswith("the backtest could not be computed: it took more than 30 s; send ")


@pytest.mark.timing
@pytest.mark.parametrize(
    ("frequency", "points", "horizon", "windows", "seconds"),
    [("Monthly", 115, 12, 5, 1.5), ("Daily", 2_000, 100, 10, 10), ("Minutes", 50_000, 100, 10, 10)],
)
def test_a_backtest_of_all_models_is_done_in_time(
    api: Api, frequency: str, points: int, horizon: int, windows: int, seconds: float
) -> None:
    body = regular_body(frequency, points) | {"forecast_horizon": horizon, "windows": windows}
    body = with_series(body, values=with_a_season(points, PERIODS[frequency]))
    warm_up_forecasting()  # as servers do
    started = time.process_time()  # the engine is in this process
    response = api.backtest(body)
    assert time.process_time() - started < seconds * slowness()
    assert response.status_code == 200
