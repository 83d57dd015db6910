"""The life of a webhook over HTTP, on both databases."""

import base64
from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.audit import AuditEvent
from tests.support.api import Api, details_of, error_of
from tests.support.monitors import SETTINGS

HOOK = "https://example.com/hook"
ELSEWHERE = "https://example.org/hook"
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def caller(app: Flask, make_key: Callable[..., str]) -> Api:
    return Api(app, make_key("read", "write", "delete"))


def put(caller: Api, name: str = "ops", url: str = HOOK, **settings: str):
    return caller.send("PUT", f"/webhooks/{name}", {"url": url} | settings)


def get(caller: Api, name: str = "ops") -> dict:
    response = caller.request("GET", f"/webhooks/{name}")
    assert response.status_code == 200
    return response.get_json()


def put_monitor(caller: Api, name: str = "cpu", **settings: str | None):
    return caller.send("PUT", f"/monitors/{name}", SETTINGS | settings)


def names(caller: Api) -> list[str]:
    listed = caller.request("GET", "/webhooks").get_json()["webhooks"]
    return [webhook["name"] for webhook in listed]


def secret_of(response) -> str:
    secret: str = response.get_json()["secret"]
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    return secret


def test_a_webhook_from_its_creation_to_its_end(caller: Api) -> None:
    response = put(caller)
    assert response.status_code == 201
    secret = secret_of(response)
    shown = {"name": "ops", "url": HOOK, "format": "standard", "last_attempt": None}
    assert get(caller) | shown == get(caller)
    assert set(get(caller)) == {*shown, "created_at"}

    second = put(caller, url=f"{HOOK}/2")
    assert second.status_code == 200
    assert "secret" not in second.get_json()
    assert get(caller)["url"] == f"{HOOK}/2"

    rotated = caller.request("POST", "/webhooks/ops/rotate")
    assert rotated.status_code == 201
    assert secret_of(rotated) != secret

    assert caller.request("DELETE", "/webhooks/ops").status_code == 204
    assert names(caller) == []
    error_of(caller.request("GET", "/webhooks/ops"), 404)


def test_another_host_has_another_secret_and_the_same_host_keeps_its_own(caller: Api) -> None:
    first = secret_of(put(caller))
    assert "secret" not in put(caller, url="https://EXAMPLE.com:8443/other").get_json()
    assert secret_of(put(caller, url=ELSEWHERE)) != first


def test_a_chat_has_no_secret_and_gets_one_when_it_is_no_longer_a_chat(caller: Api) -> None:
    response = put(caller, format="text")
    assert response.status_code == 201
    assert "secret" not in response.get_json()
    issue = details_of(caller.request("POST", "/webhooks/ops/rotate"), 400)["issue"]
    assert issue.startswith("messages in the format text are not signed")
    secret = secret_of(put(caller))
    assert "secret" not in put(caller, format="text").get_json()
    assert secret_of(put(caller)) != secret


def test_a_webhook_that_monitors_name_cannot_be_deleted(caller: Api) -> None:
    put(caller)
    for name in ("disk", "cpu"):
        assert put_monitor(caller, name, webhook="ops").status_code == 201
    details = details_of(caller.request("DELETE", "/webhooks/ops"), 409)
    assert (details["monitors"], details["queries"]) == (["cpu", "disk"], [])
    assert put_monitor(caller, "disk").status_code == 200
    assert caller.request("DELETE", "/monitors/cpu").status_code == 204
    assert names(caller) == ["ops"]
    assert caller.request("DELETE", "/webhooks/ops").status_code == 204


def test_a_monitor_shows_its_webhook(caller: Api) -> None:
    put(caller)
    put_monitor(caller, webhook="ops")
    assert caller.request("GET", "/monitors/cpu").get_json()["webhook"] == "ops"
    put_monitor(caller)
    assert caller.request("GET", "/monitors/cpu").get_json()["webhook"] is None


@pytest.mark.parametrize("settings", [{"webhooks_per_account": 2}])
def test_an_account_has_only_the_allowed_number_of_webhooks(caller: Api) -> None:
    for name in ("a", "b"):
        assert put(caller, name).status_code == 201
    issue = details_of(put(caller, "c"), 400)["issue"]
    assert issue.startswith("the account has 2 webhooks, the most allowed")
    assert put(caller, "a").status_code == 200
    assert names(caller) == ["a", "b"]


def test_the_audit_trail_names_keys_webhooks_and_monitors_but_no_secret(
    app: Flask, caller: Api
) -> None:
    put(caller)
    put(caller)  # nothing changes
    put(caller, url=f"{HOOK}/2")
    put(caller, url=ELSEWHERE)
    caller.send("POST", "/webhooks/ops/rotate", {})
    put_monitor(caller)
    put_monitor(caller)
    put_monitor(caller, webhook="ops", muted_until="2099-01-01T00:00:00Z")
    put_monitor(caller, webhook="ops", muted_until="2099-01-01T00:00:00Z")
    assert caller.request("DELETE", "/webhooks/ops").status_code == 409
    caller.request("DELETE", "/monitors/cpu")
    caller.request("DELETE", "/webhooks/ops")
    with app.app_context(), Session(db.engine) as session:
        trail = session.scalars(select(AuditEvent).order_by(AuditEvent.id))
        events = [event for event in trail if event.action.startswith(("webhook", "monitor"))]
        assert all(event.by_prefix and event.by_key_id for event in events)
        assert [(event.action, event.detail) for event in events] == [
            ("webhook created", "ops"),
            ("webhook changed", "ops: url"),
            ("webhook changed", "ops: url, secret"),
            ("webhook rotated", "ops"),
            ("monitor created", "cpu"),
            ("monitor changed", "cpu: muted_until, webhook"),
            ("monitor deleted", "cpu"),
            ("webhook deleted", "ops"),
        ]
