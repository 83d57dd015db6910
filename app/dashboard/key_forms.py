"""The forms of keys: what was typed, what is wrong with it and where, and what it means."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, fields, validates_schema
from marshmallow.validate import OneOf
from werkzeug.datastructures import MultiDict

from app.accounts.permissions import Permission
from app.accounts.texts import LONGEST_LABEL

KEPT, NEVER, OWN_DATE = "kept", "never", "date"
PRESETS = {"30d": 30, "90d": 90, "365d": 365}
EXPIRIES = {
    "30d": "In 30 days",
    "90d": "In 90 days",
    "365d": "In 365 days",
    OWN_DATE: "On a date",
    NEVER: "Never",
}
"""When a key may be made to end, by the value of the form."""
USUAL_EXPIRY = "90d"  # keys that end by themselves are the ones that get rotated
GRACES = {"0h": 0, "1h": 1, "24h": 24, "7d": 7 * 24, "30d": 30 * 24}
GRACE_TITLES = {
    "0h": "Not at all: it ends at once",
    "1h": "1 hour",
    "24h": "24 hours",
    "7d": "7 days",
    "30d": "30 days",
}
USUAL_GRACE = "24h"
LAST_SECOND = dt.time(23, 59, 59)

Typed = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """What a form shows: what was typed into each field, and what is wrong with it."""

    typed: Typed
    errors: dict[str, str] = field(default_factory=dict)

    def first_error(self) -> str | None:
        """Return the field that gets the focus."""
        return next(iter(self.errors), None)


class Label(fields.String):
    """A name for people, of one line."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:
        label = str(super()._deserialize(value, *args, **kwargs)).strip()
        if len(label) > LONGEST_LABEL:
            raise ValidationError(
                f"The label has {len(label):,} characters; send {LONGEST_LABEL} at most."
            )
        if not label.isprintable():
            raise ValidationError("The label holds control characters; send plain text.")
        return label


class ExpirySchema(Schema):
    """What a key is called, and when it ends: a preset, never, or the end of a day."""

    class Meta:
        unknown = EXCLUDE

    label = Label(load_default="")
    expires_in = fields.String(
        load_default=USUAL_EXPIRY, validate=OneOf(EXPIRIES, error="Choose one of the list.")
    )
    expires_at = fields.String(load_default="")

    @validates_schema(skip_on_field_errors=False)
    def check_date(self, data: Typed, **_options: Any) -> None:
        """Refuse a date that is missing, none, or past."""
        if data.get("expires_in") == OWN_DATE:
            day = _day(data.get("expires_at", ""))
            if _end_of(day) <= dt.datetime.now(dt.UTC):
                raise ValidationError("This day is past; choose a later one.", "expires_at")


class ChangedKeySchema(ExpirySchema):
    """A key that is changed: its end may stay as it is."""

    expires_in = fields.String(
        load_default=KEPT, validate=OneOf([KEPT, *EXPIRIES], error="Choose one of the list.")
    )


class NewKeySchema(ExpirySchema):
    """A key to be made."""

    expires_in = fields.String(
        load_default=USUAL_EXPIRY, validate=OneOf(EXPIRIES, error="Choose one of the list.")
    )
    permissions = fields.List(
        fields.Enum(Permission, by_value=True),
        required=True,
        error_messages={"required": "Choose at least one permission."},
    )


class RotationSchema(Schema):
    """How long the old key goes on working."""

    class Meta:
        unknown = EXCLUDE

    grace = fields.String(
        load_default=USUAL_GRACE, validate=OneOf(GRACES, error="Choose one of the list.")
    )


def read_form(schema: Schema, form: MultiDict[str, str]) -> tuple[Typed, Form]:
    """Return what ``form`` means, and the form itself with what is wrong; then it means nothing."""
    typed: Typed = {
        name: form.getlist(name) if isinstance(asked, fields.List) else form[name]
        for name, asked in schema.fields.items()
        if name in form
    }
    try:
        return schema.load(typed), Form(typed)
    except ValidationError as error:
        messages: Mapping[str, Any] = error.messages_dict
        order = [name for name in schema.fields if name in messages]
        return {}, Form(typed, {name: _first(messages[name]) for name in order})


def expiry_of(values: Typed, now: dt.datetime) -> dt.datetime | None:
    """Return when a key is to end by what a form means; None: never."""
    chosen = values["expires_in"]
    if chosen == OWN_DATE:
        return _end_of(_day(values["expires_at"]))
    return None if chosen == NEVER else now + dt.timedelta(days=PRESETS[chosen])


def grace_of(values: Typed) -> dt.timedelta:
    """Return how long the old key goes on working by what a form means."""
    return dt.timedelta(hours=GRACES[values["grace"]])


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text.strip())
    except ValueError:
        raise ValidationError(
            "Choose a day, such as 2027-01-31; the key works until its end in UTC.", "expires_at"
        ) from None


def _end_of(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, LAST_SECOND, dt.UTC)


def _first(message: Any) -> str:
    """Return the first sentence of what marshmallow says of a field."""
    while not isinstance(message, str):
        message = next(iter(message.values())) if isinstance(message, dict) else message[0]
    return message
