"""The response bodies of /webhooks."""

from marshmallow import Schema, fields

from app.api.declaration import Json
from app.api.names import NAME_METADATA
from app.api.webhooks.schemas import FORMAT_METADATA
from app.delivery.models import TEST
from app.watching.monitors.records import MessageType

TYPES = [*MessageType, TEST]
MESSAGE_ID = "The `webhook-id` header of every attempt in the format `standard`."


def _moment(description: str) -> fields.String:
    """Return a field for a time of the service's clock."""
    metadata = {"description": f"{description}. In UTC.", "format": "date-time"}
    return fields.String(required=True, metadata=metadata)


def _type() -> fields.String:
    metadata: Json = {"enum": TYPES, "description": "What the message reports."}
    return fields.String(required=True, metadata=metadata)


def _id() -> fields.String:
    return fields.String(required=True, metadata={"description": MESSAGE_ID})


class LastAttemptSchema(Schema):
    """The last attempt to send a message to a webhook."""

    id = _id()
    type = _type()
    at = _moment("When it ended")
    status = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "HTTP status of the response; null without a response."},
    )
    error = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why it failed; null if the receiver accepted the message."},
    )


class WebhookSchema(Schema):
    """A receiver of messages."""

    name = fields.String(required=True, metadata=NAME_METADATA)
    url = fields.String(required=True)
    format = fields.String(required=True, metadata=FORMAT_METADATA)
    created_at = _moment("When it was created")
    last_attempt = fields.Nested(
        LastAttemptSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Null if no message was sent in the last week."},
    )


class PutWebhookSchema(WebhookSchema):
    """A webhook, with its secret if that is new."""

    secret = fields.String(
        metadata={
            "description": "Secret that signs its messages; only shown when new: in the format "
            "`standard` for the first URL, and for one with another host.",
            "examples": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        }
    )


class WebhooksSchema(Schema):
    """The webhooks of the account."""

    webhooks = fields.List(
        fields.Nested(WebhookSchema), required=True, metadata={"description": "Ordered by name."}
    )


class NewSecretSchema(Schema):
    """A new secret."""

    secret = fields.String(
        required=True,
        metadata={"description": "The new secret. The old one also signs for another 24 hours."},
    )


class TestMessageSchema(Schema):
    """A test message that is to be sent."""

    id = _id()
    type = fields.String(required=True, metadata={"const": TEST})
