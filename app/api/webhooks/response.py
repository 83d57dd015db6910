"""From records of webhooks to response bodies."""

from app.api.declaration import Json
from app.core.database import iso_string
from app.delivery.records import WebhookRecord


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
