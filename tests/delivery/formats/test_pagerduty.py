"""PagerDuty gets a trigger and a resolve with the same key, in the form of its Events API v2."""

import json
from dataclasses import replace
from typing import Any

import pytest

from app.delivery.formats import pagerduty
from app.delivery.formats.types import MessageRequest
from tests.delivery.sending import message_to

KEY = "R01234567890123456789012345678901"[:32]
ADDRESS = "https://events.pagerduty.com/v2/enqueue"
URL = f"{ADDRESS}?routing_key={KEY}"
LINK = "https://forecast.example.com/account/monitors/cpu"
EVENT = {
    "id": 7,
    "kind": "spike",
    "severity": 80.0,
    "start": "2026-05-06T12:00:00",
    "opened_at": "2026-05-06T12:00:01Z",
}


def render(message_type: str, data: dict[str, Any]) -> Any:
    content = {"type": message_type, "timestamp": "2026-05-06T12:00:02Z", "data": data}
    message = replace(message_to(URL), payload=json.dumps(content), text=f"cpu: spike\n{LINK}")
    request: MessageRequest = pagerduty.render(message)
    assert (request.url, request.headers) == (ADDRESS, ())
    return json.loads(request.body)


def data_of(**changes: Any) -> dict[str, Any]:
    return {"monitor": "cpu", "account": "acme", "event": EVENT | changes}


def test_an_opened_event_triggers_an_alert() -> None:
    data = data_of()
    assert render("event.opened", data) == {
        "routing_key": KEY,
        "event_action": "trigger",
        "dedup_key": "acme/cpu/7/2026-05-06T12:00:01Z",
        "payload": {
            "summary": "cpu: spike",
            "source": "cpu",
            "severity": "critical",
            "timestamp": "2026-05-06T12:00:01Z",
            "class": "spike",
            "custom_details": data,
        },
        "links": [{"href": LINK, "text": "The monitor"}],
    }


def test_a_closed_event_resolves_the_alert_of_the_opened_one() -> None:
    opened = render("event.opened", data_of())
    closed = render("event.closed", data_of(severity=90.0, closed_at="2026-05-06T13:00:00Z"))
    assert closed == {
        "routing_key": KEY,
        "event_action": "resolve",
        "dedup_key": opened["dedup_key"],
    }
    another = render("event.opened", data_of(id=8))
    assert another["dedup_key"] != opened["dedup_key"]


def test_a_weaker_event_is_a_warning() -> None:
    assert render("event.opened", data_of(severity=74.9))["payload"]["severity"] == "warning"


def test_a_test_message_is_an_alert_of_no_urgency() -> None:
    body = render("webhook.test", {"webhook": "ops"})
    assert (body["event_action"], body["dedup_key"]) == ("trigger", "ops/webhook.test")
    assert body["payload"] | {"source": "ops", "severity": "info"} == body["payload"]


def test_the_longest_names_keep_the_key_of_an_alert_within_its_bound() -> None:
    data = data_of(id=2**63) | {"monitor": "m" * 100, "account": "a" * 100}
    assert len(render("event.opened", data)["dedup_key"]) <= 255


@pytest.mark.parametrize(
    ("url", "is_good"),
    [
        (f"{ADDRESS}?routing_key={KEY}", True),
        (f"https://events.eu.pagerduty.com/v2/enqueue?routing_key={KEY}", True),
        (ADDRESS, False),
        (f"{ADDRESS}?routing_key=", False),
        (f"{ADDRESS}?routing_key={KEY}x", False),
    ],
)
def test_the_address_has_the_integration_key(url: str, is_good: bool) -> None:
    assert pagerduty.url_problem(url) == (None if is_good else pagerduty.KEY_PROBLEM)
