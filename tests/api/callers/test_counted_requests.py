"""The requests that count against the limit of a key."""

from collections.abc import Callable
from operator import methodcaller

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.support.api import Api, error_of, make_engine_fail, with_entry
from tests.support.series import daily_body

GOOD = daily_body()

Send = Callable[[Api], TestResponse]
COUNTED: dict[str, tuple[int, Send]] = {
    "a forecast": (200, lambda caller: caller.forecast(GOOD)),
    "no JSON": (400, lambda caller: caller.forecast(b"{")),
    "a wrong parameter": (400, lambda caller: caller.forecast({})),
    "an unlisted model": (400, lambda caller: caller.forecast(GOOD, X_Model_Id="best")),
    "wrong data": (422, lambda caller: caller.forecast(with_entry(GOOD, "values", 3, None))),
    "another type": (415, lambda caller: caller.forecast(GOOD, Content_Type="text/plain")),
    "too long a body": (413, lambda caller: caller.forecast(b" " * 5_000_000)),
}
FREE: dict[str, tuple[int, Send]] = {
    "verify": (200, lambda caller: caller.verify()),
    "HEAD of verify": (200, lambda caller: caller.request("HEAD", "/verify")),
    "a table": (
        200,
        lambda caller: caller.request(
            "POST", "/read", b"2024-01-01,1\n2024-01-02,2", Content_Type="text/csv"
        ),
    ),
    "the OpenAPI document": (200, lambda caller: caller.request("GET", "/openapi.json")),
    "an unknown path": (404, lambda caller: caller.request("POST", "/nowhere")),
    "a trailing slash": (404, lambda caller: caller.request("POST", "/forecast/")),
    "GET /backtest": (405, lambda caller: caller.request("GET", "/backtest")),
    "POST /verify": (405, lambda caller: caller.request("POST", "/verify")),
} | {
    f"{method} /forecast": (405, methodcaller("request", method, "/forecast"))
    for method in ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")
}


@pytest.mark.parametrize(("status", "send"), COUNTED.values(), ids=COUNTED.keys())
def test_every_authenticated_forecast_request_counts(
    isolated_api: Api, status: int, send: Send
) -> None:
    response = send(isolated_api)
    assert (response.status_code, response.headers["X-RateLimit-Remaining"]) == (status, "99")
    assert isolated_api.remaining() == 99


@pytest.mark.parametrize("windows", [1, 10, 11])
def test_a_backtest_counts_as_one_request_however_many_windows_it_has(
    isolated_api: Api, windows: int
) -> None:
    body = GOOD | {"models": ["forecast-model-2"], "forecast_horizon": 2, "windows": windows}
    assert isolated_api.backtest(body).status_code == (400 if windows > 10 else 200)
    assert isolated_api.remaining() == 99


def test_a_forecast_that_fails_counts(isolated_api: Api, app: Flask) -> None:
    make_engine_fail(app, ZeroDivisionError())
    error_of(isolated_api.forecast(GOOD), 500)
    assert isolated_api.remaining() == 99


@pytest.mark.parametrize(("status", "send"), FREE.values(), ids=FREE.keys())
def test_other_requests_use_up_no_limit(isolated_api: Api, status: int, send: Send) -> None:
    for _ in range(3):
        response = send(isolated_api)
        assert response.status_code == status
        if response.headers["X-RateLimit-Limit"] == "100":  # documents have a limit of their own
            assert response.headers["X-RateLimit-Remaining"] == "100"
    assert isolated_api.remaining() == 100
