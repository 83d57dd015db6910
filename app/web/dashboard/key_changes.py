"""The forms to create, change, rotate and revoke keys, and the page that shows a new key."""

import datetime as dt

from flask import Response, request

from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError
from app.core.database import utcnow
from app.core.database.database_clock import database_time
from app.core.record_fields import MAX_NAME_LENGTH
from app.identity.accounts.errors import (
    AccountError,
    AlreadyRevokedError,
    KeyStateError,
    NoSuchKeyError,
)
from app.identity.accounts.keys import (
    UNCHANGED,
    CreatedKey,
    change_key,
    create_key,
    find_key,
    revoke_key,
    rotate_key,
)
from app.identity.accounts.models import ApiKey, KeyState
from app.identity.accounts.permissions import MEANINGS
from app.web.dashboard.access import actor, admin_transaction, admins_only, member, redirect_to
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.filters import sentence
from app.web.dashboard.forms import Form, read_form
from app.web.dashboard.key_forms import (
    DEFAULT_EXPIRY,
    EXPIRIES,
    KEPT,
    ChangedKeySchema,
    NewKeyFormSchema,
    RotationFormSchema,
    expiry_of,
    grace_of,
)
from app.web.dashboard.key_rows import key_row
from app.web.dashboard.keys import KEY_PATH, allowed_calls, get_key_details, key_page


@blueprint.get("/keys/new")
@admins_only
def new_key() -> Response:
    # A label is suggested: keys without one cannot be distinguished a year later.
    label = f"{member().email.partition('@')[0][:MAX_NAME_LENGTH]}, {utcnow():%-d %b %Y}"
    defaults = {"label": label, "permissions": ["read"], "expires_in": DEFAULT_EXPIRY}
    return _new_key_page(Form(defaults))


@blueprint.post("/keys/new")
@admins_only
def create() -> Response:
    values, form = read_form(NewKeyFormSchema(), request.form)
    if form.errors:
        return _new_key_page(form, 400)
    with admin_transaction() as session:
        created = create_key(
            session,
            actor(),
            member().account_id,
            frozenset(values["permissions"]),
            label=values["label"],
            expires_at=expiry_of(values, database_time(session)),
        )
        now = database_time(session)
    return _created_page(created, now)


@blueprint.post(f"{KEY_PATH}/change")
@admins_only
def change(key_id: int) -> Response:
    values, form = read_form(ChangedKeySchema(), request.form)
    if form.errors:
        return key_page(key_id, 400, change=form)
    try:
        with admin_transaction() as session:
            is_kept = values["expires_in"] == KEPT
            change_key(
                session,
                actor(),
                key_id,
                label=values["label"],
                expires_at=UNCHANGED if is_kept else expiry_of(values, database_time(session)),
                account_id=member().account_id,
            )
    except KeyStateError as error:
        return key_page(key_id, 409, change=Form(form.typed, {"expires_in": sentence(error)}))
    except AccountError as error:
        raise _key_error(error) from None
    return redirect_to("key", key_id=key_id, done="changed")


@blueprint.post(f"{KEY_PATH}/rotate")
@admins_only
def rotate(key_id: int) -> Response:
    """Replace a key with a new one, which is shown once."""
    values, form = read_form(RotationFormSchema(), request.form)
    if form.errors:
        return key_page(key_id, 400, rotation=form)
    try:
        with admin_transaction() as session:
            created = rotate_key(
                session, actor(), key_id, grace_of(values), account_id=member().account_id
            )
            old = find_key(session, key_id)
            now = database_time(session)
    except KeyStateError as error:
        return key_page(key_id, 409, rotation=Form(form.typed, {"grace": sentence(error)}))
    except AccountError as error:
        raise _key_error(error) from None
    return _created_page(created, now, old)


@blueprint.route(f"{KEY_PATH}/revoke", methods=["GET", "POST"])
@admins_only
def revoke(key_id: int) -> Response:
    """Return the page with the effects of revoking a key; on POST, revoke it."""
    if request.method in READ_METHODS:
        described = get_key_details(key_id)
        if described.row.state is KeyState.REVOKED:
            return redirect_to("key", key_id=key_id, done="revoked")
        return account_page("revoke.html", row=described.row, now=described.now)
    try:
        with admin_transaction() as session:
            revoke_key(session, actor(), key_id, account_id=member().account_id)
    except AlreadyRevokedError:
        pass  # the goal is reached
    except AccountError as error:
        raise _key_error(error) from None
    return redirect_to("key", key_id=key_id, done="revoked")


def _new_key_page(form: Form, status: int = 200) -> Response:
    return account_page(
        "new_key.html",
        status,
        form=form,
        meanings=MEANINGS,
        allowed=allowed_calls(),
        expiries=EXPIRIES,
    )


def _created_page(created: CreatedKey, now: dt.datetime, old: ApiKey | None = None) -> Response:
    """Return the page of a new key, without database queries that could fail."""
    return account_page(
        "created_key.html",
        201,
        row=key_row(created.record, now),
        predecessor=old and key_row(old, now),
        secret=created.key,
        now=now,
    )


def _key_error(error: AccountError) -> ApiError:
    if isinstance(error, NoSuchKeyError):
        return ApiError(
            404, "Not found", "your account has no such key; start from the list of keys"
        )
    return ApiError(409, "Not possible", str(error))
