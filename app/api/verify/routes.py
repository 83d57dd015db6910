"""GET /verify: what a key may do and how much of its limit is left."""

import math

from flask import Blueprint

from app.api.callers.current_caller import current_caller
from app.api.callers.limiter import current_state
from app.api.endpoints.decorator import endpoint
from app.api.endpoints.endpoint import Endpoint, Example, Json, Tag
from app.api.examples import VERIFICATION
from app.api.verify.schemas import VerifyResponseSchema
from app.core.database import utcnow
from app.identity.accounts.permissions import sorted_permissions

blueprint = Blueprint("verify", __name__)

AUTHENTICATION = Tag("Authentication", "What a key may do, and how much of its limit is left.")
DESCRIPTION = """\
Returns whether the key is valid, what it may do, and what is left of its limits: the window
(minute, hour or day) with the fewest requests remaining.

Works with any valid key. Does not count against the limits, and works when they are used up. Only
callers without a valid key get 429; 503 means maintenance."""


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/verify",
        is_counted=False,
        permission=None,
        response=VerifyResponseSchema(),
        successes={200: "The key is valid."},
        tag=AUTHENTICATION,
        operation_id="verifyApiKey",
        description=DESCRIPTION,
        example=Example("A key that may read and write", VERIFICATION),
    ),
)
def verify() -> Json:
    """Show what the key of this request may do and how much of its limit is left."""
    window = current_state().tightest
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
