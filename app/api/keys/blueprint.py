"""The resource of keys, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response

from app.api.callers.current_caller import current_caller, unauthorized_error
from app.api.endpoints.endpoint import Tag
from app.api.endpoints.record_schemas import response_schema
from app.api.errors.api_error import ApiError
from app.api.keys.schemas import KeyIdSchema
from app.api.responses.fields import string_field
from app.api.serving.error_response import error_response
from app.api.serving.resource import Resource
from app.identity.accounts.errors import (
    KeyStateError,
    NoSuchAccountError,
    NoSuchKeyError,
    NotGrantableError,
    SuspendedAccountError,
)
from app.identity.accounts.key_records import KeyRecord
from app.identity.accounts.permissions import Permission, sorted_permissions

KeySchema = response_schema(KeyRecord)
CreatedKeySchema = response_schema(
    KeyRecord,
    "CreatedKey",
    key=string_field(
        "The key itself. Store it now: only its hash is kept.", pattern="^ak_[0-9a-f]{64}$"
    ),
)

blueprint = Blueprint("keys", __name__)
KEY_RESOURCE = Resource(
    blueprint,
    Tag("Keys", "The API keys of the account."),
    noun="key",
    path="/keys/<key_id>",
    collection="/keys",
    schema=KeySchema,
    variables=KeyIdSchema(),
    missing=NoSuchKeyError,
    permission=Permission.ADMIN,
)


@blueprint.errorhandler(NotGrantableError)
def handle_not_grantable(error: NotGrantableError) -> Response:
    message = (
        f"API key cannot grant permissions that it lacks: {', '.join(error.lacking)}; "
        "leave them out, or use a key that has them"
    )
    granted = sorted_permissions(current_caller().permissions)
    return error_response(
        ApiError(403, message, details={"required": error.lacking, "granted": granted})
    )


@blueprint.errorhandler(KeyStateError)
def handle_key_state(error: KeyStateError) -> Response:
    issue = f"{error}; create another key with POST /keys"
    return error_response(ApiError(400, "Key cannot be changed", issue))


@blueprint.errorhandler(SuspendedAccountError)
@blueprint.errorhandler(NoSuchAccountError)
def handle_account_gone(_error: Exception) -> Response:
    """Return 401: the account was suspended or deleted after the key was looked up."""
    return error_response(unauthorized_error())
