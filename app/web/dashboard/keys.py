"""The pages that show keys; those that change keys are in `key_changes`."""

import datetime as dt
from dataclasses import dataclass, replace
from typing import Any

from flask import Response, abort, current_app, request
from sqlalchemy import or_, select

from app.api.endpoints.dialect import dialect_of
from app.api.endpoints.endpoint import endpoints_of
from app.core.units import MAX_ID
from app.identity.accounts.models import Account, ApiKey
from app.identity.accounts.permissions import MEANINGS, Permission
from app.identity.usage import queries
from app.web.dashboard.access import member
from app.web.dashboard.blueprint import account_page, blueprint
from app.web.dashboard.forms import Form
from app.web.dashboard.key_forms import DEFAULT_GRACE, EXPIRIES, GRACES, KEPT
from app.web.dashboard.key_list import STATES, KeyListQuery, find_keys
from app.web.dashboard.key_rows import SPARK_DAYS, KeyRow, fetch_key_rows
from app.web.dashboard.live_windows import live_windows
from app.web.dashboard.remedies import explain_all

KEY_PATH = f"/keys/<int(max={MAX_ID}):key_id>"
_NOTICES = {
    "changed": "The key is changed.",
    "revoked": "The key is revoked: calls with it now get 401.",
}


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
    _, rows, now = fetch_key_rows(member().account_id)
    return account_page(
        "keys.html",
        notices=_NOTICES,
        listing=listing,
        matching=find_keys(rows, listing),
        states=STATES,
        number=len(rows),
        days=SPARK_DAYS,
        now=now,
    )


@blueprint.get(KEY_PATH)
def key(key_id: int) -> Response:
    return key_page(key_id)


def key_page(
    key_id: int, status: int = 200, *, change: Form | None = None, rotation: Form | None = None
) -> Response:
    """Return the page of a key of the member's account, with forms as sent."""
    described = get_key_details(key_id)
    record = described.row.record
    week_ago = described.now - dt.timedelta(days=7)
    failures = queries.fetch_failures(record.account_id, week_ago, key_id=key_id, limit=5)
    limited_key = None if described.account.tier else record
    return account_page(
        "key.html",
        status,
        notices=_NOTICES,
        described=described,
        row=described.row,
        key=record,
        now=described.now,
        days=SPARK_DAYS,
        limits=live_windows(described.account, limited_key),
        failures=explain_all(failures),
        change=change or Form({"label": record.label, "expires_in": KEPT}),
        rotation=rotation or Form({"grace": DEFAULT_GRACE}),
        expiries={KEPT: "Keep"} | EXPIRIES,
        graces=GRACES,
        meanings=MEANINGS,
    )


def get_key_details(key_id: int) -> KeyDetails:
    """Return a key of the member's account; raise 404 if there is none."""
    account_id = member().account_id
    is_related = or_(ApiKey.id == key_id, ApiKey.successor_id == key_id, _successor_of(key_id))
    account, related, now = fetch_key_rows(account_id, is_related)
    rows = {
        row.record.id: replace(row, callers=queries.fetch_addresses(account_id, row.record.id))
        for row in related
    }
    if key_id not in rows:
        abort(404)
    row = rows[key_id]
    predecessors = [row for row in rows.values() if row.record.successor_id == key_id]
    return KeyDetails(
        row,
        predecessors[0] if predecessors else None,
        rows.get(row.record.successor_id or 0),
        account,
        now,
    )


def _successor_of(key_id: int) -> Any:
    return ApiKey.id == select(ApiKey.successor_id).where(ApiKey.id == key_id).scalar_subquery()


def allowed_calls() -> dict[Permission, list[str]]:
    """Return the endpoints that each permission allows, without compatible APIs."""
    calls: dict[Permission, list[str]] = {permission: [] for permission in Permission}
    for endpoint in endpoints_of(current_app).values():
        if endpoint.permission is not None and dialect_of(endpoint.path) is None:
            calls[endpoint.permission].append(str(endpoint))
    return calls
