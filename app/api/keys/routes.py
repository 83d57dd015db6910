"""/keys: list, create, show, change, rotate and revoke keys, each in one transaction."""

from sqlalchemy.orm import Session

from app.api.callers.current_caller import current_actor, current_caller
from app.api.endpoints.endpoint import Success
from app.api.errors.api_error import INVALID_PARAMETERS, ApiError, defect_error
from app.api.examples.recorded import EXAMPLES
from app.api.keys.blueprint import KEY_RESOURCE, CreatedKeySchema, KeySchema
from app.api.keys.schemas import (
    ChangeKeySchema,
    KeyChangeRequest,
    KeyRotationRequest,
    NewKeyRequest,
    NewKeySchema,
    RotationSchema,
)
from app.api.responses.json import Json
from app.core.database.database_clock import database_time
from app.core.database.engine import read_session, write_session
from app.identity.accounts import key_records, keys
from app.identity.accounts.errors import AlreadyRevokedError, ExpiryError
from app.identity.accounts.key_records import KeyRecord
from app.identity.accounts.keys import CreatedKey
from app.identity.accounts.models import ApiKey


def list_keys(account_id: int) -> list[KeyRecord]:
    with read_session() as session:
        return key_records.list_keys(session, account_id)


def get_key(account_id: int, key_id: int) -> KeyRecord:
    with read_session() as session:
        return _current_record(session, keys.get_key(session, key_id, account_id))


KEY_RESOURCE.declare_list(
    list_keys,
    "Oldest first, including expired and revoked keys.",
    description="Lists the keys of the account, including expired and revoked ones, without the "
    "keys themselves.",
)


@KEY_RESOURCE.endpoint(
    "POST",
    "/keys",
    body=NewKeySchema(),
    successes={201: Success("The new key.", CreatedKeySchema())},
    description="Creates a key for the account. The response is the only place where it is "
    "shown: store it. It cannot have permissions that the key of the request lacks (403).",
    example=EXAMPLES.success("key", "A key for a batch job that forecasts"),
)
def create_key(request: NewKeyRequest) -> Json:
    """Create a key."""
    with write_session() as session:
        try:
            created = keys.create_key(
                session,
                current_actor(),
                current_caller().account_id,
                request.permissions,
                label=request.label,
                expires_at=request.expires_at,
                max_permissions=current_caller().permissions,
            )
        except ExpiryError as error:
            raise _expiry_error(error, request.sent_expiry) from None
        return _created_body(session, created)


KEY_RESOURCE.declare_get(
    get_key,
    "Shows a key's record, without the key itself.",
    shown="key's record",
)


@KEY_RESOURCE.endpoint(
    "PATCH",
    "/keys/<key_id>",
    body=ChangeKeySchema(),
    successes={200: Success("The changed record.", KeySchema())},
    description="Changes the label, the expiry or both; fields left out do not change. The "
    "expiry of an expired or revoked key cannot be changed, that of a rotated one only be earlier "
    "(400).",
    example=EXAMPLES.success("key-change", "Another label"),
)
def change_key(request: KeyChangeRequest, key_id: int) -> KeyRecord:
    """Change a key's label or expiry."""
    with write_session() as session:
        try:
            key = keys.change_key(
                session,
                current_actor(),
                key_id,
                label=request.label,
                expires_at=request.expires_at,
                account_id=current_caller().account_id,
            )
        except ExpiryError as error:
            raise _expiry_error(error, request.sent_expiry) from None
        return _current_record(session, key)


def _expiry_error(error: ExpiryError, sent: str | None) -> ApiError:
    return defect_error(*INVALID_PARAMETERS, "expires_at", str(error), sent)


def _current_record(session: Session, key: ApiKey) -> KeyRecord:
    return key_records.key_record(key, database_time(session))


@KEY_RESOURCE.endpoint(
    "POST",
    "/keys/<key_id>/rotate",
    body=RotationSchema(),
    successes={201: Success("The successor.", CreatedKeySchema())},
    description="Creates a successor with the permissions, label, expiry and limits of the "
    "key. The old key keeps working until `grace` has passed. Only an active key can be "
    "rotated (400), and only with a key that has all its permissions (403).",
    example=EXAMPLES.success("rotation", "The old key works for another day"),
)
def rotate_key(request: KeyRotationRequest, key_id: int) -> Json:
    """Replace a key with a successor."""
    with write_session() as session:
        created = keys.rotate_key(
            session,
            current_actor(),
            key_id,
            request.grace,
            account_id=current_caller().account_id,
            max_permissions=current_caller().permissions,
        )
        return _created_body(session, created)


def _created_body(session: Session, created: CreatedKey) -> Json:
    return vars(_current_record(session, created.record)) | {"key": created.key}


@KEY_RESOURCE.endpoint(
    "DELETE",
    "/keys/<key_id>",
    successes={204: Success("The key is revoked.")},
    description="Revokes a key immediately, even during its grace period. Revoking it again "
    "has no effect. Its record is kept.",
)
def revoke_key(key_id: int) -> None:
    """Revoke a key."""
    with write_session() as session:
        try:
            keys.revoke_key(
                session, current_actor(), key_id, account_id=current_caller().account_id
            )
        except AlreadyRevokedError:
            return
