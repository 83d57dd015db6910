"""The pages that show keys, and the forms to create, change, rotate and revoke them."""

import contextlib
import datetime as dt
from dataclasses import dataclass, replace

from flask import Response, abort, current_app, request
from sqlalchemy import or_, select

from app.api.endpoints.dialect import dialect_of
from app.api.endpoints.endpoint import READ_METHODS, endpoints_of
from app.core.database import utcnow
from app.core.database.database_clock import database_time
from app.core.integers import MAX_ID
from app.core.record_fields import MAX_NAME_LENGTH
from app.core.unchanged import UNCHANGED
from app.identity.accounts.errors import AlreadyRevokedError, ExpiryError, KeyStateError
from app.identity.accounts.keys import (
    CreatedKey,
    change_key,
    create_key,
    get_key,
    revoke_key,
    rotate_key,
)
from app.identity.accounts.models import Account, ApiKey, KeyState
from app.identity.accounts.permissions import PERMISSION_MEANINGS, Permission
from app.identity.accounts.texts import parse_duration
from app.identity.usage import queries
from app.web.dashboard.access import actor, admin_transaction, admins_only, member, redirect_to
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.explained_failures import explain_all
from app.web.dashboard.filters import sentence
from app.web.dashboard.forms import Form, read_form
from app.web.dashboard.keys.forms import (
    DEFAULT_EXPIRY,
    DEFAULT_GRACE,
    EXPIRIES,
    EXPIRY,
    GRACES,
    KEPT_EXPIRY,
    ChangedKeySchema,
    NewKeyFormSchema,
    RotationFormSchema,
)
from app.web.dashboard.keys.rows import (
    SPARK_DAYS,
    STATE_TITLES,
    KeyListQuery,
    KeyRow,
    fetch_account_keys,
    key_row,
    paginate_keys,
)
from app.web.dashboard.live_windows import live_windows

_KEY_PATH = f"/keys/<int(max={MAX_ID}):key_id>"
_NOTICES = {"changed": "Key saved.", "revoked": "Key revoked: calls with it now get 401."}


@dataclass(frozen=True)
class KeyDetails:
    row: KeyRow
    predecessor: KeyRow | None
    successor: KeyRow | None
    account: Account
    now: dt.datetime


@blueprint.get("/keys")
def keys() -> Response:
    listing = KeyListQuery.from_query(request.args)
    account_keys = fetch_account_keys(member().account_id)
    return account_page(
        "keys.html",
        notices=_NOTICES,
        listing=listing,
        matching=paginate_keys(account_keys.rows, listing),
        states=STATE_TITLES,
        number=len(account_keys.rows),
        days=SPARK_DAYS,
        now=account_keys.now,
    )


@blueprint.get(_KEY_PATH)
def key(key_id: int) -> Response:
    return key_page(key_id)


def key_page(
    key_id: int, status: int = 200, *, change: Form | None = None, rotation: Form | None = None
) -> Response:
    """Return the page of a key of the member's account, with forms as sent."""
    details = get_key_details(key_id)
    record = details.row.record
    week_ago = details.now - dt.timedelta(days=7)
    failures = queries.fetch_failures(record.account_id, week_ago, key_id=key_id, limit=5)
    limited_key = None if details.account.tier else record
    return account_page(
        "key.html",
        status,
        notices=_NOTICES,
        **vars(details),
        key=record,
        days=SPARK_DAYS,
        limits=live_windows(details.account, limited_key),
        failures=explain_all(failures),
        change=change or Form({"label": record.label, "expires_in": KEPT_EXPIRY}),
        rotation=rotation or Form({"grace": DEFAULT_GRACE}),
        expiries={KEPT_EXPIRY: "Keep"} | EXPIRIES,
        graces=GRACES,
        meanings=PERMISSION_MEANINGS,
    )


