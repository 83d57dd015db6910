"""Who may do what with monitors (D26), and what it counts (D27)."""

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.api import Api, details_of, error_of
from tests.support.keys import make_account
from tests.support.monitors import SETTINGS, Monitor, points

MakeKey = Callable[..., str]
EVERY = ("read", "write", "delete", "admin")
CALLS: list[tuple[str, str, str, object]] = [
    ("write", "PUT", "/monitors/mine", SETTINGS),
    ("read", "GET", "/monitors", None),
    ("read", "GET", "/monitors/mine", None),
    ("write", "POST", "/monitors/mine/points", points([1.0])),
    ("read", "GET", "/monitors/mine/points", None),
    ("read", "GET", "/monitors/mine/events", None),
    ("read", "GET", "/monitors/mine/deliveries", None),
    ("write", "POST", "/monitors/mine/rotate-secret", None),
    ("delete", "DELETE", "/monitors/mine", None),
]


@pytest.mark.parametrize(("permission", "method", "path", "body"), CALLS)
def test_a_call_needs_its_permission_and_no_other(
    app: Flask, make_key: MakeKey, permission: str, method: str, path: str, body: object
) -> None:
    Api(app, make_key("write")).send(
        "PUT", "/monitors/mine", SETTINGS | {"webhook_url": "https://example.com/"}
    )
    others = [one for one in EVERY if one != permission]
    refused = Api(app, make_key(*others)).send(method, path, body)
    assert details_of(refused, 403)["required"] == [permission]
    assert Api(app, make_key(permission)).send(method, path, body).status_code < 300


@pytest.mark.parametrize(("_permission", "method", "path", "body"), CALLS)
def test_a_call_needs_a_key(
    anonymous: Api, _permission: str, method: str, path: str, body: object
) -> None:
    error_of(anonymous.send(method, path, body), 401)


@pytest.mark.parametrize(("_permission", "method", "path", "body"), CALLS)
def test_a_call_counts_one_request_whatever_the_response(
    app: Flask, make_key: MakeKey, _permission: str, method: str, path: str, body: object
) -> None:
    caller = Api(app, make_key(*EVERY))
    responses = [caller.send(method, path, body) for _ in range(2)]
    left = [int(response.headers["X-RateLimit-Remaining"]) for response in responses]
    assert left[0] - left[1] == 1
    assert int(caller.verify().headers["X-RateLimit-Remaining"]) == left[1]


OF_ONE = [call for call in CALLS if "mine" in call[2] and call[1] != "PUT"]


@pytest.mark.parametrize(("_permission", "method", "path", "body"), OF_ONE)
def test_another_account_s_monitor_looks_as_one_that_is_not_there(
    app: Flask, make_key: MakeKey, _permission: str, method: str, path: str, body: object
) -> None:
    for account in ("ours", "theirs"):
        make_account(app, account, "standard")
    ours = Api(app, make_key(*EVERY, account_name="ours"))
    theirs = Api(app, make_key(*EVERY, account_name="theirs"))
    missing = theirs.send(method, path, body)
    assert ours.send("PUT", "/monitors/mine", SETTINGS).status_code == 201
    refused = theirs.send(method, path, body)
    error_of(refused, 404)
    assert refused.data == missing.data
    assert ours.request("GET", "/monitors/mine").status_code == 200


def test_two_accounts_may_have_monitors_of_one_name(app: Flask, make_key: MakeKey) -> None:
    for account in ("ours", "theirs"):
        make_account(app, account, "standard")
    ours, theirs = (
        Monitor(Api(app, make_key("read", "write", account_name=account)), "cpu")
        for account in ("ours", "theirs")
    )
    assert ours.put().status_code == theirs.put(step=10).status_code == 201
    ours.feed([1.0])
    assert theirs.get()["points"] == 0
    listed = theirs.api.request("GET", "/monitors").get_json()["monitors"]
    assert [monitor["step"] for monitor in listed] == [10]
