"""From records of webhooks and deliveries to response bodies."""

import datetime as dt

from app.api.declaration import Json
from app.database import iso_string
from app.webhooks.models import WebhookDelivery
from app.webhooks.records import WebhookRecord


def webhook_body(webhook: WebhookRecord) -> Json:
    """Return a webhook in the form of its endpoints."""
    last = webhook.last_attempt
    return {
        "name": webhook.name,
        "url": webhook.url,
        "format": webhook.format,
        "created_at": iso_string(webhook.created_at),
        "last_attempt": last
        and {
            "id": last.message_id,
            "type": last.type,
            "at": iso_string(last.at),
            "status": last.status,
            "error": last.problem,
        },
    }


def delivery_body(delivery: WebhookDelivery) -> Json:
    """Return a message in the form of its endpoints."""
    return {
        "id": delivery.message_id,
        "type": delivery.type,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "last_problem": delivery.last_problem,
        "created_at": _moment(delivery.created_at),
        "next_attempt_at": _moment(delivery.next_attempt_at),
        "delivered_at": _moment(delivery.delivered_at),
        "failed_at": _moment(delivery.failed_at),
    }


def _moment(at: dt.datetime | None) -> str | None:
    return None if at is None else iso_string(at)
