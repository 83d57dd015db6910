"""Messages about events, written with them."""

import json
from dataclasses import fields, replace

import pytest
from sqlalchemy import select

from app.core.api_keys import generate_key
from app.core.database import db
from app.delivery.formats.types import MessageType
from app.delivery.models import WebhookDelivery
from app.watching.feeds import Feed
from app.watching.monitors.settings.monitor_records import EventRecord
from app.watching.monitors.storage.messages import event_summary, monitor_title
from tests.support.settings import change_settings
from tests.support.watching import open_overdue_events
from tests.watching.monitors.feeding import events, history, make, points, put_webhook, send, waves

KNOWN = {"kind": "dip", "direction": "down", "start": "S", "severity": 99.0}
OPEN_EVENT = EventRecord(**dict.fromkeys(field.name for field in fields(EventRecord)) | KNOWN)


def messages():
    with db.engine.connect() as connection:
        query = select(WebhookDelivery.__table__).order_by(WebhookDelivery.id)
        return connection.execute(query).all()


def test_a_monitor_without_url_sends_nothing() -> None:
    make(history=history(480))
    assert send([0], [60.0]).events
    assert messages() == []


def test_an_event_sends_a_message_when_it_opens_and_when_it_closes(now) -> None:
    make(history=history(480), webhook=put_webhook())
    (event,) = send([0], [60.0]).events
    (opened,) = messages()
    assert (opened.type, opened.next_attempt_at) == ("event.opened", now.at)
    (point,) = [point for point in points() if point.is_anomaly]
    peak = f"60 instead of {point.expected:.6g}"
    assert (
        opened.text
        == f"cpu: spike since 2026-05-01T00:00:00Z: {peak}, severity {point.severity:.3g}"
    )
    assert point.severity > 99
    body = json.loads(opened.payload)
    assert (body["data"]["value"], body["data"]["expected"]) == (60.0, point.expected)
    assert [body["data"][name] for name in ("source", "query", "labels")] == [None] * 3
    assert body["data"]["event"]["id"] == event.id
    assert (body["type"], body["timestamp"]) == ("event.opened", "2026-05-01T12:00:00Z")
    assert body["data"]["monitor"] == "cpu"
    assert body["data"]["account"] == "default"
    assert body["data"]["state"] == "anomalous"
    assert body["data"]["event"]["start"] == "2026-05-01T00:00:00Z"
    send(range(1, 20), waves(20)[1:])
    _, closed = messages()
    changed = json.loads(closed.payload)
    assert closed.type == "event.closed"
    ended = "from 2026-05-01T00:00:00Z to 2026-05-01T00:00:00Z: ended"
    assert closed.text == f"cpu: spike {ended}; peak {peak}"
    assert changed["data"]["event"]["id"] == event.id
    assert changed["data"]["event"]["closed_as"] == "ended"
    assert changed["data"]["state"] == "normal"


def test_large_numbers_of_a_message_are_written_in_full_as_on_the_page() -> None:
    values = 3.99861e10, 77_200_000.0, 1e10
    text = event_summary(MessageType.OPENED, OPEN_EVENT, *values)
    assert text == "dip since S: 39,986,100,000 instead of 77,200,000, severity 99"
    ahead = replace(OPEN_EVENT, kind="limit_ahead", reached_at="R")
    summary = event_summary(MessageType.OPENED, ahead, *values)
    assert summary == "expected below the limit 10,000,000,000 from R, probability 99 %"


@pytest.mark.parametrize("expected", [None, 7.0])
def test_a_closing_message_about_a_limit_names_it_whatever_the_value_was_expected_to_be(
    expected: float | None,
) -> None:
    event = replace(OPEN_EVENT, kind="limit_reached", direction="up", end="E", closed_as="ended")
    summary = event_summary(MessageType.CLOSED, event, 96.0, expected, 95.0)
    assert summary == "limit reached, above the limit 95 from S to E: ended"


def test_a_message_redacts_a_key_in_the_name_of_an_old_monitor() -> None:
    name = generate_key()
    make(name, history=history(480), webhook=put_webhook())
    send([0], [60.0], name)
    (opened,) = messages()
    assert json.loads(opened.payload)["data"]["monitor"] == f"{name[:11]}…"


@pytest.mark.parametrize(
    ("has_dashboard", "links"),
    [(True, ["https://forecast.example.com/account/monitors/cpu"]), (False, [])],
)
def test_a_message_leads_to_the_page_of_the_monitor_if_it_has_one(app, has_dashboard, links):
    url = "https://forecast.example.com"
    change_settings(app, public_url=url, account_dashboard=has_dashboard)
    make(history=history(480), webhook=put_webhook())
    send([0], [60.0])
    (opened,) = messages()
    assert opened.text.splitlines()[1:] == links


def test_labels_are_escaped_and_cut_in_chats() -> None:
    title = monitor_title("load.x", Feed("prod", "load", {"path": "<!channel>\n*x*"}))
    assert title == "load: path=‹!channel› *x*"
    assert len(monitor_title("load.x", Feed("prod", "load", {"path": "x" * 4_000}))) == 300


def test_texts_of_events_have_directions_and_no_unknown_peak() -> None:
    event = replace(OPEN_EVENT, kind="level_shift", severity=70.0)
    summary = event_summary(MessageType.OPENED, event, None, None, None)
    assert summary == "level shift down since S, severity 70"


def test_an_event_within_one_append_sends_two_messages() -> None:
    make(history=history(480), webhook=put_webhook())
    send(range(20), [60.0, *waves(20)[1:]])
    assert [message.type for message in messages()] == ["event.opened", "event.closed"]
    assert len({message.message_id for message in messages()}) == 2


def test_overdue_points_send_a_message_too(now) -> None:
    make(webhook=put_webhook())
    send([11], [1.0])
    now.move(hours=9)
    open_overdue_events()
    (message,) = messages()
    body = json.loads(message.payload)["data"]
    assert (body["event"]["kind"], body["state"]) == ("overdue", "overdue")
    assert body["event"]["id"] == events()[0].id
    assert message.text == "cpu: overdue, no point since 2026-05-01T12:00:00Z"
