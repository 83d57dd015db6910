"""The blueprint of keys, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response, request

from app.api.error_response import error_response
from app.api.errors import ApiError, not_found_error
from app.api.identity import caller, unauthorized_error
from app.api.problems import describe_value
from app.identity.accounts.errors import (
    KeyStateError,
    NoSuchAccountError,
    NoSuchKeyError,
    NotGrantableError,
    SuspendedAccountError,
)
from app.identity.accounts.permissions import sorted_permissions

blueprint = Blueprint("keys", __name__)


@blueprint.errorhandler(NoSuchKeyError)
def handle_no_such_key(_error: NoSuchKeyError) -> Response:
    """Return 404, the same whether the key belongs to another account or does not exist."""
    key_id = describe_value((request.view_args or {})["key_id"])
    return error_response(
        not_found_error(f"key {key_id}", "GET /keys lists the keys of the account")
    )


@blueprint.errorhandler(NotGrantableError)
def handle_not_grantable(error: NotGrantableError) -> Response:
    """Return 403 with the permissions that the caller's key lacks."""
    message = (
        f"API key cannot grant permissions that it lacks: {', '.join(error.lacking)}; "
        "leave them out, or use a key that has them"
    )
    granted = sorted_permissions(caller().permissions)
    details = {"required": error.lacking, "granted": granted}
    return error_response(ApiError(403, message, details))


@blueprint.errorhandler(KeyStateError)
def handle_key_state(error: KeyStateError) -> Response:
    """Return 400 with the state of the key."""
    issue = f"{error}; create another key with POST /keys"
    return error_response(ApiError(400, "Key cannot be changed", {"issue": issue}))


@blueprint.errorhandler(SuspendedAccountError)
@blueprint.errorhandler(NoSuchAccountError)
def handle_account_gone(_error: Exception) -> Response:
    """Return 401: the account was suspended or deleted after the key was looked up."""
    return error_response(unauthorized_error())
