"""The request fields of monitors for the webhook, the mute and the limit."""

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from app.api.endpoints.record_schemas import request_fields
from app.api.requests.strict_schema import StrictSchema
from app.api.series.columns import TIMESTAMP_SCHEMA
from app.core.record_fields import is_valid_name
from app.identity.accounts.texts import parse_timestamp
from app.timeseries.calendar.timestamps import TimestampErrors, parse_timestamps
from app.watching.monitors.settings.limits import Limit

_NOT_A_WEBHOOK = "Must be the name of a webhook, such as ops, or null; GET /webhooks lists them"
_NOT_A_LIMIT = 'Must be null, or an object such as {"upper": 95, "horizon": 72}'
_NOT_A_TIMESTAMP = "Must be a timestamp, such as 2027-01-31T22:00:00Z, or null"


class WebhookNameField(fields.String):
    """The name of the webhook that gets the alerts; null for none."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or not is_valid_name(value):
            raise ValidationError(_NOT_A_WEBHOOK)
        return value


class MutedUntilField(fields.String):
    """When a monitor is no longer muted; loads into an aware ``datetime``."""

    def __init__(self, *, metadata: dict[str, Any], **kwargs: Any) -> None:
        description = f"{metadata['description']} In UTC if it has no offset."
        keywords = {"description": description, "examples": ["2027-01-31T22:00:00Z"]}
        super().__init__(metadata=TIMESTAMP_SCHEMA | keywords, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError(_NOT_A_TIMESTAMP)
        try:
            parse_timestamps([value])  # strict, and its issue says what to send
            return parse_timestamp(value)
        except TimestampErrors as error:
            raise ValidationError(error.defects[0].issue) from None
        except ValueError:
            raise ValidationError("not between the years 1 and 9999 in UTC; send null") from None


class LimitRequestSchema(StrictSchema):
    record = Limit

    class Meta(StrictSchema.Meta):
        include = request_fields(Limit)

    @validates_schema
    def check_sides(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Check that there is a side, and that values can be within both."""
        upper, lower = data["upper"], data["lower"]
        if upper is None and lower is None:
            raise ValidationError({"upper": ["missing: send upper, lower or both"]})
        if upper is not None and lower is not None and lower >= upper:
            raise ValidationError({"lower": [f"Must be less than upper, which is {upper:g}"]})


class LimitField(fields.Nested):
    """The limit of a monitor; null for none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(LimitRequestSchema, **options)

    def _deserialize(self, value: Any, *arguments: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError(_NOT_A_LIMIT)
        return super()._deserialize(value, *arguments, **kwargs)
