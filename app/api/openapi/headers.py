"""Headers of requests and of responses that no endpoint declares, as components of the document."""

from app.api.endpoints.endpoint import Json
from app.api.responses.common_headers import API_VERSION, CLIENT_REQUEST_ID, KEY_ENDS

COUNT: Json = {"type": "integer", "minimum": 0}

REQUEST_ID: Json = {
    "description": "An id of your own for this request. The response repeats it if it has 1 to 128 "
    "characters of `A-Za-z0-9._-`; otherwise the service makes one.",
    "schema": {"type": "string", "examples": ["order-4711"]},
}

COMMON_HEADERS: dict[str, Json] = {
    "X-RateLimit-Limit": {
        "description": "Requests allowed in the window (minute, hour or day) that has the fewest "
        "requests remaining.",
        "required": True,
        "schema": COUNT | {"examples": [100]},
    },
    "X-RateLimit-Remaining": {
        "description": "Requests that remain in that window.",
        "required": True,
        "schema": COUNT | {"examples": [99]},
    },
    "X-RateLimit-Reset": {
        "description": "When that window ends, in epoch seconds.",
        "required": True,
        "schema": COUNT | {"examples": [1767225660]},
    },
    "X-Request-Id": {
        "description": "Id of this request, yours if you sent one; the service's log has it too.",
        "required": True,
        "schema": {"type": "string", "pattern": f"^{CLIENT_REQUEST_ID.pattern}$"},
    },
    "X-Api-Version": {
        "description": "Version of the API.",
        "required": True,
        "schema": {"type": "string", "const": API_VERSION},
    },
    KEY_ENDS: {
        "description": "When the key that was sent stops working, in UTC; only of a key that was "
        "rotated. Use its successor.",
        "schema": {
            "type": "string",
            "format": "date-time",
            "examples": ["2026-01-02T00:00:00Z"],
        },
    },
}
"""Headers of every response, errors included."""

AUTHENTICATE: dict[str, Json] = {
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "required": True,
        "schema": {"type": "string", "const": "Bearer"},
    }
}
RETRY_AFTER: dict[str, Json] = {
    "Retry-After": {
        "description": "Seconds to wait before the request is sent again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1, "examples": [42]},
    }
}
ERROR_HEADERS: dict[int, dict[str, Json]] = {401: AUTHENTICATE, 429: RETRY_AFTER, 503: RETRY_AFTER}
"""Additional headers of an error, by its status."""
