"""Turn exceptions other than ``ApiError`` into the one error shape.

They are Werkzeug's, an exceeded limit, an unreachable database, or a bug.
"""

import logging
from collections.abc import Sequence

from flask import Flask, Response, current_app, request
from flask_limiter import RateLimitExceeded
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from app.api.callers.limiter import limit_exceeded_error
from app.api.endpoints.dialect import dialect_endpoints, dialects_of
from app.api.endpoints.endpoint import Endpoint, endpoints_of, openapi_path
from app.api.errors.api_error import ApiError, too_many_error
from app.api.errors.nearest import nearest_path
from app.api.errors.statuses import ISSUES_BY_STATUS
from app.api.serving.database_errors import database_error
from app.api.serving.error_response import error_response
from app.identity.accounts.errors import TooManyError

logger = logging.getLogger(__name__)

_MAX_PATH_LENGTH = 200  # of a path in a message


def register_error_handlers(app: Flask) -> None:
    """Give every failure of ``app`` the envelope."""
    app.register_error_handler(ApiError, error_response)
    app.register_error_handler(
        RateLimitExceeded, lambda _error: error_response(limit_exceeded_error())
    )
    app.register_error_handler(TooManyError, lambda error: error_response(too_many_error(error)))
    app.register_error_handler(HTTPException, handle_http_exception)
    app.register_error_handler(SQLAlchemyError, _handle_database_error)
    app.register_error_handler(Exception, _handle_unexpected_error)


def handle_http_exception(error: HTTPException) -> Response:
    """Return the error of a request that Werkzeug has ended."""
    status = error.code or 500
    path = request.path[:_MAX_PATH_LENGTH]
    endpoints = endpoints_of(current_app).values()
    endpoints_here = dialect_endpoints(request.path, endpoints, dialects_of(current_app))
    endpoints_text = ", ".join(map(str, endpoints_here))
    headers = {}
    if status == 404:
        meant = _suggest_endpoint(endpoints_here)
        issue = f"there is no {path}; {meant}the endpoints are {endpoints_text}"
    elif isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        issue = f"{request.method} is not allowed on {path}; send {allowed}"
        headers["Allow"] = allowed
    else:
        issue = f"the request could not be understood: {error.name}; send one of {endpoints_text}"
    return error_response(ApiError(status, error.name, issue, headers=headers))


def _suggest_endpoint(endpoints: Sequence[Endpoint]) -> str:
    """Return ``did you mean METHOD PATH? `` for the nearest of ``endpoints``; "" without one."""
    methods_by_path: dict[str, list[str]] = {}
    for endpoint in endpoints:
        methods_by_path.setdefault(openapi_path(endpoint.path), []).append(endpoint.method)
    nearest = nearest_path(request.path, methods_by_path)
    if nearest is None:
        return ""
    template, path = nearest
    methods = methods_by_path[template]
    method = request.method if request.method in methods else ", ".join(methods)
    return f"did you mean {method} {path}? "


def _handle_database_error(error: SQLAlchemyError) -> Response:
    return error_response(database_error(error, "send the request again later"))


def _handle_unexpected_error(error: Exception) -> Response:
    logger.error("unexpected error", exc_info=error)
    return error_response(ApiError(500, "Internal server error", ISSUES_BY_STATUS[500]))
