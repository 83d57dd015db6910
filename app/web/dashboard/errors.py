"""Error pages of the dashboard: what happened and what to do, in HTML instead of JSON."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from flask import Response, request
from flask_limiter import RateLimitExceeded
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from app.api.callers.limiter import limit_exceeded_error
from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError
from app.api.serving.database_errors import database_error
from app.delivery.webhook_records import NoSuchWebhookError
from app.identity.accounts.errors import AccountError, NoSuchKeyError
from app.identity.limits.headers import retry_after
from app.identity.members.errors import (
    IdentityProviderBusyError,
    InvalidLinkError,
    MemberError,
    NoSuchMemberError,
    SuspendedSignInError,
)
from app.identity.members.sign_in import WrongPasswordError
from app.identity.members.throttle import TooManyFailuresError
from app.timeseries.words import count_of
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.sources.source_records import NoSuchQueryError, NoSuchSourceError
from app.web.dashboard.blueprint import account_page, blueprint

logger = logging.getLogger(__name__)


# The status for each class of error; 400 for all others.
_STATUSES: dict[type[AccountError], int] = {
    NoSuchMemberError: 404,
    InvalidLinkError: 404,
    SuspendedSignInError: 403,
    WrongPasswordError: 403,
}


def status_of(error: AccountError) -> int:
    return _STATUSES.get(type(error), 400)


@blueprint.errorhandler(AccountError)
def account_error_page(error: AccountError) -> Response:
    status = status_of(error)
    return error_page(ApiError(status, HTTPStatus(status).phrase, str(error)))


def failed_form(
    form: Callable[[int, object], Response], error: MemberError | TooManyFailuresError
) -> Response:
    """Return a form with the problem of its sign-in; after too many, with the time to wait."""
    if isinstance(error, MemberError):
        return form(status_of(error), error)
    wait = retry_after(error.window, error.now)
    problem = (
        f"{error.window.limit} sign-ins have failed within a minute: "
        f"wait {count_of(int(wait), 'second')}, then enter the password again"
    )
    response = form(429, problem)
    response.headers["Retry-After"] = wait  # for programs
    return response


@blueprint.errorhandler(IdentityProviderBusyError)
def busy_page(_error: IdentityProviderBusyError) -> Response:
    issue = "the identity provider responds slowly; sign in again in a minute"
    return error_page(ApiError(503, "Sign-in is busy", issue))


@blueprint.errorhandler(ApiError)
def error_page(error: ApiError) -> Response:
    response = account_page("error.html", error.status, title=error.message, issue=error.issue)
    response.headers.update(error.headers)
    return response


@blueprint.errorhandler(RateLimitExceeded)
def limit_page(_error: RateLimitExceeded) -> Response:
    return error_page(limit_exceeded_error())


@blueprint.errorhandler(NotFound)
@blueprint.errorhandler(HTTPException)
def http_error_page(error: HTTPException) -> Response:
    status = error.code or 500
    headers = {}
    issue = "this request could not be understood; go back, reload the page and try again"
    if status == 404:
        issue = (
            "this page does not exist or does not belong to your account; start from the overview"
        )
    elif isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
        issue = "this page does not support this method; start from the overview"
    return error_page(ApiError(status, error.name, issue, headers=headers))


@blueprint.errorhandler(NoSuchKeyError)
def unknown_key_page(_error: NoSuchKeyError) -> Response:
    issue = "your account has no such key; start from the list of keys"
    return error_page(ApiError(404, "Not found", issue))


@blueprint.errorhandler(NoSuchMonitorError)
@blueprint.errorhandler(NoSuchQueryError)
@blueprint.errorhandler(NoSuchSourceError)
@blueprint.errorhandler(NoSuchWebhookError)
def not_found_page(_error: Exception) -> Response:
    """Return the 404 page, the same for what belongs to another account."""
    return http_error_page(NotFound())


@blueprint.errorhandler(SQLAlchemyError)
def database_error_page(error: SQLAlchemyError) -> Response:
    remedy = "try again later"
    if request.method not in READ_METHODS:  # the request may have failed after the change
        remedy += ", but first check whether your change was saved"
    return error_page(database_error(error, remedy))


@blueprint.errorhandler(Exception)
def unexpected_error_page(error: Exception) -> Response:
    """Return the page for a bug; the details are in the log."""
    logger.error("unexpected error", exc_info=error)
    issue = "the service failed, and its log has the details; try again, or tell the operator"
    return error_page(ApiError(500, "Internal server error", issue))
