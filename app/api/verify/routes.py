"""The route of GET /verify. It consumes nothing and works when the limit is used up."""

import math

from flask import Blueprint, Response

from app.accounts.permissions import sorted_permissions
from app.api.identity import caller, requires
from app.api.json import json_response
from app.api.verify.schemas import VerifyResponseSchema
from app.database import utcnow
from app.limits.limiter import current_reading

blueprint = Blueprint("verify", __name__)
response_schema = VerifyResponseSchema()


@blueprint.get("/verify")
@requires()
def verify() -> Response:
    """Tell what the key of this request may do and how much of its limit is left."""
    window = current_reading().tightest
    answer = {
        "success": True,
        "message": "API key is valid",
        "timestamp": utcnow().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "apiKey": {"permissions": sorted_permissions(caller().permissions)},
        "rateLimit": {
            "limit": str(window.limit),
            "remaining": str(window.remaining),
            "resetTime": str(math.ceil(window.resets_at) * 1000),
        },
    }
    return json_response(response_schema.dump(answer))
