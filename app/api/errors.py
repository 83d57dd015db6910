"""The one error shape: every response that is not 2xx is ``{"error": {code, message, details}}``.

Views and their decorators raise ``ApiError``; `error_handlers.py` turns everything else that ends a
request into the same shape.
"""

from collections.abc import Mapping
from typing import Any

from flask import Response, g, request

from app.accounts.secrets import redact_keys
from app.api.dialects import dialect_of
from app.api.json import json_response
from app.api.statuses import error_code
from app.limits.headers import refusal_details, retry_after
from app.limits.limiter import current_reading
from app.limits.tiers import WINDOW_WORDS


class ApiError(Exception):
    """Ends the request with an error response.

    ``field`` is the path of the first field at fault as its schema declares it, without indices; ""
    without such a field. It never holds what the client sent.
    """

    def __init__(
        self,
        status: int,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        field: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details
        self.headers = headers or {}
        self.field = field


def error_response(error: ApiError) -> Response:
    """Return the envelope of ``error``."""
    g.field_at_fault = error.field
    dialect = dialect_of(request.path)
    message = dialect.error_message(error) if dialect else error.message
    head = {"code": dialect.error_code(error), "message": message} if dialect else {}
    body: dict[str, Any] = {"code": error_code(error.status), "message": message}
    if error.details is not None:
        body["details"] = error.details
    response = json_response({**head, "error": body}, error.status)
    # A key that was sent in the path or the body by mistake is not repeated.
    response.set_data(redact_keys(response.get_data(as_text=True)))
    response.headers.update(error.headers)
    return response


def unauthorized() -> ApiError:
    """Return the 401, the same for a missing, malformed, unknown, expired or revoked key."""
    dialect = dialect_of(request.path)
    issue = (
        f"neither {dialect.key_header} nor Authorization holds a valid key; send one, "
        f"which is ak_ and 64 hexadecimal characters, in {dialect.key_header}"
        if dialect
        else "the header Authorization does not hold a valid key; send Bearer, a space and a "
        "key, which is ak_ and 64 hexadecimal characters"
    )
    return ApiError(
        401,
        "API key is missing, invalid or expired",
        {"issue": issue},
        {"WWW-Authenticate": "Bearer"},
    )


def not_found(what: str, remedy: str) -> ApiError:
    """Return the response to a request for something that does not exist or is not the caller's.

    ``what`` names it (``monitor 'cpu'``), ``remedy`` says what to send instead.
    """
    return ApiError(404, "Not Found", {"issue": f"there is no {what}; {remedy}"})


def restarting(what: str, seconds: int) -> ApiError:
    """Return the response to a request that ``what`` (``the key store was``) restarted under."""
    issue = (
        f"{what} restarted during this request, which was not carried out; send it again in "
        f"{seconds} s"
    )
    return ApiError(503, "Service is restarting", {"issue": issue}, {"Retry-After": f"{seconds}"})


def limit_exceeded() -> ApiError:
    """Return the response to a request that exceeds its caller's budget."""
    reading = current_reading()
    window = reading.refused_by or reading.tightest
    wait = retry_after(window, reading.now)
    allowed = f"{window.limit:,} requests {WINDOW_WORDS[window.seconds]}"
    return ApiError(
        429,
        f"Rate limit exceeded: {allowed}; send the request again in {wait} s",
        refusal_details(window),
        {"Retry-After": wait},
    )
