"""The examples of successes: each is sent, and its response compared."""

import base64
import datetime as dt
import random
from collections.abc import Callable

import pytest
from flask import Flask

from app.api.examples.recorded import EXAMPLES, MODEL, REQUEST
from tests.support.api import Api
from tests.support.example_resources import (
    MONITOR_NAME,
    make_monitor,
    make_query,
    make_source,
    make_webhook,
)
from tests.support.examples import assert_response_shown

ANOMALIES_REQUEST = EXAMPLES.requests["anomalies"]
BACKTEST_REQUEST = EXAMPLES.requests["backtest"]
KEY_REQUEST = EXAMPLES.requests["key"]
POINTS_REQUEST = EXAMPLES.requests["points"]
TABLE = EXAMPLES.requests["table"]
TABLE_TO_FORECAST = EXAMPLES.requests["table-forecast"]

MEASURES = ("mae", "rmse", "smape", "mase", "coverage", "mean_width", "msis")
SECRETS = (base64.urlsafe_b64encode(bytes(32)).decode(),)
NOW = 1_767_225_600  # 2026-01-01T00:00:00Z


@pytest.mark.parametrize(("path", "name"), [("/forecast", "forecast"), ("/explain", "explanation")])
def test_the_request_gets_the_forecast_or_explanation_that_is_shown(
    api: Api, path: str, name: str
) -> None:
    response = api.send("POST", path, REQUEST, X_Model_Id=MODEL)
    assert response.status_code == 200
    body = response.get_json()
    timestamps = {"forecast_timestamps": body.pop("forecast_timestamps")}
    rounded = {field: [round(number, 1) for number in column] for field, column in body.items()}
    assert_response_shown(name, timestamps | rounded)


def test_the_request_gets_the_backtest_that_is_shown(api: Api) -> None:
    response = api.backtest(BACKTEST_REQUEST)
    assert response.status_code == 200
    body = response.get_json()
    for model in body["models"]:
        model |= {name: round(score, 2) for name, score in model.items() if name in MEASURES}
        model["seconds"] = 0.01
    for window in body["windows"]:
        window["forecasts"] = {
            name: {column: [round(number, 1) for number in band[column]] for column in band}
            for name, band in window["forecasts"].items()
        }
    assert_response_shown("backtest", body)


def test_the_request_gets_the_detection_that_is_shown(api: Api) -> None:
    response = api.anomalies(ANOMALIES_REQUEST)
    assert response.status_code == 200
    bands = ("expected", "lower_bound", "upper_bound")
    rounded = {
        name: [round(number, 1) for number in column] if name in bands else column
        for name, column in response.get_json().items()
    }
    assert_response_shown("anomalies", rounded)


def test_the_file_gets_the_reading_that_is_shown(api: Api) -> None:
    response = api.request("POST", "/read", TABLE.encode(), Content_Type="text/csv")
    assert response.status_code == 200
    assert_response_shown("table", response.get_json())


def test_the_table_gets_the_forecasts_that_are_shown(api: Api) -> None:
    accept = {"Content_Type": "text/csv", "Accept": "application/json"}
    path = "/tables/forecast?horizon=3"
    body = api.request("POST", path, TABLE_TO_FORECAST.encode(), **accept).get_json()
    for series in body["series"]:
        for name in ("lower_bound", "median", "upper_bound"):
            series[name] = [round(number, 1) for number in series[name]]
    assert_response_shown("table-forecast", body)


def test_a_monitor_is_made_and_judges_points_as_is_shown(app: Flask, key: str) -> None:
    caller = Api(app, key)
    body = make_monitor(caller).get_json()
    assert_response_shown("monitor", body | {"created_at": "2026-01-01T00:00:00Z"})
    noise = random.Random(2)
    values = [round(noise.gauss(220, 6), 1) for _ in range(400)]
    start = dt.datetime.fromisoformat(POINTS_REQUEST["timestamps"][0])
    before = [start - dt.timedelta(minutes=5 * (400 - index)) for index in range(400)]
    history = {"timestamps": [f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in before], "values": values}
    path = f"/monitors/{MONITOR_NAME}/points"
    assert caller.send("POST", path, history).status_code == 200
    appended = caller.send("POST", path, POINTS_REQUEST).get_json()
    bands = ("expected", "lower_bound", "upper_bound")
    rounded = {
        name: [round(number, 1) for number in column] if name in bands else column
        for name, column in appended.items()
    }
    for event in rounded["events"]:
        event["opened_at"] = "2026-01-01T00:00:00Z"
        event["deviation"] = round(event["deviation"], 1)
    assert_response_shown("points", rounded)


def test_a_webhook_is_made_as_is_shown(app: Flask, key: str) -> None:
    body = make_webhook(Api(app, key)).get_json()
    assert body["secret"].startswith("whsec_")
    made_up = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    shown = {"created_at": "2026-01-01T00:00:00Z", "secret": made_up}
    assert_response_shown("webhook", body | shown)


@pytest.mark.parametrize("settings", [{"secrets_key": SECRETS}])
def test_a_source_and_its_query_are_made_as_is_shown(app: Flask, key: str) -> None:
    caller, created = Api(app, key), {"created_at": "2026-01-01T00:00:00Z"}
    assert_response_shown("source", make_source(caller).get_json() | created)
    assert_response_shown("query", make_query(caller).get_json() | created)


def test_a_key_is_created_as_is_shown(app: Flask, make_key: Callable) -> None:
    caller = Api(app, make_key("read", "write", "admin"))
    body = caller.send("POST", "/keys", KEY_REQUEST).get_json()
    assert body["key"].startswith(body["prefix"])
    made_up = "ak_" + "1a2b3c4d" * 8
    shown = {"prefix": made_up[:11], "created_at": "2026-01-01T00:00:00Z", "key": made_up}
    assert_response_shown("key", body | shown)


def test_a_key_is_changed_and_rotated_as_is_shown(app: Flask, make_key: Callable) -> None:
    caller = Api(app, make_key("read", "write", "admin"))
    path = f"/keys/{caller.send('POST', '/keys', KEY_REQUEST).get_json()['id']}"
    made_up = "ak_" + "5e6f7a8b" * 8
    shown = {"prefix": "ak_1a2b3c4d", "created_at": "2026-01-01T00:00:00Z"}
    changed = caller.send("PATCH", path, EXAMPLES.requests["key-change"]).get_json()
    assert_response_shown("key-change", changed | shown)
    rotated = caller.send("POST", f"{path}/rotate", EXAMPLES.requests["rotation"]).get_json()
    shown |= {"prefix": made_up[:11], "key": made_up}
    assert_response_shown("rotation", rotated | shown)


@pytest.mark.parametrize("settings", [{"ratelimit_storage_uri": "memory://"}])
def test_verify_says_of_a_key_what_is_shown(
    app: Flask, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.identity.limits.stores.memory.time.time", lambda: NOW)
    body = Api(app, key).verify().get_json()
    assert body["timestamp"].endswith("Z")
    assert_response_shown("verify", body | {"timestamp": "2026-01-01T00:00:00.000Z"})
