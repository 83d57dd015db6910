"""The messages to a monitor's webhook about its events."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import select

from app.accounts.models import Account
from app.accounts.secrets import hide_keys
from app.anomalies.results import SEVERITY_DECIMALS
from app.anomalies.streaming.verdict import Closing
from app.database import iso_string
from app.database.statements import Transaction
from app.monitors.events import Ledger
from app.monitors.grid import MonitorGrid
from app.monitors.records import ABSENT, OVERDUE, EventRecord, MessageType
from app.monitors.tables import MONITOR_WEBHOOKS, Stored
from app.webhooks import outbox

SUBJECT = "monitor:"
CLOSINGS = {
    Closing.NEW_LEVEL: "the new level is normal now",
    ABSENT: "the series is no longer returned",
}


def subject_of(monitor_id: int) -> str:
    """Return the subject of the messages about a monitor."""
    return f"{SUBJECT}{monitor_id}"


def add_messages(writes: Transaction, stored: Stored, ledger: Ledger, grid: MonitorGrid) -> None:
    """Write the messages about events in the transaction that writes the events."""
    if not ledger.messages:
        return
    query = (
        select(MONITOR_WEBHOOKS.c.webhook_id, Account.name)
        .join(Account, Account.id == stored.account_id)
        .where(MONITOR_WEBHOOKS.c.monitor_id == stored.id)
    )
    for webhook_id, account in writes.execute(query):
        for message in ledger.messages:
            data = {
                "monitor": hide_keys(stored.name),
                "account": hide_keys(account),
                "event": shown_event(message.event.record(grid)),
                "state": message.state,
            }
            text = text_of(message.type, data)
            subject = subject_of(stored.id)
            writes.execute(
                outbox.message(webhook_id, message.type, data, text, ledger.now, subject)
            )


def text_of(message_type: str, data: dict[str, Any]) -> str:
    """Return the ``data`` of a message in one line."""
    monitor, event = data["monitor"], data["event"]
    kind, start, end = event["kind"].replace("_", " "), event["start"], event["end"]
    if message_type == MessageType.CLOSED:
        closing = CLOSINGS.get(event["closed_as"], "ended")
        return f"{monitor}: {kind} from {start} to {end}: {closing}"
    if event["kind"] == OVERDUE:
        return f"{monitor}: overdue, no point since {start}"
    return f"{monitor}: {kind} since {start}, severity {event['severity']:g}"


def shown_event(event: EventRecord) -> dict[str, Any]:
    """Return the event in the form of messages and the events endpoint."""
    closed_at = None if event.closed_at is None else iso_string(event.closed_at)
    return asdict(event) | {
        "severity": round(event.severity, SEVERITY_DECIMALS),
        "opened_at": iso_string(event.opened_at),
        "closed_at": closed_at,
    }
