"""Headers of requests and of answers, as components of the document."""

from app.api.examples.answers import Json
from app.api.response_headers import API_VERSION, CLIENT_REQUEST_ID
from app.forecasting.series import MODEL_IDS

COUNT: Json = {"type": "integer", "minimum": 0}

MODEL_SELECTOR: Json = {
    "name": "X-Model-Selector",
    "in": "header",
    "description": "An older name of `X-Model-Id`; counts when that is absent.",
    "deprecated": True,
    "schema": {"type": "string", "enum": list(MODEL_IDS)},
}
REQUEST_ID: Json = {
    "description": "An id of your own for this request, which the answer repeats if it is 1 to 128 "
    "of `A-Za-z0-9._-`; else it gets another one.",
    "schema": {"type": "string", "examples": ["order-4711"]},
}

ALWAYS: dict[str, Json] = {
    "X-RateLimit-Limit": {
        "description": "Requests allowed in the window (minute, hour or day) that has the fewest "
        "requests remaining.",
        "schema": COUNT | {"examples": [100]},
    },
    "X-RateLimit-Remaining": {
        "description": "Requests that remain in that window.",
        "schema": COUNT | {"examples": [99]},
    },
    "X-RateLimit-Reset": {
        "description": "When that window ends, in epoch seconds.",
        "schema": COUNT | {"examples": [1767225660]},
    },
    "X-Request-Id": {
        "description": "Id of this request, yours if you sent one; the service's log has it too.",
        "schema": {"type": "string", "pattern": f"^{CLIENT_REQUEST_ID.pattern}$"},
    },
    "X-Api-Version": {
        "description": "Version of the API.",
        "schema": {"type": "string", "const": API_VERSION},
    },
}
"""Headers of every answer, errors included."""

OF_FORECAST: dict[str, Json] = {
    "X-Model-Id": {
        "description": "The model that answered.",
        "schema": {"type": "string", "enum": list(MODEL_IDS)},
    },
}
"""Headers of every forecast."""
NOTICE: dict[str, Json] = {
    "X-Forecast-Notice": {
        "description": "What to know about this forecast, if anything: that the series is shorter "
        "than recommended, or that a simpler model took over. Several notices are separated by "
        "`; `.",
        "schema": {
            "type": "string",
            "examples": ["series has 12 points; 30 are recommended for Daily data"],
        },
    },
}
"""Headers of some forecasts."""

AUTHENTICATE: dict[str, Json] = {
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "schema": {"type": "string", "const": "Bearer"},
    }
}
RETRY_AFTER: dict[str, Json] = {
    "Retry-After": {
        "description": "Seconds to wait before the request is sent again.",
        "schema": {"type": "integer", "minimum": 1, "examples": [42]},
    }
}
OF_ERROR: dict[int, dict[str, Json]] = {401: AUTHENTICATE, 429: RETRY_AFTER, 503: RETRY_AFTER}
"""Headers of an error beside those of every answer, by its status."""
