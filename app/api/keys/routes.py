"""/keys: list, create, show, change, rotate and revoke keys, each in one transaction."""

import dataclasses
import datetime as dt
from typing import NoReturn

from sqlalchemy.orm import Session

from app.api.declaration import PERMISSION_NOTE, Endpoint, Example, Json, Tag
from app.api.endpoint import endpoint
from app.api.examples import CHANGED_KEY, KEY_REQUEST, NEW_KEY, ROTATION
from app.api.identity import actor, caller
from app.api.keys.blueprint import blueprint
from app.api.keys.response_schemas import CreatedKeySchema, KeySchema, KeysSchema
from app.api.keys.schemas import (
    ChangeKeySchema,
    ChangeOrder,
    KeyIdSchema,
    NewKeyOrder,
    NewKeySchema,
    RotationSchema,
)
from app.api.no_store import NO_STORE, no_store_header
from app.api.problems import Tree, validation_error
from app.api.strict_schema import StrictSchema
from app.core.database import db, iso_string
from app.core.database.clock import database_time
from app.identity.accounts import keys
from app.identity.accounts.errors import AlreadyRevokedError, ExpiryError
from app.identity.accounts.keys import KeyRecord, MintedKey
from app.identity.accounts.models import ApiKey
from app.identity.accounts.permissions import Permission
from app.identity.accounts.transaction import read_only

KEYS = Tag("Keys", "The API keys of the account.")
NOT_FOUND_ERRORS = frozenset({404})
ADMIN_PERMISSION_NOTE = PERMISSION_NOTE.format(permission=Permission.ADMIN)
NO_STORE_HEADER = no_store_header("key")
SHOWN_FIELDS = [
    field.name for field in dataclasses.fields(KeyRecord) if field.name in KeySchema().fields
]


def _session() -> Session:
    """Return a session whose records stay readable after it has ended."""
    return Session(db.engine, expire_on_commit=False)


def _record_body(record: KeyRecord) -> Json:
    """Return a record in the form of KeySchema."""
    shown = {name: getattr(record, name) for name in SHOWN_FIELDS}
    return {
        name: iso_string(value) if isinstance(value, dt.datetime) else value
        for name, value in shown.items()
    }


def _key_body(session: Session, key: ApiKey) -> Json:
    return _record_body(keys.key_record(key, database_time(session)))


def _created_response(session: Session, minted: MintedKey) -> tuple[Json, dict[str, str]]:
    return _key_body(session, minted.record) | {"key": minted.key}, NO_STORE


def _refuse_expiry(error: ExpiryError, schema: StrictSchema, sent: str | None) -> NoReturn:
    issues: Tree = {"expires_at": [str(error)]}
    raise validation_error([(schema, issues, {"expires_at": sent})]) from None


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/keys",
        permission=Permission.ADMIN,
        response=KeysSchema(),
        successes={200: "The keys."},
        tag=KEYS,
        description="Lists the keys of the account, including expired and revoked ones, without "
        "the keys themselves." + ADMIN_PERMISSION_NOTE,
    ),
)
def list_keys() -> Json:
    """List the keys of the account."""
    with read_only() as session:
        found = keys.list_keys(session, caller().account_id)
    return {"keys": [_record_body(record) for record in found]}


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/keys",
        permission=Permission.ADMIN,
        body=NewKeySchema(),
        response=CreatedKeySchema(),
        successes={201: "The new key."},
        response_headers=NO_STORE_HEADER,
        tag=KEYS,
        description="Creates a key for the account. The response is the only place where it is "
        "shown: store it. It cannot have permissions that the key of the request lacks (403)."
        + ADMIN_PERMISSION_NOTE,
        example=Example("A key for a batch job that forecasts", NEW_KEY, KEY_REQUEST),
    ),
)
def create_key(order: NewKeyOrder) -> tuple[Json, dict[str, str]]:
    """Create a key."""
    with _session() as session, session.begin():
        try:
            minted = keys.create_key(
                session,
                actor(),
                caller().account_id,
                order.permissions,
                label=order.label,
                expires_at=order.expires_at,
                within=caller().permissions,
            )
        except ExpiryError as error:
            _refuse_expiry(error, NewKeySchema(), order.sent_expiry)
        return _created_response(session, minted)


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/keys/<key_id>",
        permission=Permission.ADMIN,
        variables=KeyIdSchema(),
        response=KeySchema(),
        successes={200: "The key's record."},
        tag=KEYS,
        description="Shows a key's record, without the key itself." + ADMIN_PERMISSION_NOTE,
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def get_key(key_id: int) -> Json:
    """Show a key's record."""
    with read_only() as session:
        return _key_body(session, keys.find_key(session, key_id, caller().account_id))


@endpoint(
    blueprint,
    Endpoint(
        "PATCH",
        "/keys/<key_id>",
        permission=Permission.ADMIN,
        variables=KeyIdSchema(),
        body=ChangeKeySchema(),
        response=KeySchema(),
        successes={200: "The changed record."},
        tag=KEYS,
        description="Changes the label, the expiry or both; fields left out do not change. The "
        "expiry of an expired or revoked key cannot be changed (400)." + ADMIN_PERMISSION_NOTE,
        example=CHANGED_KEY,
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def change_key(order: ChangeOrder, key_id: int) -> Json:
    """Change a key's label or expiry."""
    with _session() as session, session.begin():
        try:
            key = keys.change_key(
                session,
                actor(),
                key_id,
                label=order.label,
                expires_at=order.expires_at,
                account_id=caller().account_id,
            )
        except ExpiryError as error:
            _refuse_expiry(error, ChangeKeySchema(), order.sent_expiry)
        return _key_body(session, key)


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/keys/<key_id>/rotate",
        permission=Permission.ADMIN,
        variables=KeyIdSchema(),
        body=RotationSchema(),
        response=CreatedKeySchema(),
        successes={201: "The successor."},
        response_headers=NO_STORE_HEADER,
        tag=KEYS,
        description="Creates a successor with the permissions, label, expiry and limits of the "
        "key. The old key keeps working until `grace` has passed. Only an active key can be "
        "rotated (400), and only with a key that has all its permissions (403)."
        + ADMIN_PERMISSION_NOTE,
        example=ROTATION,
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def rotate_key(order: dict[str, dt.timedelta], key_id: int) -> tuple[Json, dict[str, str]]:
    """Replace a key with a successor."""
    with _session() as session, session.begin():
        minted = keys.rotate_key(
            session,
            actor(),
            key_id,
            order["grace"],
            account_id=caller().account_id,
            within=caller().permissions,
        )
        return _created_response(session, minted)


@endpoint(
    blueprint,
    Endpoint(
        "DELETE",
        "/keys/<key_id>",
        permission=Permission.ADMIN,
        variables=KeyIdSchema(),
        successes={204: "The key is revoked."},
        tag=KEYS,
        description="Revokes a key immediately, even during its grace period. Revoking it again "
        "has no effect. Its record is kept." + ADMIN_PERMISSION_NOTE,
        other_errors=NOT_FOUND_ERRORS,
    ),
)
def revoke_key(key_id: int) -> None:
    """Revoke a key."""
    with _session() as session, session.begin():
        try:
            keys.revoke_key(session, actor(), key_id, account_id=caller().account_id)
        except AlreadyRevokedError:
            return
