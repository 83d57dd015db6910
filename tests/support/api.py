"""A client of the application in this process, and checks of the error shape."""

import copy
from dataclasses import dataclass
from typing import Any

import orjson
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import TestResponse

from app.api.dialects import DIALECTS
from app.api.endpoints.dialect import find_dialect
from app.compute.jobs import ENGINE_EXTENSION, InProcessEngine
from tests.support.contract import contract_of

QUICK_MODEL = "forecast-model-2"
NO_BODY = object()
RATE_LIMIT_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")

# The codes of specification 7; other statuses have the code of their class.
CODES = (
    dict.fromkeys((400, 404, 405, 406, 409, 413, 414, 415, 421, 431), "INVALID_REQUEST")
    | dict.fromkeys((401, 403), "UNAUTHORIZED")
    | {422: "DATA_VALIDATION_ERROR", 429: "RATE_LIMIT_EXCEEDED"}
    | dict.fromkeys((500, 501, 502, 503, 504, 505), "INTERNAL_ERROR")
)

Body = dict[str, Any]


@dataclass(frozen=True)
class Api:
    """A client with a key, or None; header names are written with ``_``."""

    app: Flask
    key: str | None = None

    def request(
        self, method: str, path: str, data: bytes | None = None, **headers: str | None
    ) -> TestResponse:
        """Send a request; a header that is None is left out.

        The response must be one that the OpenAPI document lists.
        """
        sent = Headers()
        if self.key is not None:
            sent["Authorization"] = f"Bearer {self.key}"
        for name, value in headers.items():
            if value is not None:
                sent[name.replace("_", "-")] = value
            else:
                sent.pop(name.replace("_", "-"), None)
        response = self.app.test_client().open(path, method=method, data=data, headers=sent)
        contract_of(self.app).assert_kept(method, path, response)
        return response

    def send(
        self, method: str, path: str, body: object = NO_BODY, **headers: str | None
    ) -> TestResponse:
        """Send ``body`` as JSON, bytes unchanged."""
        if body is NO_BODY:
            return self.request(method, path, **headers)
        data = body if isinstance(body, bytes) else orjson.dumps(body)
        return self.request(method, path, data, **{"Content_Type": "application/json"} | headers)

    def forecast(self, body: object, **headers: str | None) -> TestResponse:
        """Send POST /forecast for the quick model; ``body`` is sent as JSON, bytes unchanged."""
        return self.send("POST", "/forecast", body, **{"X_Model_Id": QUICK_MODEL} | headers)

    def backtest(self, body: object, **headers: str | None) -> TestResponse:
        """Send POST /backtest; ``body`` is sent as JSON, bytes unchanged."""
        return self.send("POST", "/backtest", body, **headers)

    def anomalies(self, body: object, **headers: str | None) -> TestResponse:
        """Send POST /anomalies; ``body`` is sent as JSON, bytes unchanged."""
        return self.send("POST", "/anomalies", body, **headers)

    def verify(self, **headers: str | None) -> TestResponse:
        return self.request("GET", "/verify", **headers)

    def remaining(self) -> int:
        """Return the remaining requests by /verify."""
        return int(self.verify().get_json()["rateLimit"]["remaining"])


def make_engine_fail(app: Flask, error: Exception) -> None:
    """Make every forecast of ``app`` raise ``error``."""

    def compute(*_arguments: object) -> None:
        raise error

    app.extensions[ENGINE_EXTENSION] = InProcessEngine(compute)


def error_of(response: TestResponse, status: int) -> Body:
    """Check the one error shape and ``status`` and return ``error``.

    Under the paths of a dialect its code is the maker's, ours is in the details, and there are
    fields beside ``error``.
    """
    assert response.status_code == status, response.get_data(as_text=True)
    assert response.mimetype == "application/json"
    body = orjson.loads(response.get_data())
    error: Body = body["error"]
    dialect = find_dialect(response.request.path, DIALECTS)
    if dialect is None:
        assert list(body) == ["error"]
        own_code = error["code"]
    else:
        head = dialect.error_head(error["code"], error["message"])
        assert body == {**head, "error": error}
        assert isinstance(error["code"], int if dialect.has_number_codes else str)
        assert error["code"]
        error["details"] = error.pop(dialect.details_name)
        own_code = error["details"].pop("code")
    assert set(error) <= {"code", "message", "details"}
    assert own_code == CODES[status]
    assert isinstance(error["message"], str)
    assert error["message"]
    assert isinstance(error.get("details", {}), dict)
    assert ("Retry-After" in response.headers) == (status in (429, 503))
    assert_standard_headers(response)
    return error


def details_of(response: TestResponse, status: int) -> Body:
    """Check an error as ``error_of`` does; return its details."""
    details: Body = error_of(response, status)["details"]
    return details


def first_defect(response: TestResponse, status: int) -> tuple[str, str, Any]:
    """Check the details of a 400 or 422; return field, issue and provided value."""
    details = details_of(response, status)
    assert set(details) == {"field", "issue", "provided", "errors"}
    errors = details["errors"]
    assert 1 <= len(errors) <= 20
    assert all(set(error) == {"field", "issue", "provided"} for error in errors)
    assert errors[0] == {name: details[name] for name in ("field", "issue", "provided")}
    return details["field"], details["issue"], details["provided"]


def assert_standard_headers(response: TestResponse) -> None:
    """Check the headers of every response."""
    for name in RATE_LIMIT_HEADERS:
        assert response.headers.getlist(name) == [str(int(response.headers[name]))]
    assert response.headers["X-Api-Version"] == "1.0.0"
    assert 1 <= len(response.headers["X-Request-Id"]) <= 128


def with_series(body: Body, **columns: Any) -> Body:
    """Return ``body`` with other columns in its series; Ellipsis removes one."""
    column = {**body["series"][0], **columns}
    return {**body, "series": [{n: items for n, items in column.items() if items is not ...}]}


def with_entry(body: Body, column: str, index: int, entry: Any) -> Body:
    """Return ``body`` with another entry at ``index`` of ``column``."""
    changed = copy.deepcopy(body)
    changed["series"][0][column][index] = entry
    return changed
