"""The one shape of every error.

Every response that is not 2xx, of every route, has this body and no other (specification 2.4):

    {
        "error": {
            "code": one of UNAUTHORIZED, INVALID_REQUEST, DATA_VALIDATION_ERROR,
                    RATE_LIMIT_EXCEEDED, INTERNAL_ERROR, decided only by the status,
            "message": a text,
            "details": an object (may be missing)
        }
    }

It is ``application/json``, carries the headers that every response carries, and says how long to
wait (``Retry-After``) if its status is 429 or 503, and only then. The response to HEAD has the same
headers and no body. ``error_of`` in ``tests/support/api.py`` checks all of this.
"""

from collections.abc import Callable

import pytest
from flask import Flask

from app.api.errors.statuses import STATUSES, ErrorCode, error_code
from app.compute.errors import (
    CallerTimeoutError,
    EngineBusyError,
    EngineFailedError,
    EngineMemoryError,
    EngineUnavailableError,
)
from tests.support.api import (
    CODES,
    Api,
    assert_standard_headers,
    details_of,
    error_of,
    make_engine_fail,
)
from tests.support.faults import busy_error, interruption
from tests.support.keys import bearer, make_account
from tests.support.series import daily_body

PATHS = ["/forecast", "/verify", "/openapi.json"]
FAILURES = {
    "a bug": (ZeroDivisionError("division by zero"), 500),
    "a bug that carries a secret": (KeyError("ak_" + "0" * 64), 500),
    "an engine that is ended": (EngineFailedError("it took longer than 30 s"), 500),
    "an engine that is busy": (EngineBusyError(), 503),
    "a job that needs too much memory": (EngineMemoryError(400.0), 422),
    "a job that needs too much time": (CallerTimeoutError("no reading within 20 s"), 422),
    "engines that are restarted": (EngineUnavailableError(), 503),
    "a database that is restarted": (interruption(), 503),
    "a database that is busy": (busy_error(), 503),
    "memory": (MemoryError(), 500),
    "recursion": (RecursionError("maximum recursion depth exceeded"), 500),
}
# A request that fails every check, the last first: each row has the defects of all rows above it.
EVERYTHING_WRONG = {"Content_Type": "text/plain", "X_Model_Id": "best"}


def test_the_codes_are_a_closed_set() -> None:
    assert set(ErrorCode) == {*CODES.values()}


def test_the_status_decides_the_code() -> None:
    assert {number: str(error_code(number)) for number in STATUSES} == CODES


