"""Who may do what with sources, and what it counts."""

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.api import Api, details_of, error_of
from tests.support.keys import make_account

MakeKey = Callable[..., str]
EVERY = ("read", "write", "delete", "admin")
BODY = {"url": "https://prometheus.example.com"}
QUERY = {"query": "up"}
CALLS: list[tuple[str, str, str, object]] = [
    ("write", "PUT", "/sources/mine", BODY),
    ("read", "GET", "/sources", None),
    ("read", "GET", "/sources/mine", None),
    ("write", "PUT", "/sources/mine/queries/up", QUERY),
    ("read", "GET", "/sources/mine/queries/up", None),
    ("delete", "DELETE", "/sources/mine/queries/up", None),
    ("delete", "DELETE", "/sources/mine", None),
]


def make(caller: Api) -> None:
    assert caller.send("PUT", "/sources/mine", BODY).status_code == 201
    assert caller.send("PUT", "/sources/mine/queries/up", QUERY).status_code == 201


@pytest.mark.parametrize(("permission", "method", "path", "body"), CALLS)
def test_a_call_needs_its_permission_and_no_other(
    app: Flask, make_key: MakeKey, permission: str, method: str, path: str, body: object
) -> None:
    make(Api(app, make_key("write")))
    others = [one for one in EVERY if one != permission]
    refused = Api(app, make_key(*others)).send(method, path, body)
    assert details_of(refused, 403)["required"] == [permission]
    assert Api(app, make_key(permission)).send(method, path, body).status_code < 300


@pytest.mark.parametrize(("_permission", "method", "path", "body"), CALLS)
def test_a_call_needs_a_key_and_counts_one_request(
    app: Flask, make_key: MakeKey, _permission: str, method: str, path: str, body: object
) -> None:
    error_of(Api(app).send(method, path, body), 401)
    caller = Api(app, make_key(*EVERY))
    responses = [caller.send(method, path, body) for _ in range(2)]
    left = [int(response.headers["X-RateLimit-Remaining"]) for response in responses]
    assert left[0] - left[1] == 1


OF_ONE = [call for call in CALLS if "mine" in call[2] and call[2:] != ("/sources/mine", BODY)]


@pytest.mark.parametrize(("_permission", "method", "path", "body"), OF_ONE)
def test_another_account_s_source_looks_as_one_that_is_not_there(
    app: Flask, make_key: MakeKey, _permission: str, method: str, path: str, body: object
) -> None:
    for account in ("ours", "theirs"):
        make_account(app, account, "standard")
    ours = Api(app, make_key(*EVERY, account_name="ours"))
    theirs = Api(app, make_key(*EVERY, account_name="theirs"))
    missing = theirs.send(method, path, body)
    make(ours)
    refused = theirs.send(method, path, body)
    error_of(refused, 404)
    assert refused.data == missing.data
    assert ours.request("GET", "/sources/mine/queries/up").status_code == 200
    assert theirs.request("GET", "/sources").get_json() == {"sources": []}
