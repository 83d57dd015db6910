"""The answer of GET /verify (specification 2.5)."""

from marshmallow import Schema, fields

from app.accounts.permissions import MEANINGS, Permission


class ApiKeyInfoSchema(Schema):
    """What the key may do."""

    permissions = fields.List(
        fields.Enum(Permission, by_value=True),
        metadata={
            "description": "Permissions of the key: "
            + "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items())
        },
    )


class RateLimitSchema(Schema):
    """The window of the key's budget with the fewest requests remaining."""

    limit = fields.String(metadata={"description": "Request limit.", "example": "100"})
    remaining = fields.String(metadata={"description": "Requests remaining.", "example": "87"})
    resetTime = fields.String(  # noqa: N815 - the specification's name
        metadata={"description": "Reset time as epoch milliseconds.", "example": "1767225600000"}
    )


class VerifyResponseSchema(Schema):
    """The 200 body of GET /verify."""

    success = fields.Boolean(metadata={"description": "Whether the API key is valid."})
    message = fields.String(metadata={"description": "Human-readable status."})
    timestamp = fields.String(
        metadata={"description": "Server time, milliseconds and Z.", "format": "date-time"}
    )
    apiKey = fields.Nested(ApiKeyInfoSchema)  # noqa: N815 - the specification's name
    rateLimit = fields.Nested(RateLimitSchema)  # noqa: N815 - the specification's name
