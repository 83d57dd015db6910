"""Who may do what with keys, and what counts against a limit."""

from collections.abc import Callable

import pytest
from flask import Flask

from app.identity.accounts import keys
from app.identity.accounts.accounts import create_account
from app.ops.account_deletion import delete_account
from tests.support.api import Api, details_of, error_of
from tests.support.keys import ACTOR, bearer, make_account, record_of

MakeKey = Callable[..., str]
ALL_PERMISSIONS = ("read", "write", "delete", "admin")
NEW = {"permissions": ["read"]}
# {id} is the id of an existing key.
CALLS: list[tuple[str, str, object]] = [
    ("GET", "/keys", None),
    ("POST", "/keys", NEW),
    ("GET", "/keys/{id}", None),
    ("PATCH", "/keys/{id}", {"label": "other"}),
    ("POST", "/keys/{id}/rotate", {"grace": "1h"}),
    ("DELETE", "/keys/{id}", None),
]
CALLS_OF_A_KEY = [call for call in CALLS if "{id}" in call[1]]


def send(caller: Api, method: str, path: str, body: object, key_id: object):
    """Send a call about the key with this id."""
    content = () if body is None else (body,)
    return caller.send(method, path.replace("{id}", str(key_id)), *content)


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_a_call_needs_the_permission_admin(
    app: Flask, make_key: MakeKey, method: str, path: str, body: object
) -> None:
    key_id = record_of(app, make_key("admin")).id
    rejected = send(Api(app, make_key("read", "write", "delete")), method, path, body, key_id)
    assert details_of(rejected, 403)["required"] == ["admin"]
    caller = Api(app, make_key("admin", "read"))
    assert send(caller, method, path, body, key_id).status_code < 300


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_a_call_needs_a_key(anonymous_api: Api, method: str, path: str, body: object) -> None:
    error_of(send(anonymous_api, method, path, body, 1), 401)


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_a_call_counts_one_request_regardless_of_the_response(
    app: Flask, make_key: MakeKey, method: str, path: str, body: object
) -> None:
    key_id = record_of(app, make_key("read")).id
    caller = Api(app, make_key(*ALL_PERMISSIONS))
    responses = [send(caller, method, path, body, key_id) for _ in range(2)]
    left = [int(response.headers["X-RateLimit-Remaining"]) for response in responses]
    assert left[0] - left[1] == 1


@pytest.mark.parametrize(("method", "path", "body"), CALLS_OF_A_KEY)
def test_another_account_s_key_looks_as_one_that_is_not_there(
    app: Flask, make_key: MakeKey, method: str, path: str, body: object
) -> None:
    ours = make_key(*ALL_PERMISSIONS, account_name=make_account(app, "ours", "standard"))
    theirs = Api(
        app, make_key(*ALL_PERMISSIONS, account_name=make_account(app, "theirs", "standard"))
    )
    key_id = record_of(app, ours).id
    missing = send(theirs, method, path, body, 77)
    rejected = send(theirs, method, path, body, key_id)
    error_of(rejected, 404)
    assert rejected.data.replace(b"key %d;" % key_id, b"key 77;") == missing.data
    assert Api(app, ours).verify().status_code == 200
    assert record_of(app, ours).label == ""


def test_the_list_has_only_the_keys_of_the_own_account(app: Flask, make_key: MakeKey) -> None:
    make_key("admin")
    ours = make_key("admin", account_name=make_account(app, "ours", "standard"))
    listed = Api(app, ours).request("GET", "/keys").get_json()["keys"]
    assert [key["prefix"] for key in listed] == [ours[:11]]


@pytest.mark.parametrize(("method", "path", "body"), CALLS_OF_A_KEY)
@pytest.mark.parametrize(
    "key_id", ["0", "-1", "01", "1.0", "x", "%31x", "2147483648", "9" * 400, "%D9%A1", "%00"]
)
def test_a_path_that_is_not_an_id_is_not_a_key(
    api: Api, method: str, path: str, body: object, key_id: str
) -> None:
    assert "there is no key" in details_of(send(api, method, path, body, key_id), 404)["issue"]


