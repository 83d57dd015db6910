"""Request fields that set which events of a monitor are alerts, and until when it is muted."""

from typing import Any

from marshmallow import ValidationError, fields, validate

from app.accounts.texts import parse_moment
from app.api.fields import StrictNumber
from app.api.series.columns import TIMESTAMP
from app.forecasting.calendar.timestamps import TimestampErrors, parse
from app.monitors.records import USUAL_ALERT_SEVERITY

NOT_A_MOMENT = "Must be a timestamp, such as 2027-01-31T22:00:00Z, or null"


class AlertSeverityField(StrictNumber):
    """The least severity of an alert."""

    def __init__(self) -> None:
        super().__init__(
            load_default=USUAL_ALERT_SEVERITY,
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
            parse([value])
        except TimestampErrors as error:
            raise ValidationError(error.defects[0].issue) from None
        try:
            return parse_moment(value)
        except ValueError:
            raise ValidationError("not between the years 1 and 9999 in UTC; send null") from None
