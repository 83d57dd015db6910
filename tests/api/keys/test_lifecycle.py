"""The life of a key over HTTP, as its holder sees it, on SQLite and PostgreSQL."""

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from app import create_app
from app.core.api_keys import hash_key
from app.core.database import db, iso_string
from app.identity.accounts.accounts import RowLock
from app.identity.accounts.models import Account
from app.identity.suspension import suspend_account
from tests.support.api import Api, details_of, error_of, first_defect
from tests.support.keys import ACTOR, change_key, moment_in, record_of

MakeKey = Callable[..., str]
FIELDS = [
    "id", "prefix", "label", "permissions", "state", "created_at", "expires_at",
    "last_used_at", "usage_count",
]  # fmt: skip
READ = {"permissions": ["read"]}
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def admin(app: Flask, make_key: MakeKey) -> Api:
    """A caller whose key has id 1 and all permissions."""
    return Api(app, make_key("read", "write", "admin", "delete"))


def create(caller: Api, **fields: Any) -> dict[str, Any]:
    response = caller.send("POST", "/keys", READ | fields)
    assert response.status_code == 201
    created: dict[str, Any] = response.get_json()
    return created


def state_of(caller: Api, key_id: int) -> str:
    state: str = caller.request("GET", f"/keys/{key_id}").get_json()["state"]
    return state


def test_a_created_key_works_and_is_shown_once(app: Flask, admin: Api) -> None:
    response = admin.send(
        "POST", "/keys", {"permissions": ["write", "read"], "label": "<b>Zoë's</b> batch"}
    )
    assert response.status_code == 201
    created = response.get_json()
    key = created.pop("key")
    assert list(created) == FIELDS
    assert created["permissions"] == ["read", "write"]
    assert created["label"] == "<b>Zoë's</b> batch"
    assert (created["state"], created["usage_count"]) == ("active", 0)
    assert created["expires_at"] is created["last_used_at"] is None
    assert Api(app, key).verify().status_code == 200
    body = admin.request("GET", f"/keys/{created['id']}").get_json()
    assert body.pop("last_used_at") is not None
    assert body == {name: created[name] for name in body} | {"usage_count": 1}
    listed = admin.request("GET", "/keys").get_json()["keys"]
    assert [record["id"] for record in listed] == [1, created["id"]]
    assert list(listed[1]) == FIELDS


def test_an_expiry_is_utc_unless_it_has_an_offset(admin: Api) -> None:
    sent = ("2099-01-31T12:00:00", "2099-01-31T14:00:00+02:00", "2099-01-31T12:00:00Z")
    stored = {create(admin, expires_at=moment)["expires_at"] for moment in sent}
    assert stored == {"2099-01-31T12:00:00Z"}


def test_label_and_expiry_change_and_what_is_left_out_stays(admin: Api) -> None:
    created = create(admin, label="old", expires_at="2099-01-31")
    path = f"/keys/{created['id']}"
    changed = admin.send("PATCH", path, {"label": " new "}).get_json()
    assert (changed["label"], changed["expires_at"]) == ("new", "2099-01-31T00:00:00Z")
    changed = admin.send("PATCH", path, {"expires_at": None}).get_json()
    assert (changed["label"], changed["expires_at"]) == ("new", None)
    assert admin.send("PATCH", path, {}).get_json() == changed
    assert admin.send("PATCH", path, {"label": ""}).get_json()["label"] == ""


@pytest.mark.parametrize(
    ("column", "state"), [("revoked_at", "revoked"), ("expires_at", "expired")]
)
def test_only_the_label_of_an_ended_key_changes(
    app: Flask, admin: Api, column: str, state: str
) -> None:
    created = create(admin)
    path = f"/keys/{created['id']}"
    change_key(app, created["key"], **{column: moment_in(-1)})
    assert admin.send("PATCH", path, {"label": "ended"}).get_json()["label"] == "ended"
    for body in ({"expires_at": None}, {"label": "x", "expires_at": "2099-01-31"}):
        assert f"is {state}" in details_of(admin.send("PATCH", path, body), 400)["issue"]
    rotation = admin.send("POST", f"{path}/rotate", {})
    assert f"is {state}; only an active key" in details_of(rotation, 400)["issue"]
    record = admin.request("GET", path).get_json()
    assert (record["label"], record["state"]) == ("ended", state)


