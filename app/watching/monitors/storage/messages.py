"""The messages to a monitor's webhook about its events."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import select

from app.anomalies.results import CloseReason, Direction, event_name
from app.core.api_keys import redact_stored_names
from app.core.database import iso_string
from app.core.database.engine import read_session
from app.core.database.statements import Transaction
from app.core.record_fields import described_field
from app.core.settings import Settings
from app.core.text import short_number
from app.delivery import outbox
from app.delivery.formats.types import MessageType
from app.delivery.models import DeliveryState
from app.identity.accounts.models import Account
from app.timeseries.words import truncate
from app.watching.feeds import Feed, find_feed
from app.watching.monitors.judging.event_ledger import EventLedger
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.settings.monitor_records import (
    LIMIT_KINDS,
    EventRecord,
    MonitorCloseReason,
    MonitorEventKind,
)
from app.watching.monitors.storage.row_conversion import MONITOR_WEBHOOKS, POINTS, StoredMonitor

MAX_DELIVERIES = 100
SUBJECT_PREFIX = "monitor:"
_MAX_TITLE_LENGTH = 300
_CLOSE_REASON_TEXTS: dict[str | None, str] = {
    CloseReason.NEW_LEVEL: "the new level is normal now",
    MonitorCloseReason.ABSENT: "the series is no longer returned",
    MonitorCloseReason.REACHED: "the limit is reached",
}


@dataclass(frozen=True, kw_only=True)
class DeliveryRecord:
    """A message about an event, sent or to be sent to the monitor's webhook."""

    id: str = described_field("The `webhook-id` header of every attempt.")
    event_id: int = described_field()
    type: str = described_field("What the message reports.", enum=[*MessageType])
    state: DeliveryState = described_field("`failed`: given up after 24 hours.")
    attempts: int = described_field(minimum=0)
    last_problem: str | None = described_field(
        "Why the last attempt failed; null if none has failed."
    )
    created_at: dt.datetime = described_field("When the message was created.")
    next_attempt_at: dt.datetime | None = described_field(
        "When the next attempt is due; null if there is none."
    )
    delivered_at: dt.datetime | None = described_field("When the receiver accepted it.")
    failed_at: dt.datetime | None = described_field("When the service gave up.")


def list_deliveries(monitor_id: int) -> list[DeliveryRecord]:
    """Return the newest `MAX_DELIVERIES` messages about a monitor."""
    with read_session() as session:
        newest = outbox.newest_deliveries(session, monitor_subject(monitor_id), MAX_DELIVERIES)
        return [
            DeliveryRecord(
                id=delivery.message_id,
                event_id=json.loads(delivery.payload)["data"]["event"]["id"],
                type=delivery.type,
                state=delivery.state,
                attempts=delivery.attempts,
                last_problem=delivery.last_problem,
                created_at=delivery.created_at,
                next_attempt_at=delivery.next_attempt_at,
                delivered_at=delivery.delivered_at,
                failed_at=delivery.failed_at,
            )
            for delivery in newest
        ]


def monitor_subject(monitor_id: int) -> str:
    return f"{SUBJECT_PREFIX}{monitor_id}"


def add_messages(
    writes: Transaction,
    stored: StoredMonitor,
    ledger: EventLedger,
    grid: MonitorGrid,
    service_settings: Settings,
) -> None:
    if not ledger.messages:
        return
    query = (
        select(MONITOR_WEBHOOKS.c.webhook_id.label("id"), Account.name.label("account"))
        .join(Account, Account.id == stored.account_id)
        .where(MONITOR_WEBHOOKS.c.monitor_id == stored.id)
    )
    webhooks = writes.execute(query)
    if not webhooks:
        return
    feed = find_feed(writes, stored.id) if stored.fed_by else None
    name = redact_stored_names(stored.name)
    link = monitor_link(service_settings, name)
    for message in ledger.messages:
        event = message.event.to_record(grid)
        value, expected = _peak_values(writes, stored.id, message.event.peak_index)
        limit = limit_value(stored.settings.limit, event.direction)
        data = {
            "monitor": name,
            "account": redact_stored_names(webhooks[0].account),
            "source": feed and feed.source,
            "query": feed and feed.query,
            "labels": feed and feed.labels,
            "event": event_body(event),
            "value": value,
            "expected": expected,
            "state": message.state,
        } | ({"limit": limit} if event.kind in LIMIT_KINDS else {})
        summary = event_summary(message.type, event, value, expected, limit)
        text = f"{monitor_title(name, feed)}: {summary}" + (f"\n{link}" if link else "")
        subject = monitor_subject(stored.id)
        for webhook in webhooks:
            writes.execute(
                outbox.message_insert(webhook.id, message.type, data, text, ledger.now, subject)
            )


