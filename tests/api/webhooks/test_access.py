"""Who may do what with webhooks, and what it counts."""

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.api import Api, details_of, error_of
from tests.support.keys import make_account

MakeKey = Callable[..., str]
EVERY = ("read", "write", "delete", "admin")
BODY = {"url": "https://example.com/hook"}
CALLS: list[tuple[str, str, str, object]] = [
    ("write", "PUT", "/webhooks/mine", BODY),
    ("read", "GET", "/webhooks", None),
    ("read", "GET", "/webhooks/mine", None),
    ("write", "POST", "/webhooks/mine/rotate", None),
    ("write", "POST", "/webhooks/mine/test", None),
    ("delete", "DELETE", "/webhooks/mine", None),
]


@pytest.mark.parametrize(("permission", "method", "path", "body"), CALLS)
def test_a_call_needs_its_permission_and_no_other(
    app: Flask, make_key: MakeKey, permission: str, method: str, path: str, body: object
) -> None:
    Api(app, make_key("write")).send("PUT", "/webhooks/mine", BODY)
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


OF_ONE = [call for call in CALLS if "mine" in call[2] and call[1] != "PUT"]


@pytest.mark.parametrize(("_permission", "method", "path", "body"), OF_ONE)
def test_another_account_s_webhook_looks_as_one_that_is_not_there(
    app: Flask, make_key: MakeKey, _permission: str, method: str, path: str, body: object
) -> None:
    for account in ("ours", "theirs"):
        make_account(app, account, "standard")
    ours = Api(app, make_key(*EVERY, account_name="ours"))
    theirs = Api(app, make_key(*EVERY, account_name="theirs"))
    missing = theirs.send(method, path, body)
    assert ours.send("PUT", "/webhooks/mine", BODY).status_code == 201
    refused = theirs.send(method, path, body)
    error_of(refused, 404)
    assert refused.data == missing.data
    assert ours.request("GET", "/webhooks/mine").get_json()["last_attempt"] is None
    assert theirs.request("GET", "/webhooks").get_json() == {"webhooks": []}


def test_a_monitor_cannot_name_another_account_s_webhook(app: Flask, make_key: MakeKey) -> None:
    for account in ("ours", "theirs"):
        make_account(app, account, "standard")
    ours = Api(app, make_key(*EVERY, account_name="ours"))
    theirs = Api(app, make_key(*EVERY, account_name="theirs"))
    ours.send("PUT", "/webhooks/mine", BODY)
    body = {"data_frequency": "Hours", "webhook": "mine"}
    assert details_of(theirs.send("PUT", "/monitors/cpu", body), 400)["field"] == "webhook"
    assert ours.send("PUT", "/monitors/cpu", body).status_code == 201