def get_key_details(key_id: int) -> KeyDetails:
    """Return a key of the member's account; raise 404 if there is none."""
    account_id = member().account_id
    successor = select(ApiKey.successor_id).where(ApiKey.id == key_id).scalar_subquery()
    is_related = or_(ApiKey.id == key_id, ApiKey.successor_id == key_id, ApiKey.id == successor)
    account_keys = fetch_account_keys(account_id, is_related)
    rows = {
        row.record.id: replace(row, callers=queries.fetch_addresses(account_id, row.record.id))
        for row in account_keys.rows
    }
    if key_id not in rows:
        abort(404)
    row = rows[key_id]
    predecessors = [row for row in rows.values() if row.record.successor_id == key_id]
    return KeyDetails(
        row,
        predecessors[0] if predecessors else None,
        rows.get(row.record.successor_id or 0),
        account_keys.account,
        account_keys.now,
    )


def allowed_calls() -> dict[Permission, list[str]]:
    """Return the endpoints that each permission allows, without compatible APIs."""
    calls: dict[Permission, list[str]] = {permission: [] for permission in Permission}
    for endpoint in endpoints_of(current_app).values():
        if endpoint.permission is not None and dialect_of(endpoint.path) is None:
            calls[endpoint.permission].append(str(endpoint))
    return calls


@blueprint.get("/keys/new")
@admins_only
def new_key() -> Response:
    # Suggest a label: keys without one cannot be distinguished a year later.
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
            expires_at=EXPIRY.end(values, database_time(session)),
        )
        now = database_time(session)
    return _created_page(created, now)


@blueprint.post(f"{_KEY_PATH}/change")
@admins_only
def change(key_id: int) -> Response:
    values, form = read_form(ChangedKeySchema(), request.form)
    if form.errors:
        return key_page(key_id, 400, change=form)
    try:
        with admin_transaction() as session:
            is_kept = values["expires_in"] == KEPT_EXPIRY
            change_key(
                session,
                actor(),
                key_id,
                label=values["label"],
                expires_at=UNCHANGED if is_kept else EXPIRY.end(values, database_time(session)),
                account_id=member().account_id,
            )
    except (ExpiryError, KeyStateError) as error:
        return key_page(key_id, 409, change=Form(form.typed, {"expires_in": sentence(error)}))
    return redirect_to("key", key_id=key_id, done="changed")


@blueprint.post(f"{_KEY_PATH}/rotate")
@admins_only
def rotate(key_id: int) -> Response:
    """Replace a key with a new one, which is shown once."""
    values, form = read_form(RotationFormSchema(), request.form)
    if form.errors:
        return key_page(key_id, 400, rotation=form)
    try:
        with admin_transaction() as session:
            created = rotate_key(
                session,
                actor(),
                key_id,
                parse_duration(values["grace"]),
                account_id=member().account_id,
            )
            old = get_key(session, key_id)
            now = database_time(session)
    except KeyStateError as error:
        return key_page(key_id, 409, rotation=Form(form.typed, {"grace": sentence(error)}))
    return _created_page(created, now, old)


@blueprint.route(f"{_KEY_PATH}/revoke", methods=["GET", "POST"])
@admins_only
def revoke(key_id: int) -> Response:
    """Return the page with the effects of revoking a key; on POST, revoke it."""
    if request.method in READ_METHODS:
        details = get_key_details(key_id)
        if details.row.state is KeyState.REVOKED:
            return redirect_to("key", key_id=key_id, done="revoked")
        return account_page("revoke.html", row=details.row, now=details.now)
    # One that is already revoked stays as it is.
    with contextlib.suppress(AlreadyRevokedError), admin_transaction() as session:
        revoke_key(session, actor(), key_id, account_id=member().account_id)
    return redirect_to("key", key_id=key_id, done="revoked")


def _new_key_page(form: Form, status: int = 200) -> Response:
    return account_page(
        "new_key.html",
        status,
        form=form,
        meanings=PERMISSION_MEANINGS,
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
