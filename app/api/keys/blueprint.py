"""The blueprint of keys: what its views raise, as errors of the API."""

from flask import Blueprint, Response, request

from app.accounts.errors import (
    KeyStateError,
    NoSuchAccountError,
    NoSuchKeyError,
    NotGrantableError,
    SuspendedAccountError,
)
from app.accounts.permissions import sorted_permissions
from app.api.errors import ApiError, error_response, not_found, unauthorized
from app.api.identity import caller
from app.api.problems import describe

blueprint = Blueprint("keys", __name__)


@blueprint.errorhandler(NoSuchKeyError)
def no_such_key(_error: NoSuchKeyError) -> Response:
    """Say so, in the same words whether it is another account's or nobody's."""
    key_id = describe((request.view_args or {})["key_id"])
    return error_response(not_found(f"key {key_id}", "GET /keys lists those that exist"))


@blueprint.errorhandler(NotGrantableError)
def not_grantable(error: NotGrantableError) -> Response:
    """Say what the caller's key lacks itself."""
    message = (
        f"API key cannot grant what it lacks: {', '.join(error.lacking)}; "
        "leave that out, or send a key that has it"
    )
    granted = sorted_permissions(caller().permissions)
    details = {"required": error.lacking, "granted": granted}
    return error_response(ApiError(403, message, details))


@blueprint.errorhandler(KeyStateError)
def not_in_this_state(error: KeyStateError) -> Response:
    """Say in which state the key is."""
    issue = f"{error}; POST /keys creates another"
    return error_response(ApiError(400, "Key cannot be changed", {"issue": issue}))


@blueprint.errorhandler(SuspendedAccountError)
@blueprint.errorhandler(NoSuchAccountError)
def no_longer_valid(_error: Exception) -> Response:
    """The account was suspended or deleted since the key was looked up."""
    return error_response(unauthorized())
