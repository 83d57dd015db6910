"""Messages in the database: written in the transaction of their event, read by their account."""

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import Connection, insert, select
from sqlalchemy.orm import Session

from app.database.statements import Transaction
from app.webhooks.models import WebhookDelivery
from app.webhooks.secrets import new_message_id


def add(
    transaction: Connection | Session | Transaction,
    monitor_id: int,
    event_id: int,
    message_type: str,
    payload: str,
    now: dt.datetime,
) -> None:
    """Write a message, due at once, as a part of ``transaction``.

    Args:
        transaction: What writes the event: both are there, or neither.
        monitor_id: Whose ``webhook_url`` the message goes to.
        event_id: The event that it is about.
        message_type: ``event.opened`` or ``event.closed``.
        payload: The body, complete: JSON, sent as it is.
        now: The moment of the event's writing, aware.
    """
    transaction.execute(
        insert(WebhookDelivery).values(
            monitor_id=monitor_id,
            event_id=event_id,
            message_id=new_message_id(),
            type=message_type,
            payload=payload,
            created_at=now,
            next_attempt_at=now,
            attempts=0,
        )
    )


def newest(session: Session, monitor_id: int, limit: int) -> Sequence[WebhookDelivery]:
    """Return the newest deliveries of a monitor, the newest first."""
    of_monitor = select(WebhookDelivery).where(WebhookDelivery.monitor_id == monitor_id)
    return session.scalars(of_monitor.order_by(WebhookDelivery.id.desc()).limit(limit)).all()
