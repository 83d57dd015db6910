"""The forms for keys: their fields, and the meaning of the values."""

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from app.identity.accounts.errors import AccountError
from app.identity.accounts.permissions import Permission
from app.identity.accounts.texts import MAX_LABEL_LENGTH, clean_text
from app.web.dashboard.filters import sentence
from app.web.dashboard.forms import CUSTOM_DAY, DayOrPreset, FormSchema, FormValues, choice_field

KEPT_EXPIRY, _NEVER = "kept", "never"
# The choices for a key's expiry, by form value.
EXPIRIES = {
    "30d": "In 30 days",
    "90d": "In 90 days",
    "365d": "In 365 days",
    CUSTOM_DAY: "On a date",
    _NEVER: "Never",
}
DEFAULT_EXPIRY = "90d"  # a key that expires gets rotated
GRACES = {
    "0h": "0 hours: it ends immediately",
    "1h": "1 hour",
    "24h": "24 hours",
    "7d": "7 days",
    "30d": "30 days",
}
DEFAULT_GRACE = "24h"
EXPIRY = DayOrPreset("expires_in", "expires_at", none=_NEVER, effect="the key works")


class KeyLabel(fields.String):
    """A label of one line."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:
        label = super()._deserialize(value, *args, **kwargs)
        try:
            return clean_text(label, "the label", MAX_LABEL_LENGTH)
        except AccountError as error:
            raise ValidationError(sentence(error)) from None


class ExpirySchema(FormSchema):
    """The label and expiry of a key: a preset, never, or the end of a day."""

    label = KeyLabel(load_default="")
    expires_in = choice_field(EXPIRIES, DEFAULT_EXPIRY)
    expires_at = fields.String(load_default="")

    @validates_schema(skip_on_field_errors=False)
    def check_date(self, data: FormValues, **_options: Any) -> None:
        EXPIRY.check(data)


class ChangedKeySchema(ExpirySchema):
    """The form to change a key: the expiry may stay the same."""

    expires_in = choice_field([KEPT_EXPIRY, *EXPIRIES], KEPT_EXPIRY)


class NewKeyFormSchema(ExpirySchema):
    permissions = fields.List(
        fields.Enum(Permission, by_value=True),
        required=True,
        error_messages={"required": "Choose at least one permission."},
    )


class RotationFormSchema(FormSchema):
    grace = choice_field(GRACES, DEFAULT_GRACE)
