"""GET /verify: what a key may do and how much of its limit is left."""

import math

from flask import Blueprint
from marshmallow import Schema

from app.api.callers.current_caller import current_caller
from app.api.callers.limiter import current_budget_state
from app.api.endpoints.endpoint import CallCost, Endpoint, Success, Tag
from app.api.examples.recorded import EXAMPLES
from app.api.responses.fields import boolean_field, nested_field, permissions_field, string_field
from app.api.responses.json import Json
from app.api.serving.decorator import endpoint
from app.core.database import utcnow
from app.identity.accounts.permissions import PERMISSION_LIST, sorted_permissions

_NUMERIC = {"pattern": "^[0-9]+$"}


class ApiKeyInfoSchema(Schema):
    permissions = permissions_field(
        f"Permissions of the key.\n\n{PERMISSION_LIST}", minItems=1, uniqueItems=True
    )


class RateLimitSchema(Schema):
    """The window of the key's limits with the fewest requests remaining."""

    limit = string_field("Requests allowed in the window.", **_NUMERIC, examples=["100"])
    remaining = string_field("Requests remaining in the window.", **_NUMERIC, examples=["87"])
    resetTime = string_field(
        "End of the window in milliseconds since the Unix epoch.",
        **_NUMERIC,
        examples=["1767225660000"],
    )


class VerifyResponseSchema(Schema):
    success = boolean_field("Whether the API key is valid: always true.")
    message = string_field("The same, for people.")
    timestamp = string_field(
        "The service's time in UTC, with milliseconds.",
        format="date-time",
        examples=["2026-01-01T00:00:00.000Z"],
    )
    apiKey = nested_field(ApiKeyInfoSchema)
    rateLimit = nested_field(RateLimitSchema)


blueprint = Blueprint("verify", __name__)

_AUTHENTICATION = Tag("Authentication", "What a key may do, and how much of its limit is left.")
_DESCRIPTION = """\
Returns whether the key is valid, what it may do, and what is left of its limits: the window
(minute, hour or day) with the fewest requests remaining.

Works with any valid key. Does not count against the limits, and works when they are used up. Only
callers without a valid key get 429; 503 means maintenance."""


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/verify",
        cost=CallCost.NOTHING,
        permission=None,
        successes={200: Success("The key is valid.", VerifyResponseSchema())},
        tag=_AUTHENTICATION,
        operation_id="verifyApiKey",
        description=_DESCRIPTION,
        example=EXAMPLES.success("verify", "A key that may read and write"),
    ),
)
def verify() -> Json:
    """Show what the key of this request may do and how much of its limit is left."""
    window = current_budget_state().tightest
    return {
        "success": True,
        "message": "API key is valid",
        "timestamp": utcnow().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "apiKey": {"permissions": sorted_permissions(current_caller().permissions)},
        "rateLimit": {
            "limit": str(window.limit),
            "remaining": str(window.remaining),
            "resetTime": str(math.ceil(window.resets_at) * 1000),
        },
    }
