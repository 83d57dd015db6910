"""The response bodies of /keys."""

from marshmallow import Schema, fields

from app.api.keys.schemas import MAX_KEY_ID, PERMISSION_MEANINGS
from app.identity.accounts.models import KeyState
from app.identity.accounts.permissions import Permission

STATES = (
    "`active`; `rotated`: works until its grace period ends; `suspended`: works again once the "
    "account does; `expired`; `revoked`."
)


def _moment(description: str, *, allow_none: bool = True) -> fields.String:
    """Return a field for a time of the service's clock."""
    metadata = {"description": f"{description}. In UTC.", "format": "date-time"}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


class KeySchema(Schema):
    """A key without its secret."""

    id = fields.Integer(
        required=True,
        metadata={"minimum": 1, "maximum": MAX_KEY_ID, "description": "Never changes."},
    )
    prefix = fields.String(
        required=True,
        metadata={"description": "First characters of the key.", "examples": ["ak_1a2b3c4d"]},
    )
    label = fields.String(required=True, metadata={"description": "What the key is for."})
    permissions = fields.List(
        fields.String(metadata={"enum": [*Permission]}),
        required=True,
        metadata={
            "minItems": 1,
            "uniqueItems": True,
            "description": f"What the key may do.{PERMISSION_MEANINGS}",
        },
    )
    state = fields.String(required=True, metadata={"enum": [*KeyState], "description": STATES})
    created_at = _moment("When the key was created", allow_none=False)
    expires_at = _moment(
        "When the key expires, for a rotated key when its grace period ends; null: never"
    )
    last_used_at = _moment("When the key was last used; null: never")
    usage_count = fields.Integer(
        required=True,
        metadata={
            "minimum": 0,
            "description": "Number of calls with the key, including those that failed.",
        },
    )


class CreatedKeySchema(KeySchema):
    """A new key, shown only once."""

    key = fields.String(
        required=True,
        metadata={
            "description": "The key itself. Store it now: only its hash is kept.",
            "pattern": "^ak_[0-9a-f]{64}$",
        },
    )


class KeysSchema(Schema):
    """The keys of the account."""

    keys = fields.List(
        fields.Nested(KeySchema),
        required=True,
        metadata={"description": "Oldest first, including expired and revoked keys."},
    )
