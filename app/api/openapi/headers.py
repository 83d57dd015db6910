"""Headers of requests and of responses that no endpoint declares, as components of the document."""

import functools

from app.api.responses.headers import header
from app.api.responses.json import Json
from app.api.serving.common_headers import (
    API_VERSION,
    CLIENT_REQUEST_ID,
    KEY_ENDS_HEADER,
    NO_STORE,
)

_required_header = functools.partial(header, required=True)

REQUEST_ID: Json = header(
    "An id of your own for this request. The response repeats it if it has 1 to 128 "
    "characters of `A-Za-z0-9._-`; otherwise the service makes one.",
    examples=["order-4711"],
)

# Headers of every response, errors included.
COMMON_HEADERS: dict[str, Json] = {
    "X-RateLimit-Limit": _required_header(
        "Requests allowed in the window (minute, hour or day) that has the fewest "
        "requests remaining.",
        type="integer",
        minimum=0,
        examples=[100],
    ),
    "X-RateLimit-Remaining": _required_header(
        "Requests that remain in that window.", type="integer", minimum=0, examples=[99]
    ),
    "X-RateLimit-Reset": _required_header(
        "When that window ends, in epoch seconds.", type="integer", minimum=0, examples=[1767225660]
    ),
    "X-Request-Id": _required_header(
        "Id of this request, yours if you sent one; the service's log has it too.",
        pattern=f"^{CLIENT_REQUEST_ID.pattern}$",
    ),
    "X-Api-Version": _required_header("Version of the API.", const=API_VERSION),
    # Not required: nginx's own errors contain no data and do not have it.
    "Cache-Control": header("Browsers and proxies must not store the response.", const=NO_STORE),
    KEY_ENDS_HEADER: header(
        "When the key that was sent stops working, in UTC; only of a key that was "
        "rotated. Use its successor.",
        format="date-time",
        examples=["2026-01-02T00:00:00Z"],
    ),
}

AUTHENTICATE_HEADERS = {
    "WWW-Authenticate": _required_header("How to authenticate.", const="Bearer")
}
RETRY_AFTER_HEADERS = {
    "Retry-After": _required_header(
        "Seconds to wait before the request is sent again.",
        type="integer",
        minimum=1,
        examples=[42],
    )
}

# Additional headers of an error, by its status.
ERROR_HEADERS: dict[int, dict[str, Json]] = {
    401: AUTHENTICATE_HEADERS,
    429: RETRY_AFTER_HEADERS,
    503: RETRY_AFTER_HEADERS,
}
