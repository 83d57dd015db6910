"""The webhook of a monitor over HTTP: its secret, and what is to be sent to it."""

import base64
import json

import pytest

from tests.support.api import Api, details_of, error_of
from tests.support.monitors import LEARNED, Monitor, restless, timestamp

HOOK = "https://example.com/hook"


def secret_of(body: dict) -> str:
    secret: str = body["webhook_secret"]
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    return secret


def test_the_secret_is_shown_once(api: Api) -> None:
    monitor = Monitor(api, "with-a-webhook")
    secret_of(monitor.put(webhook_url=HOOK).get_json())
    assert "webhook_secret" not in monitor.put(webhook_url=HOOK).get_json()
    assert "webhook_secret" not in monitor.get()
    assert monitor.get()["webhook_url"] == HOOK


def test_another_host_has_another_secret_and_the_same_host_keeps_its_own(api: Api) -> None:
    monitor = Monitor(api, "moved")
    first = secret_of(monitor.put(webhook_url=HOOK).get_json())
    assert "webhook_secret" not in monitor.put(webhook_url=f"{HOOK}/2").get_json()
    elsewhere = monitor.put(webhook_url="https://example.org/hook")
    assert elsewhere.status_code == 200
    assert secret_of(elsewhere.get_json()) != first


def test_no_cache_keeps_a_response_with_a_secret(api: Api) -> None:
    monitor = Monitor(api, "not-cached")
    shown = [
        monitor.put(webhook_url=HOOK),
        monitor.put(webhook_url="https://example.org/hook"),
        api.request("POST", f"{monitor.path}/rotate-secret"),
    ]
    for response in shown:
        secret_of(response.get_json())
        assert response.headers["Cache-Control"] == "no-store"
    assert "Cache-Control" not in monitor.put(webhook_url="https://example.org/hook").headers


def test_an_address_that_comes_later_has_a_secret_too(api: Api) -> None:
    monitor = Monitor.made(api)
    secret_of(monitor.put(webhook_url=HOOK).get_json())


def test_another_secret_may_be_made(api: Api) -> None:
    monitor = Monitor(api, "rotated")
    first = secret_of(monitor.put(webhook_url=HOOK).get_json())
    response = api.request("POST", f"{monitor.path}/rotate-secret")
    assert response.status_code == 201
    assert secret_of(response.get_json()) != first


def test_without_a_webhook_there_is_no_secret(api: Api) -> None:
    monitor = Monitor.made(api)
    response = api.request("POST", f"{monitor.path}/rotate-secret")
    issue = details_of(response, 400)["issue"]
    assert issue == "the monitor has no webhook; name one with PUT"
    error_of(api.request("POST", "/monitors/nobody/rotate-secret"), 404)


def test_what_is_to_be_sent_is_listed_the_newest_first(api: Api) -> None:
    monitor = Monitor.made(api, webhook_url=HOOK)
    monitor.feed(restless(LEARNED))
    assert monitor.get("/deliveries") == {"deliveries": []}
    monitor.feed([170.0] * 3, LEARNED)
    monitor.feed(restless(60, seed=3), LEARNED + 3)
    (event,) = monitor.get("/events")["events"]
    deliveries = monitor.get("/deliveries")["deliveries"]
    assert [one["type"] for one in deliveries] == ["event.closed", "event.opened"]
    for delivery in deliveries:
        assert delivery["event_id"] == event["id"]
        assert delivery["id"].startswith("msg_")
        assert (delivery["state"], delivery["attempts"]) == ("pending", 0)
        assert delivery["last_problem"] is delivery["delivered_at"] is None


def test_nothing_is_to_be_sent_where_there_is_no_webhook(api: Api) -> None:
    monitor = Monitor.made(api)
    monitor.feed([*restless(LEARNED), 170.0, 170.0, 170.0])
    assert monitor.get("/events")["events"]
    assert monitor.get("/deliveries") == {"deliveries": []}


@pytest.mark.usefixtures("api")
def test_a_message_holds_the_event_as_its_endpoint_shows_it(shared_app, api: Api) -> None:
    from sqlalchemy.orm import Session

    from app.core.database import db
    from app.delivery import outbox

    monitor = Monitor.made(api, webhook_url=HOOK)
    monitor.feed([*restless(LEARNED), 170.0, 170.0, 170.0])
    (event,) = monitor.get("/events")["events"]
    with shared_app.app_context(), Session(db.engine) as session:
        (payload,) = [
            json.loads(one.payload)
            for one in session.query(outbox.WebhookDelivery)
            if f'"{monitor.name}"' in one.payload
        ]
    assert payload["type"] == "event.opened"
    assert payload["data"]["monitor"] == monitor.name
    assert payload["data"]["account"] == "tests"
    shown = {name: payload["data"]["event"][name] for name in ("id", "kind", "start")}
    assert shown == {name: event[name] for name in ("id", "kind", "start")}
    assert event["start"] == timestamp(LEARNED)
    assert set(payload["data"]["event"]) == set(event)
