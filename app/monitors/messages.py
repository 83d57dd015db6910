"""The messages to a monitor's webhook about its events."""

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import select

from app.accounts.models import Account
from app.accounts.secrets import hide_keys
from app.anomalies.results import SEVERITY_DECIMALS
from app.database import iso_string
from app.database.statements import Transaction
from app.monitors.events import Ledger
from app.monitors.grid import Grid
from app.monitors.records import EventRecord
from app.monitors.tables import Stored
from app.webhooks import outbox


def add_messages(writes: Transaction, stored: Stored, ledger: Ledger, grid: Grid) -> None:
    """Write the messages about events in the transaction that writes the events."""
    if stored.settings.webhook_url is None or not ledger.messages:
        return
    (account,) = writes.execute(select(Account.name).where(Account.id == stored.account_id))
    for message in ledger.messages:
        event = message.event
        about = {
            "monitor": hide_keys(stored.name),
            "account": hide_keys(account.name),
            "event": shown_event(event.record(grid)),
            "state": message.state,
        }
        body = {"type": message.type, "timestamp": iso_string(ledger.now), "data": about}
        payload = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        writes.execute(outbox.message(stored.id, event.id, message.type, payload, ledger.now))


def shown_event(event: EventRecord) -> dict[str, Any]:
    """Return the event in the form of messages and the events endpoint."""
    closed_at = None if event.closed_at is None else iso_string(event.closed_at)
    return asdict(event) | {
        "severity": round(event.severity, SEVERITY_DECIMALS),
        "opened_at": iso_string(event.opened_at),
        "closed_at": closed_at,
    }
