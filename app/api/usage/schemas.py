"""The query parameters and the response of GET /usage."""

import datetime as dt
from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from app.api.endpoints.record_schemas import utc_datetime_field
from app.api.requests.fields import EnumField
from app.api.requests.query import StrictQuerySchema
from app.api.responses.fields import ArrayField, integer_field, string_field
from app.core.database import iso_string, utcnow
from app.identity.usage.buckets import UsageInterval
from app.identity.usage.rows import Span

_STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"]
_DEFAULT_PERIOD = dt.timedelta(hours=24)
_MIN_TIME = dt.datetime(1970, 1, 2, tzinfo=dt.UTC)
_MAX_TIME = dt.datetime(9998, 12, 31, tzinfo=dt.UTC)
_NOT_A_TIMESTAMP = "Must be ISO 8601, such as 2026-01-31T00:00:00Z; send a plus sign as %2B"
_OUT_OF_RANGE = "Must be between 1970-01-02 and 9998-12-31"
_NOT_BEFORE_UNTIL = "Must be before until, which is {until}"


class UsageRowSchema(Schema):
    """Calls of an endpoint with a key in an hour or a day."""

    start = utc_datetime_field("When the hour or day begins")
    key_id = integer_field("Of the key.")
    prefix = string_field("First characters of the key.")
    endpoint = string_field("Method and path.", examples=["POST /forecast"])
    status_class = string_field("Of the responses.", enum=_STATUS_CLASSES)
    calls = integer_field(
        "Counted by size, as the rate limits do: a call with many series is several.", minimum=1
    )


class UsageResponseSchema(Schema):
    """Calls by hour or day; hours or days without calls are left out."""

    since = utc_datetime_field("Start of the first hour or day")
    until = utc_datetime_field("End of the last hour or day")
    interval = string_field(enum=[*UsageInterval])
    usage = ArrayField(
        fields.Nested(UsageRowSchema), "Ordered by start, key, endpoint and status class."
    )


class UtcDateTimeParameter(fields.AwareDateTime):
    """A time; in UTC if it has no offset."""

    def __init__(self, description: str, example: str) -> None:
        super().__init__(
            format="iso",
            default_timezone=dt.UTC,
            load_default=None,
            validate=validate.Range(_MIN_TIME, _MAX_TIME, error=_OUT_OF_RANGE),
            error_messages={"invalid": _NOT_A_TIMESTAMP},
            metadata={"description": description, "examples": [example]},
        )


class UsageQuerySchema(StrictQuerySchema):
    since = UtcDateTimeParameter(
        "Start of the period, rounded down to the hour or day; default: a day before `until`.",
        "2026-01-01T00:00:00Z",
    )
    until = UtcDateTimeParameter(
        "End of the period, rounded up to the hour or day; default: now.", "2026-01-31T00:00:00Z"
    )
    interval = EnumField(
        UsageInterval,
        "unknown interval",
        load_default=UsageInterval.HOUR,
        metadata={
            "description": "Length of the intervals in which calls are counted; days are in UTC."
        },
    )

    @validates_schema
    def check_order(self, data: dict[str, Any], **_kwargs: Any) -> None:
        until = data["until"] or utcnow()
        if data["since"] is not None and data["since"] >= until:
            issue = _NOT_BEFORE_UNTIL.format(until=iso_string(until))
            raise ValidationError({"since": [issue]})

    @post_load
    def make_span(self, data: dict[str, Any], **_kwargs: Any) -> Span:
        until = data["until"] or utcnow()
        since = data["since"] or until - _DEFAULT_PERIOD
        return Span.around(since, until, data["interval"])
