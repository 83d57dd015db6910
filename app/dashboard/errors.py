"""Errors of the dashboard: a page that says what happened and what to do, in place of JSON."""

import logging

from flask import Response
from flask_limiter import RateLimitExceeded
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from app.accounts.transaction import DatabaseUnusableError
from app.api.errors import ApiError, limit_exceeded
from app.dashboard.blueprint import blueprint, page
from app.limits.limiter import leave_store_alone
from app.observability.instruments import KEY_STORE_FAILURES

logger = logging.getLogger(__name__)


@blueprint.errorhandler(ApiError)
def show(error: ApiError) -> Response:
    """Return the page of ``error``."""
    issue = str((error.details or {}).get("issue", error.message))
    response = page("error.html", error.status, title=error.message, issue=issue)
    response.headers.update(error.headers)
    return response


@blueprint.errorhandler(RateLimitExceeded)
def show_limit(_error: RateLimitExceeded) -> Response:
    """Return the page of a limit that is used up."""
    return show(limit_exceeded())


@blueprint.errorhandler(HTTPException)
def show_http(error: HTTPException) -> Response:
    """Return the page of an error that Werkzeug raised."""
    status = error.code or 500
    headers = {}
    issue = "this request could not be understood; go back, reload the page and try again"
    if status == 404:
        issue = "there is no such page, or it is not of your account; start from the overview"
    elif isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
        issue = "a page cannot be asked for in this way; start from the overview"
    return show(ApiError(status, error.name, {"issue": issue}, headers))


@blueprint.errorhandler(SQLAlchemyError)
@blueprint.errorhandler(DatabaseUnusableError)
def show_database(error: Exception) -> Response:
    """Return the page of a database that is away; only the error's kind is logged."""
    logger.error("database unreachable or refusing: %s", type(error).__name__)
    KEY_STORE_FAILURES.inc()
    leave_store_alone()
    issue = "the database cannot be reached at the moment; nothing was changed, try again later"
    return show(ApiError(500, "Internal server error", {"issue": issue}))


@blueprint.errorhandler(Exception)
def show_unexpected(error: Exception) -> Response:
    """Return the page of a bug, which the log describes."""
    logger.error("unexpected error", exc_info=error)
    issue = "the service could not do this; its log says why. Try again, or tell its operator"
    return show(ApiError(500, "Internal server error", {"issue": issue}))
