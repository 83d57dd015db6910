"""The one error shape: every answer that is not 2xx is ``{"error": {code, message, details}}``.

Views and their decorators raise ``ApiError``; everything else that ends a request (Werkzeug's own
exceptions, a refused limit, an unreachable database, a bug) is turned into the same envelope here.
"""

import logging
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, request
from flask_limiter import RateLimitExceeded
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from app.accounts.secrets import redact_keys
from app.api.json import json_response
from app.api.statuses import UNREAD_ISSUES, error_code
from app.limits.headers import refusal_details, retry_after
from app.limits.limiter import current_reading, leave_store_alone
from app.limits.tiers import WINDOW_WORDS
from app.observability.instruments import KEY_STORE_FAILURES

logger = logging.getLogger(__name__)

ENDPOINTS = "POST /forecast, GET /verify"


class ApiError(Exception):
    """Ends the request with an error answer."""

    def __init__(
        self,
        status: int,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details
        self.headers = headers or {}


def error_response(error: ApiError) -> Response:
    """Return the envelope of ``error``."""
    body: dict[str, Any] = {"code": error_code(error.status), "message": error.message}
    if error.details is not None:
        body["details"] = error.details
    response = json_response({"error": body}, error.status)
    # A key that was sent in the path or the body by mistake is not repeated.
    response.set_data(redact_keys(response.get_data(as_text=True)))
    response.headers.update(error.headers)
    return response


def unauthorized() -> ApiError:
    """Return the one answer to a missing, malformed, unknown, expired or revoked key."""
    return ApiError(
        401,
        "API key is missing, invalid or expired",
        {
            "issue": "the header Authorization holds no key that is valid now; send Bearer, a "
            "space and a key, which is ak_ and 64 hexadecimal characters"
        },
        {"WWW-Authenticate": "Bearer"},
    )


def limit_exceeded() -> ApiError:
    """Return the answer to a request that its caller's budget has no room for."""
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


def register_error_handlers(app: Flask) -> None:
    """Give every failure of ``app`` the envelope."""
    app.register_error_handler(ApiError, error_response)
    app.register_error_handler(RateLimitExceeded, lambda _error: error_response(limit_exceeded()))
    app.register_error_handler(HTTPException, _http_exception)
    app.register_error_handler(SQLAlchemyError, _store_unreachable)
    app.register_error_handler(Exception, _unexpected)


def _http_exception(error: HTTPException) -> Response:
    status = error.code or 500
    issue = f"the request could not be understood: {error.name}; send one of {ENDPOINTS}"
    headers = {}
    if status == 404:
        issue = f"there is no {request.path[:200]}; the endpoints are {ENDPOINTS}"
    elif isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        issue = f"{request.method} is not allowed on {request.path}; send {allowed}"
        headers["Allow"] = allowed
    return error_response(ApiError(status, error.name, {"issue": issue}, headers))


def _store_unreachable(error: SQLAlchemyError) -> Response:
    # The text of the driver may hold parameters, and so hashes of keys: only its kind is logged.
    cause = getattr(error, "orig", None)
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None)
    logger.error("database unreachable or refusing: %s (%s)", type(error).__name__, code)
    KEY_STORE_FAILURES.inc()
    leave_store_alone()
    issue = "the key store cannot be reached at the moment; send the request again later"
    return error_response(ApiError(500, "Internal server error", {"issue": issue}))


def _unexpected(error: Exception) -> Response:
    logger.error("unexpected error", exc_info=error)
    issue = UNREAD_ISSUES[500]
    return error_response(ApiError(500, "Internal server error", {"issue": issue}))