@pytest.mark.parametrize(
    "path",
    [
        "/forecasts", "/Forecast", "/forecast/", "/forecast//", "/forecast/1", "/forecast%00",
        "/verify/", "/verify.json", "/v1/forecast", "/api/verify", "/openapi.json/",
        "/static/x", "/favicon.ico", "/robots.txt",
        "/%ff%fe", "/..%2f..%2fetc/passwd", "/%F0%9F%93%88", "/" + "x" * 3000,
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_an_unknown_path_is_404_with_and_without_a_key(
    api: Api, anonymous_api: Api, method: str, path: str
) -> None:
    for caller in (api, anonymous_api):
        issue = details_of(caller.request(method, path), 404)["issue"]
        assert " the endpoints are POST /forecast, POST /" in issue
        assert ", GET /verify" in issue
        assert len(issue) < 1_300


@pytest.mark.parametrize(
    ("method", "path", "meant"),
    [
        ("POST", "/forecast/", "POST /forecast"),
        ("POST", "/Forecast", "POST /forecast"),
        ("POST", "/forcast", "POST /forecast"),
        ("GET", "/forecast/", "POST /forecast"),
        ("POST", "/v1/forecast", "POST /forecast"),
        ("POST", "/forecast/12", "POST /forecast"),
        ("GET", "/verify.json", "GET /verify"),
        ("GET", "/Monitors/cpu/", "GET /monitors/cpu"),
        ("POST", "/monitors/cpu/", "PUT, GET, DELETE /monitors/cpu"),
        ("POST", "/monitor/cpu/point", "POST /monitors/cpu/points"),
        ("DELETE", "/keys/7/", "DELETE /keys/7"),
        (
            "POST",
            "/anomalydetector/v1.1/timeseries/Last/detect/",
            "POST /anomalydetector/v1.1/timeseries/last/detect",
        ),
    ],
)
def test_the_path_that_an_unknown_one_is_near_to_is_named(
    api: Api, method: str, path: str, meant: str
) -> None:
    issue = details_of(api.request(method, path), 404)["issue"]
    assert issue.startswith(f"there is no {path}; did you mean {meant}? the endpoints are POST /")


@pytest.mark.parametrize(
    "path",
    [
        "/robots.txt", "/static/x", "/api", "/" + "forecast" * 200, "/xyz/cpu", "/{name}",
        "/monitors/" + "n" * 100 + "/",
    ],
)  # fmt: skip
def test_a_path_that_is_near_to_none_is_not_guessed_at(api: Api, path: str) -> None:
    issue = details_of(api.request("POST", path), 404)["issue"]
    assert issue.startswith(f"there is no {path[:200]}; the endpoints are ")


@pytest.mark.parametrize(
    ("path", "methods", "allowed"),
    [
        ("/forecast", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"], "POST"),
        ("/verify", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"], "GET, HEAD"),
        ("/openapi.json", ["POST", "PUT", "DELETE", "OPTIONS"], "GET, HEAD"),
        ("/monitors/" + "n" * 300, ["POST"], "DELETE, GET, HEAD, PUT"),
    ],
)
def test_a_wrong_method_is_405_with_and_without_a_key(
    api: Api, anonymous_api: Api, path: str, methods: list[str], allowed: str
) -> None:
    for method in methods:
        for caller in (api, anonymous_api):
            response = caller.request(method, path)
            assert details_of(response, 405) == {
                "issue": f"{method} is not allowed on {path[:200]}; send {allowed}"
            }
            assert response.headers["Allow"] == allowed


@pytest.mark.parametrize(
    ("path", "status"), [("/forecast", 405), ("/nowhere", 404), ("/verify", 401)]
)
def test_an_error_for_head_has_headers_and_no_body(
    anonymous_api: Api, path: str, status: int
) -> None:
    response = anonymous_api.request("HEAD", path)
    assert response.status_code == status
    assert response.data == b""
    assert response.mimetype == "application/json"
    assert_standard_headers(response)


@pytest.mark.parametrize("path", ["/forecast?horizon=5", "/forecast?"])
def test_a_query_does_not_change_the_path(api: Api, path: str) -> None:
    assert api.request("POST", path, Content_Type="text/plain").status_code == 415


@pytest.mark.parametrize(("error", "status"), FAILURES.values(), ids=FAILURES.keys())
def test_any_failure_behind_the_view_gets_the_shape(
    isolated_api: Api, app: Flask, error: Exception, status: int
) -> None:
    make_engine_fail(app, error)
    response = isolated_api.forecast(daily_body())
    issue = details_of(response, status)["issue"]
    assert "Traceback" not in issue
    assert "ak_0" not in response.get_data(as_text=True)
    assert "division" not in issue


@pytest.mark.parametrize("path", ["//forecast", "///forecast", "forecast", "*", "//verify", "//"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_path_with_other_than_one_slash_in_front_is_unknown(
    app: Flask, key: str, method: str, path: str
) -> None:
    response = app.test_client().open(
        method=method, headers=bearer(key), environ_overrides={"PATH_INFO": path}
    )
    assert f"there is no {path};" in details_of(response, 404)["issue"]


def test_the_checks_come_in_the_order_of_the_documents(app: Flask, make_key: Callable) -> None:
    make_account(app, "small", "enterprise", 1, 1000, 1000)
    reader = Api(app, make_key("read", account_name="small"))
    writer = Api(app, make_key("write", "admin", "delete", account_name="small"))
    long = b"{" * 5_000_000
    error_of(reader.forecast(long, **EVERYTHING_WRONG), 415)
    error_of(reader.forecast(long, **EVERYTHING_WRONG), 429)
    error_of(writer.forecast(long, **EVERYTHING_WRONG), 403)
    error_of(Api(app).forecast(long, **EVERYTHING_WRONG), 401)
