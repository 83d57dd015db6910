"""The bodies of responses about keys."""

from marshmallow import Schema, fields

from app.accounts.models import KeyState
from app.accounts.permissions import Permission
from app.api.keys.schemas import LARGEST_ID, MEANING

STATES = (
    "`active`; `rotated`: works until its grace period ends; `suspended`: works again once the "
    "account does; `expired`; `revoked`."
)


def _moment(description: str, *, allow_none: bool = True) -> fields.String:
    """A moment of the service's clock."""
    metadata = {"description": f"{description}, in UTC.", "format": "date-time"}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


class KeySchema(Schema):
    """What there is to show of a key."""

    id = fields.Integer(
        required=True,
        metadata={"minimum": 1, "maximum": LARGEST_ID, "description": "It stays the same."},
    )
    prefix = fields.String(
        required=True,
        metadata={"description": "How the key begins.", "examples": ["ak_1a2b3c4d"]},
    )
    label = fields.String(required=True, metadata={"description": "What it is for."})
    permissions = fields.List(
        fields.String(metadata={"enum": [*Permission]}),
        required=True,
        metadata={
            "minItems": 1,
            "uniqueItems": True,
            "description": f"What it may do.{MEANING}",
        },
    )
    state = fields.String(required=True, metadata={"enum": [*KeyState], "description": STATES})
    created_at = _moment("When it was created", allow_none=False)
    expires_at = _moment(
        "When it ends by itself, of a rotated key with its grace period; null: never"
    )
    last_used_at = _moment("When it was last used, null: never")
    usage_count = fields.Integer(
        required=True,
        metadata={"minimum": 0, "description": "Calls of endpoints with it, errors too."},
    )


class CreatedKeySchema(KeySchema):
    """A new key, shown this once."""

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
        metadata={"description": "The oldest first; those that have ended too."},
    )
