"""The request body of /webhooks, and the responses with a secret or a test message."""

from typing import Any

from marshmallow import Schema, ValidationError, validates_schema

from app.api.endpoints.record_schemas import request_fields
from app.api.requests.strict_schema import StrictSchema
from app.api.responses.fields import text_field
from app.api.webhooks.fields import WebhookUrlField
from app.delivery.formats import FORMATS
from app.delivery.models import TEST
from app.delivery.webhook_records import WebhookRecord


class WebhookRequestSchema(StrictSchema):
    class Meta(StrictSchema.Meta):
        include = request_fields(WebhookRecord, "url", "format", url=WebhookUrlField)

    @validates_schema
    def check_address(self, data: dict[str, Any], **_kwargs: Any) -> None:
        problem = FORMATS[data["format"]].url_problem(data["url"])
        if problem is not None:
            raise ValidationError({"url": [problem]})


class NewSecretSchema(Schema):
    secret = text_field("The new secret. The old one also signs for another 24 hours.")


class TestMessageSchema(Schema):
    id = text_field("The `webhook-id` header of every attempt in the format `standard`.")
    type = text_field(const=TEST)
