"""The rate-limit headers of every response (specification 8.4)."""

import datetime as dt
import time

import pytest

from tests.support.keys import bearer, make_account, post, verify
from tests.support.series import daily_body

HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
pytestmark = pytest.mark.usefixtures("each_database")


def shown_limits(response):
    """Return the three headers as numbers; all must be there."""
    return [int(response.headers[name]) for name in HEADERS]


def requests(key):
    """Return a request for each kind of response, by its status."""
    data = {"data": b"{}", "content_type": "text/plain"}
    return {
        "200": ("POST", "/forecast", {"json": daily_body(), "headers": bearer(key)}),
        "200 verify": ("GET", "/verify", {"headers": bearer(key)}),
        "200 openapi": ("GET", "/openapi.json", {"headers": bearer(key)}),
        "200 openapi anonymous": ("GET", "/openapi.json", {}),
        "400": ("POST", "/forecast", {"json": [], "headers": bearer(key)}),
        "401": ("POST", "/forecast", {}),
        "401 verify": ("GET", "/verify", {}),
        "404": ("GET", "/nothing", {"headers": bearer(key)}),
        "404 anonymous": ("GET", "/nothing", {}),
        "404 trailing slash": ("GET", "/verify/", {"headers": bearer(key)}),
        "405": ("GET", "/forecast", {"headers": bearer(key)}),
        "405 anonymous": ("DELETE", "/verify", {}),
        "415": ("POST", "/forecast", data | {"headers": bearer(key)}),
        "422": ("POST", "/forecast", {"json": daily_body(5), "headers": bearer(key)}),
    }


@pytest.mark.parametrize("case", requests(""))
def test_every_response_carries_the_three_headers_once(client, key, case) -> None:
    method, path, options = requests(key)[case]
    response = client.open(path, method=method, **options)
    assert str(response.status_code) == case[:3]
    limit, left, reset = shown_limits(response)
    of_pages = 1000 if path == "/openapi.json" else None
    assert limit == (of_pages or (100 if "headers" in options else 60))
    assert limit - 1 <= left <= limit
    assert 0 < reset - time.time() <= 61.5
    assert all(len(response.headers.getlist(name)) == 1 for name in HEADERS)


def test_403_and_429_and_500_have_the_headers_of_limits(app, client, make_key, monkeypatch) -> None:
    powerless = make_key("write")
    assert shown_limits(post(client, powerless))[:2] == [100, 99]
    key = make_key("read", account_name=make_account(app, "tiny", "enterprise", 1, 1, 1))
    post(client, key)
    rejected = post(client, key)
    assert (rejected.status_code, shown_limits(rejected)[:2]) == (429, [1, 0])

    def fail(*_arguments) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setitem(app.view_functions, "verify.verify", fail)
    broken = verify(client, make_key("read"))
    assert (broken.status_code, shown_limits(broken)[:2]) == (500, [50, 50])


def test_a_429_describes_the_window_that_rejected_in_headers_and_details(app, client, make_key):
    name = make_account(app, "acme", "enterprise", 50, 1, 500)
    key = make_key(account_name=name)
    post(client, key)
    rejected = post(client, key)
    limit, left, reset = shown_limits(rejected)
    details = rejected.get_json()["error"]["details"]
    assert (limit, left) == (details["limit"], 0) == (1, 0)
    assert dt.datetime.fromisoformat(details["reset_time"]).timestamp() == reset
    assert abs(int(rejected.headers["Retry-After"]) - (reset - time.time())) <= 2
