"""The response of GET /verify."""

from marshmallow import Schema, fields

from app.identity.accounts.permissions import MEANINGS, Permission

NUMERIC = {"pattern": "^[0-9]+$"}


class ApiKeyInfoSchema(Schema):
    """What the key may do."""

    permissions = fields.List(
        fields.Enum(Permission, by_value=True, metadata={"type": "string"}),
        required=True,
        metadata={
            "minItems": 1,
            "uniqueItems": True,
            "description": "Permissions of the key.\n\n"
            + "\n".join(f"- `{name}`: {meaning}" for name, meaning in MEANINGS.items()),
        },
    )


class RateLimitSchema(Schema):
    """The window of the key's limits with the fewest requests remaining."""

    limit = fields.String(
        required=True,
        metadata=NUMERIC | {"description": "Requests allowed in the window.", "examples": ["100"]},
    )
    remaining = fields.String(
        required=True,
        metadata=NUMERIC | {"description": "Requests remaining in the window.", "examples": ["87"]},
    )
    resetTime = fields.String(  # noqa: N815 - the specification's name
        required=True,
        metadata=NUMERIC
        | {
            "description": "End of the window in milliseconds since the Unix epoch.",
            "examples": ["1767225660000"],
        },
    )


class VerifyResponseSchema(Schema):
    """The 200 body of GET /verify."""

    success = fields.Boolean(
        required=True, metadata={"description": "Whether the API key is valid: always true."}
    )
    message = fields.String(required=True, metadata={"description": "The same, for people."})
    timestamp = fields.String(
        required=True,
        metadata={
            "description": "The service's time in UTC, with milliseconds.",
            "format": "date-time",
            "examples": ["2026-01-01T00:00:00.000Z"],
        },
    )
    apiKey = fields.Nested(ApiKeyInfoSchema, required=True)  # noqa: N815 - the specification's name
    rateLimit = fields.Nested(RateLimitSchema, required=True)  # noqa: N815 - the specification's name
