"""The request body of /webhooks, and the responses with a secret or a test message."""

import functools
from typing import Any

from marshmallow import Schema, ValidationError, validates_schema

from app.api.endpoints.record_schemas import request_fields
from app.api.errors.api_error import ApiError
from app.api.errors.validation import field_error
from app.api.requests.strict_schema import StrictSchema
from app.api.requests.urls import UrlField
from app.api.responses.fields import string_field
from app.delivery.formats import FORMATS
from app.delivery.models import TEST_MESSAGE_TYPE
from app.delivery.webhook_records import WEBHOOK_URLS, WebhookRecord

WebhookUrlField = functools.partial(
    UrlField, WEBHOOK_URLS, lambda settings: settings.webhook_allowed_networks
)


def no_webhook_error(schema: Schema, name: str) -> ApiError:
    """Return the error for a field ``webhook`` of ``schema`` that names none of the account's."""
    issue = (
        f"the account has no webhook {name!r}: create it with PUT /webhooks/{name}, or send a name "
        "that GET /webhooks lists"
    )
    return field_error(schema, "webhook", issue, name, may_be_data=False)


class WebhookRequestSchema(StrictSchema):
    class Meta(StrictSchema.Meta):
        include = request_fields(WebhookRecord, "url", "format", url=WebhookUrlField)

    @validates_schema
    def check_address(self, data: dict[str, Any], **_kwargs: Any) -> None:
        problem = FORMATS[data["format"]].url_problem(data["url"])
        if problem is not None:
            raise ValidationError({"url": [problem]})


class NewSecretSchema(Schema):
    secret = string_field("The new secret. The old one also signs for another 24 hours.")


class TestMessageSchema(Schema):
    id = string_field("The `webhook-id` header of every attempt in the format `standard`.")
    type = string_field(const=TEST_MESSAGE_TYPE)
