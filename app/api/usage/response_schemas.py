"""The body of responses of GET /usage."""

from marshmallow import Schema, fields

from app.api.endpoints.record_schemas import moment_field
from app.api.requests.fields import ArrayField
from app.identity.usage.periods import Interval

STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"]


class UsageRowSchema(Schema):
    """Calls of an endpoint with a key in an hour or a day."""

    start = moment_field("When the hour or day begins")
    key_id = fields.Integer(required=True, metadata={"description": "Of the key."})
    prefix = fields.String(required=True, metadata={"description": "First characters of the key."})
    endpoint = fields.String(
        required=True,
        metadata={"description": "Method and path.", "examples": ["POST /forecast"]},
    )
    status_class = fields.String(
        required=True, metadata={"enum": STATUS_CLASSES, "description": "Of the responses."}
    )
    calls = fields.Integer(required=True, metadata={"minimum": 1})


class UsageResponseSchema(Schema):
    """Calls by hour or day; hours or days without calls are left out."""

    since = moment_field("Start of the first hour or day")
    until = moment_field("End of the last hour or day")
    interval = fields.String(required=True, metadata={"enum": [*Interval]})
    usage = ArrayField(
        fields.Nested(UsageRowSchema), "Ordered by start, key, endpoint and status class."
    )
