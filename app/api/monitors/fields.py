"""Request fields that set who gets the alerts of a monitor, and until when it is muted."""

from typing import Any

from marshmallow import ValidationError, fields

from app.api.series.columns import TIMESTAMP
from app.core.described import is_valid_name
from app.identity.accounts.texts import parse_moment
from app.timeseries.calendar.timestamps import TimestampErrors, parse_timestamps

NOT_A_WEBHOOK = "Must be the name of a webhook, such as ops, or null; GET /webhooks lists them"
NOT_A_MOMENT = "Must be a timestamp, such as 2027-01-31T22:00:00Z, or null"


class WebhookNameField(fields.String):
    """The name of the webhook that gets the alerts; null for none."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or not is_valid_name(value):
            raise ValidationError(NOT_A_WEBHOOK)
        return value


class MutedUntilField(fields.String):
    """When a monitor is no longer muted; loads into a moment."""

    def __init__(self, *, metadata: dict[str, Any], **kwargs: Any) -> None:
        description = f"{metadata['description']} In UTC if it has no offset."
        examples = ["2027-01-31T22:00:00Z"]
        metadata = TIMESTAMP | {"description": description, "examples": examples}
        super().__init__(metadata=metadata, **kwargs)

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
