"""The resource of webhooks, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response
from marshmallow import fields

from app.api.endpoints.endpoint import Tag
from app.api.endpoints.record_schemas import response_schema
from app.api.errors.api_error import ApiError
from app.api.serving.error_response import error_response
from app.api.serving.resource import PathName, Resource, names_schema
from app.delivery.formats.types import MessageType
from app.delivery.models import TEST_MESSAGE_TYPE
from app.delivery.webhook_records import (
    LastAttempt,
    NoSecretError,
    NoSuchWebhookError,
    WebhookRecord,
)

WEBHOOK_NAME = PathName("name", "webhook", "ops", NoSuchWebhookError)
_ATTEMPT = response_schema(LastAttempt, type={"enum": [*MessageType, TEST_MESSAGE_TYPE]})
_SECRET = fields.String(
    metadata={
        "description": "Secret that signs its messages; only shown when new: in the format "
        "`standard` for the first URL, and for one with another host.",
        "examples": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    }
)

blueprint = Blueprint("webhooks", __name__)
WEBHOOK_RESOURCE = Resource(
    blueprint,
    Tag("Webhooks", "Receivers of messages: services of your own, and chats."),
    noun="webhook",
    path="/webhooks/<name>",
    collection="/webhooks",
    schema=response_schema(WebhookRecord, last_attempt=_ATTEMPT),
    variables=names_schema(WEBHOOK_NAME),
    new_variables=names_schema(WEBHOOK_NAME, is_new=True),
    missing=NoSuchWebhookError,
)
PutWebhookSchema = response_schema(
    WebhookRecord, "PutWebhook", last_attempt=_ATTEMPT, secret=_SECRET
)


@blueprint.errorhandler(NoSecretError)
def handle_no_secret(error: NoSecretError) -> Response:
    """Return 400: there is nothing to rotate."""
    remedy = "send the format standard with PUT, which returns one"
    issue = f"{error}, so the webhook has no secret; {remedy}"
    return error_response(ApiError(400, "There is no secret", issue))