def test_a_key_in_the_place_of_an_id_is_not_repeated(app: Flask, make_key: MakeKey) -> None:
    key = make_key("admin")
    response = Api(app, key).request("GET", f"/keys/{key}")
    error_of(response, 404)
    assert key[12:] not in response.get_data(as_text=True)


@pytest.mark.parametrize("asked", [["write"], ["read", "delete"], ["admin", "write", "read"]])
def test_a_key_creates_none_that_may_do_more(
    app: Flask, make_key: MakeKey, asked: list[str]
) -> None:
    caller = Api(app, make_key("read", "admin"))
    details = details_of(caller.send("POST", "/keys", {"permissions": asked}), 403)
    assert details["granted"] == ["read", "admin"]
    assert set(details["required"]) == {*asked} - {"read", "admin"}
    assert len(caller.request("GET", "/keys").get_json()["keys"]) == 1


def test_a_key_rotates_none_that_may_do_more(app: Flask, make_key: MakeKey) -> None:
    full = make_key(*ALL_PERMISSIONS)
    caller = Api(app, make_key("admin"))
    path = f"/keys/{record_of(app, full).id}"
    rejected = caller.send("POST", f"{path}/rotate", {"grace": "0h"})
    assert details_of(rejected, 403)["required"] == ["read", "write", "delete"]
    assert Api(app, full).verify().status_code == 200
    assert caller.request("DELETE", path).status_code == 204


def test_the_change_names_the_key_that_made_it_and_its_address(
    app: Flask, make_key: MakeKey
) -> None:
    from tests.support.cli import run_json

    key = make_key("read", "admin")
    client = app.test_client()
    where = {"REMOTE_ADDR": "[2001:db8::7]:443"}
    options = {"headers": bearer(key), "environ_base": where}
    assert client.post("/keys", json=NEW, **options).status_code == 201
    assert client.patch("/keys/2", json={"label": "x", "expires_at": "2099-01-31"}, **options)
    assert client.post("/keys/2/rotate", json={}, **options).status_code == 201
    assert client.delete("/keys/3", **options).status_code == 204
    assert client.delete("/keys/3", **options).status_code == 204
    events = run_json(app, "keys", "audit")[1:]
    assert [(event["action"], event["key_id"]) for event in events] == [
        ("key created", 2),
        ("label changed", 2),
        ("expiry changed", 2),
        ("key rotated", 2),
        ("key created", 3),
        ("key revoked", 3),
    ]
    for event in events:
        assert (event["by_key_id"], event["by_prefix"]) == (1, key[:11])
        assert event["address"] == "2001:db8::7"
        assert event["os_user"] == event["host"] == ""
    assert events[1]["detail"] == 'from "" to "x"'
    assert events[2]["detail"] == "from without expiry to until 2099-01-31T00:00:00Z"


class TestWithoutAddresses:
    """Addresses are not stored, as a setting wants."""

    @pytest.fixture
    def settings(self) -> dict[str, bool]:
        return {"usage_addresses": False}

    def test_the_change_names_only_the_key(self, app: Flask, make_key: MakeKey) -> None:
        from tests.support.cli import run_json

        key = make_key("read", "admin")
        assert Api(app, key).send("POST", "/keys", NEW).status_code == 201
        event = run_json(app, "keys", "audit")[-1]
        assert (event["by_prefix"], event["address"]) == (key[:11], None)


def test_a_key_is_not_created_for_another_account_that_took_the_name(
    app, client, make_key, monkeypatch
) -> None:
    make_account(app, "acme", None)
    key = make_key("admin", account_name="acme")
    create = keys.create_key

    def create_later(session, *arguments, **options):
        delete_account(session, ACTOR, "acme")
        create_account(session, ACTOR, "acme", None, None)
        return create(session, *arguments, **options)

    monkeypatch.setattr(keys, "create_key", create_later)
    headers = {"Authorization": f"Bearer {key}"}
    response = client.post("/keys", json={"permissions": ["admin"]}, headers=headers)
    assert response.status_code == 401
