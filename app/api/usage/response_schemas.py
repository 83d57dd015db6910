"""The body of responses of GET /usage."""

from marshmallow import Schema, fields

from app.api.fields import ArrayField
from app.usage.periods import Interval

CLASSES = ["2xx", "3xx", "4xx", "5xx"]


def _moment(description: str) -> fields.String:
    metadata = {"description": f"{description}, in UTC.", "format": "date-time"}
    return fields.String(required=True, metadata=metadata)


class UsageRowSchema(Schema):
    """Calls of an endpoint with a key in an hour or a day."""

    start = _moment("When the hour or day begins")
    key_id = fields.Integer(required=True, metadata={"description": "Of the key."})
    prefix = fields.String(required=True, metadata={"description": "How the key begins."})
    endpoint = fields.String(
        required=True,
        metadata={"description": "Method and path.", "examples": ["POST /forecast"]},
    )
    status_class = fields.String(
        required=True, metadata={"enum": CLASSES, "description": "Of the responses."}
    )
    calls = fields.Integer(required=True, metadata={"minimum": 1})


class UsageResponseSchema(Schema):
    """Calls by hour or day; one without calls is left out."""

    since = _moment("When the first hour or day begins")
    until = _moment("When the last one ends")
    interval = fields.String(required=True, metadata={"enum": [*Interval]})
    usage = ArrayField(fields.Nested(UsageRowSchema), "By start, key, endpoint and status class.")
