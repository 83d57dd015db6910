"""Log lines: each has the request's id, and none holds a secret (D13)."""

import datetime as dt
import io
import logging
import sys
from collections.abc import Callable, Iterator

import orjson
import pytest
from flask import Flask

from app import create_app
from app.api.jobs import EXTENSION
from app.logs import JsonLines, Redaction
from tests.support.api import Api, error_of, with_entry
from tests.support.keys import make_account, record_of
from tests.support.series import daily

NOBODY = {"key_id": None, "account": None}
NO_WORK = {"model": None, "points": None, "horizon": None, "fallback": None}
FORECAST = {"method": "POST", "route": "/forecast"}
VERIFY = {"method": "GET", "route": "/verify"}


@pytest.fixture
def lines(app: Flask) -> Iterator[Callable[[], list[dict]]]:
    """What the application of this test has logged so far."""
    (handler,) = (h for h in logging.getLogger().handlers if type(h) is logging.StreamHandler)
    stream = io.StringIO()
    before = handler.setStream(stream)
    yield lambda: [orjson.loads(line) for line in stream.getvalue().splitlines()]
    handler.setStream(before)


def test_every_answer_leaves_one_line_with_its_request_id(
    app: Flask, key: str, lines: Callable[[], list[dict]]
) -> None:
    caller = Api(app, key)
    answers = [
        caller.forecast(daily(), X_Request_Id="order-17"),
        caller.forecast({}),
        caller.verify(),
        caller.request("GET", "/nowhere"),
        Api(app).verify(),
    ]
    logged = [line for line in lines() if line["logger"] == "app.access"]
    assert [line["request_id"] for line in logged] == [
        answer.headers["X-Request-Id"] for answer in answers
    ]
    assert [line["status"] for line in logged] == [200, 400, 200, 404, 401]
    assert logged[0]["request_id"] == "order-17"


def test_an_unexpected_error_is_logged_under_the_id_that_the_client_got(
    app: Flask, key: str, lines: Callable[[], list[dict]]
) -> None:
    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError("no such luck")

    app.extensions[EXTENSION] = fail
    answer = Api(app, key).forecast(daily())
    error_of(answer, 500)
    (line,) = (line for line in lines() if line["level"] == "ERROR")
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert "no such luck" in line["exception"]


def test_no_line_holds_a_key_or_a_value_of_the_series(
    app: Flask, key: str, lines: Callable[[], list[dict]]
) -> None:
    body = daily()
    body["series"][0]["values"][3] = 31415.92653
    caller = Api(app, key)
    for answer in (caller.forecast(body), caller.forecast({}), caller.verify()):
        assert answer.status_code in (200, 400)
    text = str(lines())
    assert lines()
    assert key[11:] not in text
    assert "31415" not in text


@pytest.fixture
def line_of(lines: Callable[[], list[dict]]) -> Callable[[], dict]:
    """The access line of the newest request, without what is new in each: time and duration."""

    def newest() -> dict:
        line = [line for line in lines() if line["logger"] == "app.access"][-1]
        moment = dt.datetime.fromisoformat(line.pop("time"))
        assert abs(moment - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=1)
        assert line.pop("milliseconds") >= 0
        same = {"level": "INFO", "logger": "app.access", "message": "request"}
        assert {name: line.pop(name) for name in same} == same
        return line

    return newest


def test_the_line_of_a_forecast_has_exactly_these_fields(
    app: Flask, key: str, line_of: Callable[[], dict]
) -> None:
    Api(app, key).forecast(daily(41), X_Request_Id="order-17")
    assert line_of() == {
        "request_id": "order-17",
        **FORECAST,
        "status": 200,
        "key_id": record_of(app, key).id,
        "account": "default",
        "model": "forecast-model-2",
        "points": 41,
        "horizon": 5,
        "fallback": False,
        "limit": 100,
        "remaining": 99,
    }


def test_the_line_of_an_unknown_caller_has_the_same_fields(
    app: Flask, line_of: Callable[[], dict]
) -> None:
    Api(app).forecast(daily(), X_Request_Id="a")
    anonymous = {"request_id": "a", "status": 401, **NOBODY, **NO_WORK, "limit": 60}
    assert line_of() == {**FORECAST, **anonymous, "remaining": 59}


def test_the_line_of_a_check_of_a_key_has_the_same_fields(
    app: Flask, key: str, line_of: Callable[[], dict]
) -> None:
    holder = {"key_id": record_of(app, key).id, "account": "default"}
    Api(app, key).verify(X_Request_Id="a")
    fields = {"request_id": "a", "status": 200, **holder, **NO_WORK, "limit": 100}
    assert line_of() == {**VERIFY, **fields, "remaining": 100}


def test_the_line_of_refused_data_names_the_caller_and_no_work(
    app: Flask, key: str, line_of: Callable[[], dict]
) -> None:
    holder = {"key_id": record_of(app, key).id, "account": "default"}
    Api(app, key).forecast(with_entry(daily(), "values", 3, None), X_Request_Id="a")
    fields = {"request_id": "a", "status": 422, **holder, **NO_WORK, "limit": 100}
    assert line_of() == {**FORECAST, **fields, "remaining": 99}


def test_the_line_of_a_refused_limit_says_which_limit(
    app: Flask, make_key: Callable[..., str], line_of: Callable[[], dict]
) -> None:
    make_account(app, "small", "enterprise", 1, 5, 9)
    key = make_key("read", account_name="small")
    holder = {"key_id": record_of(app, key).id, "account": "small"}
    for _ in range(2):
        Api(app, key).forecast(daily(), X_Request_Id="a")
    fields = {"request_id": "a", "status": 429, **holder, **NO_WORK, "limit": 1, "remaining": 0}
    assert line_of() == {**FORECAST, **fields}


def test_the_line_of_a_failure_says_what_was_asked_of_the_engine(
    app: Flask, key: str, line_of: Callable[[], dict]
) -> None:
    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    app.extensions[EXTENSION] = fail
    holder = {"key_id": record_of(app, key).id, "account": "default"}
    work = {"model": "forecast-model-2", "points": 40, "horizon": 5, "fallback": None}
    Api(app, key).forecast(daily(), X_Request_Id="a")
    fields = {"request_id": "a", "status": 500, **holder, **work, "limit": 100, "remaining": 99}
    assert line_of() == {**FORECAST, **fields}


def test_less_severe_lines_than_the_setting_are_not_written(
    lines: Callable[[], list[dict]], database_url: str
) -> None:
    app = create_app(database_url=database_url, log_level="WARNING")
    stream = io.StringIO()
    logging.getLogger().handlers[0].setStream(stream)  # type: ignore[attr-defined]
    Api(app).verify()
    logging.getLogger("app").warning("heard")
    create_app(database_url=database_url)
    assert [orjson.loads(line)["message"] for line in stream.getvalue().splitlines()] == ["heard"]


def test_a_line_of_gunicorn_has_no_key_in_its_text_or_its_traceback() -> None:
    secret = "ak_" + "5e" * 32
    try:
        raise ValueError(f"Authorization: Bearer {secret}")
    except ValueError:
        record = logging.makeLogRecord(
            {"msg": "bad %s", "args": (secret,), "levelname": "ERROR", "exc_info": sys.exc_info()}
        )
    Redaction().filter(record)
    line = JsonLines().format(record)
    assert secret[12:] not in line
    assert "Bearer" not in line
    assert orjson.loads(line)["message"] == f"bad {secret[:11]}…"
