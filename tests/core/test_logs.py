"""Log lines: each has the request's id, and none contains a secret."""

import datetime as dt
import io
import logging
import sys
from collections.abc import Callable, Iterator

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from app.core.logs import JsonLines, Redaction
from app.identity.members import invitations
from tests.support.api import Api, error_of, make_engine_fail, with_entry
from tests.support.keys import make_account, record_of
from tests.support.series import daily_body

Lines = Callable[[], list[dict]]
NOBODY = {"key_id": None, "account": None}
NO_WORK = {"model": None, "series": None, "points": None, "horizon": None, "fallback": None}
FORECAST = {"method": "POST", "route": "/forecast"}
VERIFY = {"method": "GET", "route": "/verify"}


@pytest.fixture
def lines(app: Flask) -> Iterator[Lines]:
    """What the application of this test has logged so far."""
    (handler,) = (h for h in logging.getLogger().handlers if type(h) is logging.StreamHandler)
    stream = io.StringIO()
    before = handler.setStream(stream)
    yield lambda: [orjson.loads(line) for line in stream.getvalue().splitlines()]
    handler.setStream(before)


def test_every_response_leaves_one_line_with_its_request_id(
    app: Flask, key: str, lines: Lines
) -> None:
    caller = Api(app, key)
    responses = [
        caller.forecast(daily_body(), X_Request_Id="order-17"),
        caller.forecast({}),
        caller.verify(),
        caller.request("GET", "/nowhere"),
        Api(app).verify(),
    ]
    logged = [line for line in lines() if line["logger"] == "app.access"]
    assert [line["request_id"] for line in logged] == [
        response.headers["X-Request-Id"] for response in responses
    ]
    assert [line["status"] for line in logged] == [200, 400, 200, 404, 401]
    assert logged[0]["request_id"] == "order-17"


def test_an_unexpected_error_is_logged_under_the_id_that_the_client_got(
    app: Flask, key: str, lines: Lines
) -> None:
    make_engine_fail(app, ZeroDivisionError("no such luck"))
    response = Api(app, key).forecast(daily_body())
    error_of(response, 500)
    (line,) = (line for line in lines() if line["level"] == "ERROR")
    assert line["request_id"] == response.headers["X-Request-Id"]
    assert "no such luck" in line["exception"]


def test_no_line_holds_a_key_or_a_value_of_the_series(app: Flask, key: str, lines: Lines) -> None:
    body = daily_body()
    body["series"][0]["values"][3] = 31415.92653
    caller = Api(app, key)
    for response in (caller.forecast(body), caller.forecast({}), caller.verify()):
        assert response.status_code in (200, 400)
    text = str(lines())
    assert lines()
    assert key[11:] not in text
    assert "31415" not in text


def holder(app: Flask, key: str, account: str = "default") -> dict:
    """Return the fields of the caller."""
    return {"key_id": record_of(app, key).id, "account": account}


def outcome(status: int, limit: int, remaining: int) -> dict:
    """Return the fields of the response to the request with the id "a"."""
    return {"request_id": "a", "status": status, "limit": limit, "remaining": remaining}


@pytest.fixture
def line_of(lines: Lines) -> Callable[[], dict]:
    """The access line of the newest request, without what is new in each: time and duration."""

    def newest_entry() -> dict:
        line = [line for line in lines() if line["logger"] == "app.access"][-1]
        moment = dt.datetime.fromisoformat(line.pop("time"))
        assert abs(moment - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=1)
        assert line.pop("milliseconds") >= 0
        expected = {"level": "INFO", "logger": "app.access", "message": "request"}
        assert {name: line.pop(name) for name in expected} == expected
        return line

    return newest_entry


def test_the_line_of_a_forecast_has_exactly_these_fields(app: Flask, key: str, line_of: Callable):
    Api(app, key).forecast(daily_body(41), X_Request_Id="a")
    work = {"model": "forecast-model-2", "series": 1, "points": 41, "horizon": 5, "fallback": False}
    assert line_of() == FORECAST | holder(app, key) | work | outcome(200, 100, 99)


def test_the_line_of_an_unknown_caller_has_the_same_fields(app: Flask, line_of: Callable) -> None:
    Api(app).forecast(daily_body(), X_Request_Id="a")
    assert line_of() == FORECAST | NOBODY | NO_WORK | outcome(401, 60, 59)


def test_the_line_of_a_check_of_a_key_has_the_same_fields(app: Flask, key: str, line_of: Callable):
    Api(app, key).verify(X_Request_Id="a")
    assert line_of() == VERIFY | holder(app, key) | NO_WORK | outcome(200, 100, 100)


def test_the_line_of_rejected_data_names_only_the_caller(app: Flask, key: str, line_of: Callable):
    Api(app, key).forecast(with_entry(daily_body(), "values", 3, None), X_Request_Id="a")
    assert line_of() == FORECAST | holder(app, key) | NO_WORK | outcome(422, 100, 99)


def test_the_line_of_a_rejected_limit_says_which_limit(
    app: Flask, make_key: Callable, line_of: Callable
) -> None:
    make_account(app, "small", "enterprise", 1, 5, 9)
    key = make_key("read", account_name="small")
    for _ in range(2):
        Api(app, key).forecast(daily_body(), X_Request_Id="a")
    assert line_of() == FORECAST | holder(app, key, "small") | NO_WORK | outcome(429, 1, 0)


def test_the_log_line_of_a_failure_describes_the_job(
    app: Flask, key: str, line_of: Callable
) -> None:
    make_engine_fail(app, ZeroDivisionError())
    work = {"model": "forecast-model-2", "series": 1, "points": 40, "horizon": 5, "fallback": None}
    Api(app, key).forecast(daily_body(), X_Request_Id="a")
    assert line_of() == FORECAST | holder(app, key) | work | outcome(500, 100, 99)


def test_less_severe_lines_than_the_setting_are_not_written(
    lines: Lines, database_url: str
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


@pytest.mark.parametrize("has_dashboard", [True])
def test_the_query_that_signs_somebody_in_reaches_no_line(
    app: Flask, client: FlaskClient, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "secret-of-a-link-0123456789"
    client.get(f"/account/invitation?token={token}")

    def fail(*_arguments: object, **_names: object) -> None:
        raise ValueError(f"GET /account/invitation?token={token}&x=1")

    monkeypatch.setattr(invitations, "get_invited_member", fail)
    assert client.get(f"/account/invitation?token={token}").status_code == 500
    logged = str(lines())
    assert "token=\u2026&x=1" in logged
    assert token not in logged


def redacted_message(message: str) -> str:
    record = logging.LogRecord("gunicorn.error", logging.ERROR, "", 0, message, (), None)
    Redaction().filter(record)
    return record.getMessage()


def test_a_line_of_the_web_server_has_no_secret_of_a_url() -> None:
    message = "Error handling request /account/oidc/return?code=abc-1&state=def_2"
    shown = "Error handling request /account/oidc/return?code=…&state=…"
    assert redacted_message(message) == shown


def test_words_like_secret_parameters_outside_a_url_are_not_redacted() -> None:
    message = "worker ended: exit code=3, state=failed"
    assert redacted_message(message) == message