def test_both_keys_work_during_the_grace(app: Flask, admin: Api) -> None:
    old = create(admin, label="batch", expires_at="2099-01-31")
    response = admin.send("POST", f"/keys/{old['id']}/rotate", {"grace": "90m"})
    assert response.status_code == 201
    new = response.get_json()
    for name in ("label", "permissions", "expires_at"):
        assert new[name] == old[name]
    assert state_of(admin, old["id"]) == "rotated"
    ends_at = record_of(app, old["key"]).grace_ends_at
    for key, ends in ((old["key"], iso_string(ends_at)), (new["key"], None)):
        response = Api(app, key).verify()
        assert (response.status_code, response.headers.get("X-Key-Ends")) == (200, ends)
        assert Api(app, key).request("GET", "/nowhere").headers.get("X-Key-Ends") == ends
    left = ends_at - dt.datetime.now(dt.UTC)
    assert abs(left - dt.timedelta(minutes=90)) < dt.timedelta(seconds=30)
    body = admin.send("GET", f"/keys/{old['id']}").get_json()["expires_at"]
    assert body == iso_string(ends_at)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content_Type": "application/json"},
        {"Content_Type": "text/plain", "Content_Length": "0"},
    ],
)
def test_a_call_whose_fields_are_all_optional_needs_no_body(
    app: Flask, admin: Api, headers: dict[str, str]
) -> None:
    old = create(admin, label="batch")
    path = f"/keys/{old['id']}"
    changed = admin.request("PATCH", path, **headers)
    assert (changed.status_code, changed.get_json()["label"]) == (200, "batch")
    assert admin.request("POST", f"{path}/rotate", **headers).status_code == 201
    left = record_of(app, old["key"]).grace_ends_at - dt.datetime.now(dt.UTC)
    assert abs(left - dt.timedelta(hours=24)) < dt.timedelta(seconds=30)


def test_a_body_that_may_be_missing_still_needs_its_type(admin: Api) -> None:
    path = f"/keys/{create(admin)['id']}/rotate"
    error_of(admin.request("POST", path, b'{"grace": "1h"}'), 415)
    error_of(admin.request("POST", path, Transfer_Encoding="chunked"), 415)


def test_a_rotated_key_can_end_earlier_than_its_grace_period_and_no_later(admin: Api) -> None:
    old = create(admin)
    assert admin.send("POST", f"/keys/{old['id']}/rotate", {}).status_code == 201
    for late in ("2099-01-31", None):
        response = admin.send("PATCH", f"/keys/{old['id']}", {"expires_at": late})
        assert "a rotated key works until" in details_of(response, 400)["issue"]
    soon = iso_string(dt.datetime.now(dt.UTC) + dt.timedelta(hours=1))
    changed = admin.send("PATCH", f"/keys/{old['id']}", {"expires_at": soon}).get_json()
    assert changed["expires_at"] == soon


@pytest.mark.parametrize(("body", "hours"), [({}, 24), ({"grace": "90d"}, 90 * 24)])
def test_the_usual_grace_is_a_day_and_the_longest_ninety(
    app: Flask, admin: Api, body: dict[str, str], hours: int
) -> None:
    old = create(admin)
    assert admin.send("POST", f"/keys/{old['id']}/rotate", body).status_code == 201
    left = record_of(app, old["key"]).grace_ends_at - dt.datetime.now(dt.UTC)
    assert abs(left - dt.timedelta(hours=hours)) < dt.timedelta(seconds=30)


def test_a_key_that_rotates_itself_without_grace_continues_by_its_successor(
    app: Flask, admin: Api
) -> None:
    new = admin.send("POST", "/keys/1/rotate", {"grace": "0h"}).get_json()
    error_of(admin.verify(), 401)
    assert state_of(Api(app, new["key"]), 1) == "expired"


def test_a_key_that_revokes_itself_is_rejected_from_then_on(app: Flask, admin: Api) -> None:
    other = create(admin, permissions=["admin"])
    assert admin.request("DELETE", "/keys/1").status_code == 204
    error_of(admin.request("DELETE", "/keys/1"), 401)
    assert state_of(Api(app, other["key"]), 1) == "revoked"


