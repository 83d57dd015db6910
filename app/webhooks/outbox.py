"""The outbox: messages are written in the transaction of their event."""

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import Insert, insert, select
from sqlalchemy.orm import Session

from app.webhooks.models import WebhookDelivery
from app.webhooks.secrets import new_message_id


def message(
    monitor_id: int, event_id: int, message_type: str, payload: str, now: dt.datetime
) -> Insert:
    """Return the statement that writes a message, due immediately.

    Args:
        monitor_id: The monitor whose ``webhook_url`` gets the message.
        event_id: The event that it is about, whose transaction runs the statement.
        message_type: ``event.opened`` or ``event.closed``.
        payload: The complete JSON body, sent unchanged.
        now: The current time, timezone-aware.
    """
    return insert(WebhookDelivery).values(
        monitor_id=monitor_id,
        event_id=event_id,
        message_id=new_message_id(),
        type=message_type,
        payload=payload,
        created_at=now,
        next_attempt_at=now,
        attempts=0,
    )


def newest(session: Session, monitor_id: int, limit: int) -> Sequence[WebhookDelivery]:
    """Return the newest deliveries of a monitor, newest first."""
    of_monitor = select(WebhookDelivery).where(WebhookDelivery.monitor_id == monitor_id)
    return session.scalars(of_monitor.order_by(WebhookDelivery.id.desc()).limit(limit)).all()
