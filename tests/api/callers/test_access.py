"""Access to what an account stores, by permission, and the cost of calls."""

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.api import Api, details_of, error_of
from tests.support.keys import make_account
from tests.support.monitors import SETTINGS, points

MakeKey = Callable[..., str]
ALL_PERMISSIONS = ("read", "write", "delete", "admin")
HOOK = {"url": "https://example.com/hook"}
SOURCE = {"url": "https://prometheus.example.com"}
# What an account stores: the path that creates it, and the body.
RESOURCES = [
    ("/monitors/mine", SETTINGS),
    ("/webhooks/chat", HOOK),
    ("/sources/mine", SOURCE),
    ("/sources/mine/queries/up", {"query": "up"}),
]
CREATING_CALLS = [
    ("write", "PUT", "/monitors/mine", SETTINGS),
    *(("write", "PUT", *kept) for kept in RESOURCES[1:]),
]
LISTING_CALLS = [("read", "GET", path, None) for path in ("/monitors", "/webhooks", "/sources")]
CALLS_OF_RESOURCES = [
    ("read", "GET", "/monitors/mine", None),
    ("write", "POST", "/monitors/mine/points", points([1.0])),
    ("read", "GET", "/monitors/mine/points", None),
    ("read", "GET", "/monitors/mine/events", None),
    ("read", "GET", "/monitors/mine/deliveries", None),
    ("delete", "DELETE", "/monitors/mine", None),
    ("read", "GET", "/webhooks/chat", None),
    ("write", "POST", "/webhooks/chat/rotate", None),
    ("write", "POST", "/webhooks/chat/test", None),
    ("delete", "DELETE", "/webhooks/chat", None),
    ("read", "GET", "/sources/mine", None),
    ("read", "GET", "/sources/mine/queries/up", None),
    ("delete", "DELETE", "/sources/mine/queries/up", None),
    ("delete", "DELETE", "/sources/mine", None),
]
# Calls that name something of the caller.
CALLS_BY_NAME = [("write", "PUT", *RESOURCES[3]), *CALLS_OF_RESOURCES]
CALLS = [*CREATING_CALLS, *LISTING_CALLS, *CALLS_OF_RESOURCES]


def create_all(caller: Api) -> None:
    for path, body in RESOURCES:
        assert caller.send("PUT", path, body).status_code == 201


def two_accounts(app: Flask, make_key: MakeKey) -> list[Api]:
    for account in ("ours", "theirs"):
        make_account(app, account, "standard")
    return [
        Api(app, make_key(*ALL_PERMISSIONS, account_name=account)) for account in ("ours", "theirs")
    ]


@pytest.mark.parametrize(("permission", "method", "path", "body"), CALLS)
def test_a_call_needs_only_its_permission(
    app: Flask, make_key: MakeKey, permission: str, method: str, path: str, body: object
) -> None:
    create_all(Api(app, make_key("write")))
    others = [other for other in ALL_PERMISSIONS if other != permission]
    rejected = Api(app, make_key(*others)).send(method, path, body)
    assert details_of(rejected, 403)["required"] == [permission]
    assert Api(app, make_key(permission)).send(method, path, body).status_code < 300


def test_a_call_needs_a_key_and_counts_one_request_regardless_of_the_response(
    app: Flask, make_key: MakeKey
) -> None:
    caller = Api(app, make_key(*ALL_PERMISSIONS))
    for _permission, *call in CALLS:
        error_of(Api(app).send(*call), 401)
        responses = [caller.send(*call) for _ in range(2)]
        left = [int(response.headers["X-RateLimit-Remaining"]) for response in responses]
        assert left[0] - left[1] == 1, call
        assert int(caller.verify().headers["X-RateLimit-Remaining"]) == left[1]


def test_another_accounts_resources_respond_as_missing_ones(app: Flask, make_key: MakeKey) -> None:
    ours, theirs = two_accounts(app, make_key)
    missing = [theirs.send(*call).data for _permission, *call in CALLS_BY_NAME]
    create_all(ours)
    before = [ours.request("GET", path).get_json() for path, _ in RESOURCES]
    for (_permission, *call), nothing in zip(CALLS_BY_NAME, missing, strict=True):
        rejected = theirs.send(*call)
        error_of(rejected, 404)
        assert rejected.data == nothing, call
    assert [ours.request("GET", path).get_json() for path, _ in RESOURCES] == before


def test_two_accounts_keep_what_has_one_name_apart(app: Flask, make_key: MakeKey) -> None:
    ours, theirs = two_accounts(app, make_key)
    create_all(ours)
    for path, _ in RESOURCES[:3]:
        (listed,) = theirs.request("GET", path.rpartition("/")[0]).get_json().values()
        assert listed == []
    create_all(theirs)
    ours.send("POST", "/monitors/mine/points", points([1.0]))
    assert theirs.request("GET", "/monitors/mine").get_json()["points"] == 0


def test_a_monitor_cannot_name_another_account_s_webhook(app: Flask, make_key: MakeKey) -> None:
    ours, theirs = two_accounts(app, make_key)
    ours.send("PUT", "/webhooks/chat", HOOK)
    body = {"data_frequency": "Hours", "webhook": "chat"}
    assert details_of(theirs.send("PUT", "/monitors/cpu", body), 400)["field"] == "webhook"
    assert ours.send("PUT", "/monitors/cpu", body).status_code == 201
