"""The request bodies and path parameters of /keys."""

import contextlib
import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load

from app.api.endpoints.record_schemas import request_fields
from app.api.requests.fields import StrictChoice
from app.api.requests.strict_schema import StrictSchema
from app.core.integers import MAX_ID
from app.core.record_fields import described_field
from app.core.unchanged import UNCHANGED, Unchanged
from app.identity.accounts.errors import NoSuchKeyError
from app.identity.accounts.keys import MAX_GRACE_PERIOD
from app.identity.accounts.permissions import PERMISSION_LIST, Permission
from app.identity.accounts.texts import MAX_LABEL_LENGTH, parse_duration, parse_timestamp

_KEY_ID_PATTERN = re.compile("[1-9][0-9]{0,9}")
_MAX_DURATION_LENGTH = 10  # nine digits and a unit
_NOT_PERMISSIONS = f"Must be an array of 1 to {len(Permission)} of {', '.join(Permission)}"
_NOT_A_TIMESTAMP = "Must be a time in ISO 8601, such as 2027-01-31T00:00:00Z, or null"
_NOT_A_GRACE = f"Must be a duration of at most {MAX_GRACE_PERIOD.days}d, such as 24h, 90m, 7d or 0h"


_LABEL_METADATA: dict[str, Any] = {
    "description": "What the key is for, in plain text; shown in lists.",
    "maxLength": MAX_LABEL_LENGTH,
    "examples": ["nightly batch"],
}
_EXPIRY_METADATA: dict[str, Any] = {
    "description": "When the key expires: a future time in ISO 8601, in UTC if it has no offset. "
    "Null: never.",
    "examples": ["2099-12-31T00:00:00Z"],
}


@dataclass(frozen=True)
class NewKeyRequest:
    """A valid request for a key; ``sent_expiry`` is ``expires_at`` as it was sent."""

    permissions: frozenset[Permission] = described_field(
        "What the new key may do; only permissions that the key of this request has."
        f"\n\n{PERMISSION_LIST}",
        minItems=1,
        maxItems=len(Permission),
        label="Permissions",
        hint="Grant only what the program needs. No permission includes another.",
    )
    label: str = described_field(
        **_LABEL_METADATA,
        default="",
        label="Label",
        hint="The program that uses the key, such as shop, production.",
    )
    expires_at: dt.datetime | None = described_field(
        **_EXPIRY_METADATA, default=None, label="Expires"
    )
    sent_expiry: str | None = None


@dataclass(frozen=True)
class KeyChangeRequest:
    """A valid change of a key; ``sent_expiry`` is ``expires_at`` as it was sent."""

    label: str | Unchanged = described_field(**_LABEL_METADATA, default_factory=lambda: UNCHANGED)
    expires_at: dt.datetime | Unchanged | None = described_field(
        **_EXPIRY_METADATA, default_factory=lambda: UNCHANGED
    )
    sent_expiry: str | None = None


@dataclass(frozen=True)
class KeyRotationRequest:
    grace: dt.timedelta = described_field(
        "How long the old key keeps working after the rotation, at most "
        f"{MAX_GRACE_PERIOD.days} days; `0h`: not at all.",
        pattern="^[0-9]{1,9}[smhdw]$",
        examples=["24h", "90m", "7d", "0h"],
        default=dt.timedelta(hours=24),
        label="The old key keeps working for",
    )


class KeyIdField(fields.Integer):
    """The id of a key in the path: anything but a plain decimal number is an unknown key."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if _KEY_ID_PATTERN.fullmatch(value) is None or int(value) > MAX_ID:
            raise NoSuchKeyError(value)
        return int(value)


class KeyIdSchema(Schema):
    key_id = KeyIdField(
        required=True,
        metadata={
            "minimum": 1,
            "maximum": MAX_ID,
            "description": "The `id` of a key, not the key itself.",
        },
    )


class PermissionsField(fields.List[Any]):
    def __init__(self, **options: Any) -> None:
        super().__init__(
            StrictChoice([*Permission], "unknown permission"),
            error_messages={"required": f"missing: {_NOT_PERMISSIONS}", "null": _NOT_PERMISSIONS},
            **options,
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list) or not 1 <= len(value) <= len(Permission):
            raise ValidationError(_NOT_PERMISSIONS)
        names = super()._deserialize(value, attr, data, **kwargs)
        return frozenset(Permission(str(name)) for name in names)


class ExpiryField(fields.String):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        try:
            return parse_timestamp(value)
        except (TypeError, ValueError):
            raise ValidationError(_NOT_A_TIMESTAMP) from None


class GraceField(fields.String):
    def __init__(self, **options: Any) -> None:
        super().__init__(error_messages={"null": _NOT_A_GRACE}, **options)

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> str:
        return f"{value // dt.timedelta(hours=1)}h"

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str) and len(value) <= _MAX_DURATION_LENGTH:
            with contextlib.suppress(ValueError):
                if (grace := parse_duration(value)) <= MAX_GRACE_PERIOD:
                    return grace
        raise ValidationError(_NOT_A_GRACE)


class NewKeySchema(StrictSchema):
    class Meta(StrictSchema.Meta):
        include = request_fields(
            NewKeyRequest, permissions=PermissionsField, expires_at=ExpiryField
        )

    @post_load(pass_original=True)
    def make_request(
        self, data: dict[str, Any], sent: Mapping[str, Any], **_kwargs: Any
    ) -> NewKeyRequest:
        return NewKeyRequest(**data, sent_expiry=sent.get("expires_at"))


class ChangeKeySchema(StrictSchema):
    class Meta(StrictSchema.Meta):
        include = request_fields(KeyChangeRequest, expires_at=ExpiryField)

    @post_load(pass_original=True)
    def make_request(
        self, data: dict[str, Any], sent: Mapping[str, Any], **_kwargs: Any
    ) -> KeyChangeRequest:
        return KeyChangeRequest(**data, sent_expiry=sent.get("expires_at"))


class RotationSchema(StrictSchema):
    record = KeyRotationRequest

    class Meta(StrictSchema.Meta):
        include = request_fields(KeyRotationRequest, grace=GraceField)