def _peak_values(writes: Transaction, monitor_id: int, index: int) -> Sequence[float | None]:
    """Return the value and its expectation at an index; None if no point is stored."""
    is_peak = (POINTS.c.monitor_id == monitor_id) & (POINTS.c.index == index)
    rows = writes.execute(select(*POINTS.c["value", "expected"]).where(is_peak))
    return rows[0] if rows else (None, None)


def monitor_title(name: str, feed: Feed | None) -> str:
    """Return the name of a monitor, or of its series: on one line, without markup of chats.

    The labels of a series are untrusted.
    """
    if feed is None:
        return name
    line = " ".join(feed.title.split()).translate({ord("<"): "‹", ord(">"): "›"})
    return truncate(line, _MAX_TITLE_LENGTH)


def event_summary(
    message_type: str,
    event: EventRecord,
    value: float | None,
    expected: float | None,
    limit: float | None,
) -> str:
    """Describe an event, without the monitor: ``spike since …: 560 instead of …``.

    ``value`` and ``expected`` are those at its peak; None if they are unknown. ``limit`` is the one
    on its side, None without one, and only counts if the event is about it.
    """
    is_about_limit = event.kind in LIMIT_KINDS
    if event.kind == MonitorEventKind.OVERDUE and message_type == MessageType.OPENED:
        return f"overdue, no point since {event.start}"
    if is_about_limit and message_type == MessageType.OPENED:
        return _limit_summary(event, value, limit)
    name = event_name(event.kind, event.direction)
    peak = ""
    if is_about_limit:  # what the point was expected to be says nothing about it
        name += f", {_limit_side(event, limit)}"
    elif value is not None and expected is not None:
        peak = f"{short_number(value)} instead of {short_number(expected)}"
    if message_type == MessageType.CLOSED:
        close_reason = _CLOSE_REASON_TEXTS.get(event.closed_as, "ended")
        peak_text = f"; peak {peak}" if peak else ""
        return f"{name} from {event.start} to {event.end}: {close_reason}{peak_text}"
    peak_text = f": {peak}" if peak else ""
    return f"{name} since {event.start}{peak_text}, severity {event.severity:g}"


def _limit_summary(event: EventRecord, value: float | None, limit: float | None) -> str:
    side = _limit_side(event, limit)
    if event.kind == MonitorEventKind.LIMIT_REACHED:
        value_text = "the value" if value is None else short_number(value)
        return f"{value_text} is {side} since {event.start}"
    probability = f"probability {event.severity:.0f} %"
    return f"expected {side} from {event.reached_at}, {probability}"


def _limit_side(event: EventRecord, limit: float | None) -> str:
    side = "above" if event.direction == Direction.UP else "below"
    return f"{side} the limit" + ("" if limit is None else f" {short_number(limit)}")


def limit_value(limit: Limit | None, direction: str | None) -> float | None:
    """Return the limit on the side ``direction``, None if there is none."""
    if limit is None:
        return None
    return limit.upper if direction == Direction.UP else limit.lower


def monitor_link(settings: Settings, monitor: str | None) -> str | None:
    """Return the URL of a monitor's page, or of their list.

    None without ``PUBLIC_URL``, and without the dashboard.
    """
    if not settings.public_url or not settings.account_dashboard:
        return None
    return f"{settings.public_url}/account/monitors" + (f"/{quote(monitor)}" if monitor else "")


def event_body(event: EventRecord) -> dict[str, Any]:
    """Return the event in the form of messages and the events endpoint."""
    return asdict(event) | {
        "opened_at": iso_string(event.opened_at),
        "closed_at": None if event.closed_at is None else iso_string(event.closed_at),
    }
