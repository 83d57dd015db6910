"""Request fields that set which events of a monitor are alerts, and until when it is muted."""

from typing import Any

from marshmallow import ValidationError, fields, validate

from app.api.fields import StrictNumber
from app.api.names import NAME_METADATA, is_valid_name
from app.api.series.columns import TIMESTAMP
from app.identity.accounts.texts import parse_moment
from app.timeseries.calendar.timestamps import TimestampErrors, parse_timestamps
from app.watching.monitors.records import DEFAULT_ALERT_SEVERITY

NOT_A_WEBHOOK = "Must be the name of a webhook, such as ops, or null; GET /webhooks lists them"
NOT_A_MOMENT = "Must be a timestamp, such as 2027-01-31T22:00:00Z, or null"


class AlertSeverityField(StrictNumber):
    """The least severity of an alert."""

    def __init__(self) -> None:
        super().__init__(
            load_default=DEFAULT_ALERT_SEVERITY,
            validate=validate.Range(0, 100, error="Must be between 0 and 100"),
            metadata={
                "description": "Only events of at least this severity are alerts. 50 is as much as "
                "chance does not reach at the default false alarm rate, 75 twice that evidence; 0: "
                "all events."
            },
        )


class AlertMinDeviationField(StrictNumber):
    """The least deviation of an alert."""

    def __init__(self) -> None:
        super().__init__(
            load_default=0.0,
            validate=validate.Range(0, error="Must be 0 or more, in the unit of the values"),
            metadata={
                "description": "Only events whose value at the peak is at least this far from the "
                "expected one are alerts, in the values' unit."
            },
        )


class WebhookNameField(fields.String):
    """The name of the webhook that gets the alerts; null for none."""

    def __init__(self) -> None:
        super().__init__(
            load_default=None,
            allow_none=True,
            metadata=NAME_METADATA
            | {
                "description": "Name of the webhook that alerts are sent to, which "
                "`PUT /webhooks/{name}` creates; absent or null: none.",
                "examples": ["ops"],
            },
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or not is_valid_name(value):
            raise ValidationError(NOT_A_WEBHOOK)
        return value


class MutedUntilField(fields.String):
    """When a monitor is no longer muted; loads into a moment."""

    def __init__(self) -> None:
        super().__init__(
            load_default=None,
            allow_none=True,
            metadata=TIMESTAMP
            | {
                "description": "Nothing is sent before this timestamp, which is in UTC if it has "
                "no offset. One in the past, null or absent: not muted.",
                "examples": ["2027-01-31T22:00:00Z"],
            },
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError(NOT_A_MOMENT)
        try:
            parse_timestamps([value])
        except TimestampErrors as error:
            raise ValidationError(error.defects[0].issue) from None
        try:
            return parse_moment(value)
        except ValueError:
            raise ValidationError("not between the years 1 and 9999 in UTC; send null") from None
