"""Rows of webhooks, deliveries and monitors, for tests without a detector."""

import datetime as dt
from collections.abc import Sequence

from flask import Flask
from sqlalchemy import Engine, insert, select, update
from sqlalchemy.orm import Session

from app.core.database import db
from app.delivery import delivery_queue, outbox
from app.delivery.formats import DEFAULT_FORMAT
from app.delivery.models import Webhook, WebhookDelivery
from app.delivery.webhook_secrets import new_secret
from app.identity.accounts.models import Account
from app.watching.models.monitors import MonitorEvent, MonitorRow, MonitorState

NOON = dt.datetime(2026, 5, 6, 12, tzinfo=dt.UTC)
DATA = {"monitor": "cpu"}
TEXT = "cpu: spike"
PAYLOAD = '{"type":"event.opened","timestamp":"2026-05-06T12:00:00Z","data":{"monitor":"cpu"}}'


def engine_of(app: Flask) -> Engine:
    with app.app_context():
        return db.engine


def add_webhook(engine: Engine, url: str, **columns: object) -> int:
    """Add a webhook of the default account with these columns; return its id."""
    values = {
        "account_id": 1,
        "name": f"webhook-{new_secret()[-12:]}",
        "url": url,
        "format": DEFAULT_FORMAT,
        "secret": new_secret(),
        "is_managed": False,
        **columns,
    }
    with engine.begin() as connection:
        webhook_id: int = connection.scalar(insert(Webhook).values(values).returning(Webhook.id))
        return webhook_id


def add_monitor(engine: Engine, state: dict[str, object] | None = None, **columns: object) -> int:
    """Add a monitor of the default account with these columns and its state; return its id."""
    values = {
        "account_id": 1,
        "name": f"monitor-{new_secret()[-12:]}",
        "data_frequency": "Minutes",
        "step": 1,
        "false_alarm_rate": 0.001,
        "direction": "both",
        **columns,
    }
    with engine.begin() as connection:
        adding = insert(MonitorRow).values(values).returning(MonitorRow.id)
        monitor_id: int = connection.scalar(adding)
        connection.execute(insert(MonitorState).values(monitor_id=monitor_id, **(state or {})))
        return monitor_id


def add_event(engine: Engine, monitor_id: int, number: int, **columns: object) -> None:
    """Add an open spike."""
    values = {
        "monitor_id": monitor_id,
        "id": number,
        "revision": number,
        "kind": "spike",
        "direction": "up",
        "start_index": 0,
        "peak_index": 0,
        "severity": 60,
        "opened_at": NOON,
        **columns,
    }
    with engine.begin() as connection:
        connection.execute(insert(MonitorEvent).values(values))


def add_delivery(
    engine: Engine,
    webhook_id: int,
    now: dt.datetime = NOON,
    message_type: str = "event.opened",
    subject: str = "",
) -> int:
    """Add a message for the webhook, due immediately; return its id."""
    with engine.begin() as connection:
        insert_message = outbox.message_insert(webhook_id, message_type, DATA, TEXT, now, subject)
        connection.execute(insert_message)
        ids = select(WebhookDelivery.id).order_by(WebhookDelivery.id.desc())
        return connection.scalars(ids).first()


def suspend_default(engine: Engine, suspended_at: dt.datetime | None = NOON) -> None:
    """Suspend the default account; None: resume it."""
    with engine.begin() as connection:
        connection.execute(update(Account).values(suspended_at=suspended_at))


def change(engine: Engine, delivery_id: int, **columns: object) -> None:
    with engine.begin() as connection:
        connection.execute(
            update(WebhookDelivery).where(WebhookDelivery.id == delivery_id).values(**columns)
        )


def stored_deliveries(engine: Engine) -> Sequence[WebhookDelivery]:
    """Return all deliveries, the oldest first."""
    with Session(engine, expire_on_commit=False) as session:
        return session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.id)).all()


def due_ids(engine: Engine, now: dt.datetime) -> list[int]:
    """Return the webhooks with due messages."""
    due, after = delivery_queue.find_due_webhooks(engine, now)
    assert after is None
    return [webhook.id for webhook in due]