def test_a_revoked_key_is_rejected_immediately_and_cannot_be_revoked_again(
    app: Flask, admin: Api
) -> None:
    created = create(admin)
    path = f"/keys/{created['id']}"
    for _ in range(2):
        response = admin.request("DELETE", path)
        assert (response.status_code, response.data) == (204, b"")
    error_of(Api(app, created["key"]).verify(), 401)


def test_one_of_concurrent_rotations_wins(app: Flask, admin: Api) -> None:
    created = create(admin)
    responses = []

    def rotate() -> None:
        responses.append(admin.send("POST", f"/keys/{created['id']}/rotate", {}))

    threads = [threading.Thread(target=rotate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(response.status_code for response in responses) == [201, 400, 400, 400]
    assert len(admin.request("GET", "/keys").get_json()["keys"]) == 3


def test_a_suspended_account_manages_no_keys(app: Flask, admin: Api) -> None:
    with app.app_context(), Session(db.engine) as session, session.begin():
        suspend_account(session, ACTOR, "default")
    error_of(admin.request("GET", "/keys"), 401)
    error_of(admin.send("POST", "/keys", READ), 401)


def test_an_account_that_is_suspended_during_the_request_gets_no_key(
    app: Flask, admin: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.identity.accounts import keys

    lock_account = keys.lock_account

    def lock_suspended(session: Session, account_id: int, lock: RowLock) -> Account:
        suspend_account(session, ACTOR, session.get_one(Account, account_id).name)
        return lock_account(session, account_id, lock)

    monkeypatch.setattr(keys, "lock_account", lock_suspended)
    error_of(admin.send("POST", "/keys", READ), 401)
    assert len(admin.request("GET", "/keys").get_json()["keys"]) == 1


@pytest.mark.parametrize(
    "moment", ["2001-01-01", "0001-01-01T00:00:00+14:00", "2001-01-01T00:00:00-23:59"]
)
def test_an_expiry_in_the_past_is_rejected(admin: Api, moment: str) -> None:
    created = create(admin)
    for method, path in (("POST", "/keys"), ("PATCH", f"/keys/{created['id']}")):
        body = {"expires_at": moment} | (READ if method == "POST" else {})
        field, _issue, provided = first_defect(admin.send(method, path, body), 400)
        assert (field, provided) == ("expires_at", moment)
    assert admin.request("GET", "/keys").get_json()["keys"][1]["expires_at"] is None


def test_no_key_and_no_hash_is_in_the_database_the_log_or_an_error(
    app: Flask, admin: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    created = create(admin)
    new = admin.send("POST", f"/keys/{created['id']}/rotate", {}).get_json()
    admin.send("PATCH", f"/keys/{created['id']}", {"expires_at": created["key"]})
    admin.request("GET", f"/keys/{new['key']}")
    admin.request("DELETE", f"/keys/{new['id']}")
    with app.app_context(), db.engine.connect() as connection:
        stored = str(connection.execute(text("SELECT * FROM audit_events")).all())
        records = str(connection.execute(text("SELECT * FROM api_keys")).all())
    listed = admin.request("GET", "/keys").get_data(as_text=True)
    written = "".join(capfd.readouterr())
    for key in (admin.key, created["key"], new["key"]):
        assert key[12:] not in stored + records + listed + written
        assert hash_key(key) not in stored + listed + written


@pytest.fixture
def other_node(database_url: str) -> Iterator[Flask]:
    """A second application on the same database."""
    app = create_app(database_url=database_url)
    yield app
    with app.app_context():
        db.engine.dispose()


def test_another_node_knows_of_each_change_from_the_next_request_on(
    other_node: Flask, admin: Api
) -> None:
    old = create(admin)
    there = Api(other_node, old["key"])
    assert there.verify().status_code == 200
    new = admin.send("POST", f"/keys/{old['id']}/rotate", {"grace": "0h"}).get_json()
    error_of(there.verify(), 401)
    there = Api(other_node, new["key"])
    assert there.verify().status_code == 200
    assert Api(other_node, admin.key).request("DELETE", f"/keys/{new['id']}").status_code == 204
    error_of(Api(admin.app, new["key"]).verify(), 401)
