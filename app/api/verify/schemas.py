"""The response of GET /verify."""

from marshmallow import Schema

from app.api.responses.fields import boolean_field, nested_field, permissions_field, text_field
from app.identity.accounts.permissions import MEANINGS

NUMERIC = {"pattern": "^[0-9]+$"}


class ApiKeyInfoSchema(Schema):
    """What the key may do."""

    permissions = permissions_field(
        "Permissions of the key.\n\n"
        + "\n".join(f"- `{name}`: {meaning}" for name, meaning in MEANINGS.items()),
        minItems=1,
        uniqueItems=True,
    )


class RateLimitSchema(Schema):
    """The window of the key's limits with the fewest requests remaining."""

    limit = text_field("Requests allowed in the window.", **NUMERIC, examples=["100"])
    remaining = text_field("Requests remaining in the window.", **NUMERIC, examples=["87"])
    resetTime = text_field(
        "End of the window in milliseconds since the Unix epoch.",
        **NUMERIC,
        examples=["1767225660000"],
    )


class VerifyResponseSchema(Schema):
    """The 200 body of GET /verify."""

    success = boolean_field("Whether the API key is valid: always true.")
    message = text_field("The same, for people.")
    timestamp = text_field(
        "The service's time in UTC, with milliseconds.",
        format="date-time",
        examples=["2026-01-01T00:00:00.000Z"],
    )
    apiKey = nested_field(ApiKeyInfoSchema)
    rateLimit = nested_field(RateLimitSchema)
