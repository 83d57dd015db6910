"""Read webhooks, each with its last attempt."""

from typing import Any

from sqlalchemy import Select, select

from app.core.database import db
from app.core.database.engine import read_rows
from app.delivery.models import WebhookDelivery
from app.delivery.webhook_records import LastAttempt, NoSuchWebhookError, WebhookRecord
from app.delivery.webhook_registry import WEBHOOKS

DELIVERIES = WebhookDelivery.__table__


def get_webhook(account_id: int, name: str) -> WebhookRecord:
    """Return a webhook; raise NoSuchWebhookError if the account has none with this name."""
    webhook = next(iter(list_webhooks(account_id, name)), None)
    if webhook is None:
        raise NoSuchWebhookError(name)
    return webhook


def list_webhooks(account_id: int, name: str | None = None) -> list[WebhookRecord]:
    """Return the webhooks of an account, ordered by name; with ``name`` only the one called so."""
    query = _webhooks_query(account_id).order_by(WEBHOOKS.c.name)
    if name is not None:
        query = query.where(WEBHOOKS.c.name == name)
    return [_record(row) for row in read_rows(db.engine, query)]


def _webhooks_query(account_id: int) -> Select[Any]:
    latest = (
        select(DELIVERIES.c.id)
        .where(DELIVERIES.c.webhook_id == WEBHOOKS.c.id, DELIVERIES.c.attempted_at.is_not(None))
        .order_by(DELIVERIES.c.attempted_at.desc(), DELIVERIES.c.id.desc())
        .limit(1)
        .correlate(WEBHOOKS)
        .scalar_subquery()
    )
    attempt_columns = ("message_id", "type", "attempted_at", "last_status", "last_problem")
    return (
        select(*WEBHOOKS.c["name", "url", "format", "created_at"], *DELIVERIES.c[attempt_columns])
        .outerjoin(DELIVERIES, DELIVERIES.c.id == latest)
        .where(WEBHOOKS.c.account_id == account_id)
    )


def _record(row: Any) -> WebhookRecord:
    attempt = None
    if row.attempted_at is not None:
        attempt = LastAttempt(
            row.message_id, row.type, row.attempted_at, row.last_status, row.last_problem
        )
    return WebhookRecord(
        name=row.name,
        url=row.url,
        format=row.format,
        created_at=row.created_at,
        last_attempt=attempt,
    )
