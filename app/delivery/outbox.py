"""The outbox: a message is written in the transaction of its event."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Insert, delete, insert, select
from sqlalchemy.orm import Session

from app.core.database import iso_string, utcnow
from app.delivery import webhook_registry
from app.delivery.formats.types import to_json
from app.delivery.models import TEST_MESSAGE_TYPE, WebhookDelivery
from app.delivery.webhook_secrets import new_message_id

_TEST_TEXT = "{name}: a test message; this webhook works"


def message_insert(
    webhook_id: int,
    message_type: str,
    data: dict[str, Any],
    text: str,
    now: dt.datetime,
    subject: str = "",
) -> Insert:
    """Return the statement that inserts a message, due immediately.

    Run it in the transaction that writes the event itself: both are committed, or neither.

    ``data`` is the data of its body in the format ``standard``, ``text`` the same for people.
    ``subject`` identifies what the message is about, such as ``monitor:7``.
    """
    return insert(WebhookDelivery).values(
        webhook_id=webhook_id,
        subject=subject,
        message_id=new_message_id(),
        type=message_type,
        payload=to_json({"type": message_type, "timestamp": iso_string(now), "data": data}),
        text=text,
        created_at=now,
        next_attempt_at=now,
        attempts=0,
    )


def send_test(connection: Connection, account_id: int, name: str) -> str:
    """Write a test message to a webhook, which is tried once; return its id.

    Raise NoSuchWebhookError if the account has no webhook of this name.
    """
    row = webhook_registry.lock_webhook(connection, account_id, name)
    text = _TEST_TEXT.format(name=row.name)
    insert_test = message_insert(row.id, TEST_MESSAGE_TYPE, {"webhook": row.name}, text, utcnow())
    return str(connection.scalars(insert_test.returning(WebhookDelivery.message_id)).one())


def newest_deliveries(session: Session, subject: str, limit: int) -> Sequence[WebhookDelivery]:
    query = select(WebhookDelivery).where(WebhookDelivery.subject == subject)
    return session.scalars(query.order_by(WebhookDelivery.id.desc()).limit(limit)).all()


def delete_messages(connection: Connection, subject: str) -> None:
    """Delete all messages about ``subject``, sent or pending."""
    connection.execute(delete(WebhookDelivery).where(WebhookDelivery.subject == subject))
