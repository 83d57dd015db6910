"""Log lines: each has the request's id, and none holds a secret (D13)."""

import io
import logging
from collections.abc import Callable, Iterator

import orjson
import pytest
from flask import Flask

from app.api.forecaster import EXTENSION
from tests.support.api import Api, error_of
from tests.support.series import daily


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
