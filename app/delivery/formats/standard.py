"""Signed JSON: https://www.standardwebhooks.com."""

from standardwebhooks import Webhook

from app.core.database import utcnow
from app.delivery.formats.types import Message, MessageFormat, MessageRequest


def render(message: Message) -> MessageRequest:
    """Sign the message with each secret; raise ValueError if there is none."""
    if not message.secrets:
        raise ValueError("a signed message needs a secret")
    now = utcnow()
    signatures = [
        Webhook(secret).sign(message.message_id, now, message.payload) for secret in message.secrets
    ]
    headers = (
        ("webhook-id", message.message_id),
        ("webhook-timestamp", str(int(now.timestamp()))),
        ("webhook-signature", " ".join(signatures)),
    )
    return MessageRequest(message.url, message.payload, headers)


FORMAT = MessageFormat(
    label="Signed JSON (Standard Webhooks)",
    description="signed JSON, as [Standard Webhooks](https://www.standardwebhooks.com)",
    render=render,
    is_signed=True,
)
