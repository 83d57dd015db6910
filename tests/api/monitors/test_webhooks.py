"""The webhook of a monitor over HTTP, and the messages to it."""

import json

import pytest

from tests.support.api import Api
from tests.support.monitors import LEARNED, Monitor, noise_at_100, timestamp


def test_pending_deliveries_are_listed_the_newest_first(api: Api) -> None:
    monitor = Monitor.create_with_webhook(api)
    monitor.append(noise_at_100(LEARNED))
    assert monitor.get("/deliveries") == {"deliveries": []}
    monitor.append([170.0] * 3, LEARNED)
    monitor.append(noise_at_100(60, seed=3), LEARNED + 3)
    (event,) = monitor.get("/events")["events"]
    deliveries = monitor.get("/deliveries")["deliveries"]
    assert [delivery["type"] for delivery in deliveries] == ["event.closed", "event.opened"]
    for delivery in deliveries:
        assert delivery["event_id"] == event["id"]
        assert delivery["id"].startswith("msg_")
        assert (delivery["state"], delivery["attempts"]) == ("pending", 0)
        assert delivery["last_problem"] is delivery["delivered_at"] is None


@pytest.mark.usefixtures("api")
def test_a_message_holds_the_event_as_its_endpoint_shows_it(shared_app, api: Api) -> None:
    from sqlalchemy.orm import Session

    from app.core.database import db
    from app.delivery import outbox

    monitor = Monitor.create_with_webhook(api)
    monitor.append([*noise_at_100(LEARNED), 170.0, 170.0, 170.0])
    (event,) = monitor.get("/events")["events"]
    with shared_app.app_context(), Session(db.engine) as session:
        (payload,) = [
            json.loads(delivery.payload)
            for delivery in session.query(outbox.WebhookDelivery)
            if f'"{monitor.name}"' in delivery.payload
        ]
    assert payload["type"] == "event.opened"
    assert payload["data"]["monitor"] == monitor.name
    assert payload["data"]["account"] == "tests"
    shown = {name: payload["data"]["event"][name] for name in ("id", "kind", "start")}
    assert shown == {name: event[name] for name in ("id", "kind", "start")}
    assert event["start"] == timestamp(LEARNED)
    assert set(payload["data"]["event"]) == set(event)
