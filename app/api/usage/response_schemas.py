"""The body of responses of GET /usage."""

from marshmallow import Schema, fields

from app.api.endpoints.record_schemas import moment_field
from app.api.responses.fields import ArrayField, integer_field, text_field
from app.identity.usage.periods import Interval

STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"]


class UsageRowSchema(Schema):
    """Calls of an endpoint with a key in an hour or a day."""

    start = moment_field("When the hour or day begins")
    key_id = integer_field("Of the key.")
    prefix = text_field("First characters of the key.")
    endpoint = text_field("Method and path.", examples=["POST /forecast"])
    status_class = text_field("Of the responses.", enum=STATUS_CLASSES)
    calls = integer_field(minimum=1)


class UsageResponseSchema(Schema):
    """Calls by hour or day; hours or days without calls are left out."""

    since = moment_field("Start of the first hour or day")
    until = moment_field("End of the last hour or day")
    interval = text_field(enum=[*Interval])
    usage = ArrayField(
        fields.Nested(UsageRowSchema), "Ordered by start, key, endpoint and status class."
    )
