"""GET /verify: what a key may do and how much of its limit is left (specification 2.5 and 4.2)."""

import datetime as dt
import re
from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.api import Api, assert_standard_headers, error_of


def test_the_response_has_the_fields_and_types_of_the_specification(isolated_api: Api) -> None:
    response = isolated_api.verify()
    assert response.status_code == 200
    assert response.mimetype == "application/json"
    assert_standard_headers(response)
    body = response.get_json()
    assert list(body) == ["success", "message", "timestamp", "apiKey", "rateLimit"]
    assert body["success"] is True
    assert isinstance(body["message"], str)
    assert list(body["apiKey"]) == ["permissions"]
    assert list(body["rateLimit"]) == ["limit", "remaining", "resetTime"]
    assert all(re.fullmatch("[0-9]+", text) for text in body["rateLimit"].values())


def test_the_timestamp_is_the_server_s_time_in_milliseconds_and_utc(api: Api) -> None:
    text = api.verify().get_json()["timestamp"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    age = dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(text)
    assert abs(age) < dt.timedelta(seconds=30)


@pytest.mark.parametrize(
    "permissions",
    [
        ["read"], ["write"], ["admin"], ["delete"], ["read", "write"], ["admin", "delete"],
        ["read", "write", "admin", "delete"],
    ],
)  # fmt: skip
def test_the_permissions_of_the_key_are_returned_in_one_order(
    app: Flask, make_key: Callable, permissions: list[str]
) -> None:
    body = Api(app, make_key(*reversed(permissions))).verify().get_json()
    assert body["apiKey"]["permissions"] == permissions


def test_the_body_says_of_the_limit_what_the_headers_say(isolated_api: Api) -> None:
    isolated_api.forecast({})
    response = isolated_api.verify()
    limit, headers = response.get_json()["rateLimit"], response.headers
    assert limit["limit"] == headers["X-RateLimit-Limit"] == "100"
    assert limit["remaining"] == headers["X-RateLimit-Remaining"] == "99"
    assert limit["resetTime"] == headers["X-RateLimit-Reset"] + "000"


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (None, "application/json"), (b"", "application/json"), (b"{", "application/json"),
        (None, "text/plain"), (b"\xff" * 100, None),
    ],
)  # fmt: skip
def test_a_type_or_body_does_not_matter(
    api: Api, data: bytes | None, content_type: str | None
) -> None:
    assert api.request("GET", "/verify", data, Content_Type=content_type).status_code == 200


def test_without_a_key_it_shows_nothing(anonymous_api: Api) -> None:
    assert set(error_of(anonymous_api.verify(), 401)["details"]) == {"issue"}
