"""Accounts and keys for tests, and requests with them."""

import datetime as dt
import itertools
from collections.abc import Iterable
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from app.core.api_keys import hash_key
from app.core.database import db
from app.identity.accounts.accounts import create_account, get_account, set_tier
from app.identity.accounts.audit import Actor
from app.identity.accounts.keys import create_key
from app.identity.accounts.models import ApiKey
from app.identity.accounts.permissions import Permission
from app.identity.limits.tiers import Allowance
from tests.support.databases import second_application

_numbers = itertools.count(1)

READ = (Permission.READ,)
ACTOR = Actor(os_user="tests", host="localhost")

QUICK = {"X-Model-Id": "forecast-model-2"}


def bearer(key: str) -> dict[str, str]:
    """Return the header that presents ``key``."""
    return {"Authorization": f"Bearer {key}"}


def post(client: FlaskClient, key: str | None, body: Any = None, **options: Any) -> TestResponse:
    """Send POST /forecast with ``key``; the default body gets a quick 400."""
    headers = QUICK | (bearer(key) if key else {}) | options.pop("headers", {})
    return client.post("/forecast", json={} if body is None else body, headers=headers, **options)


def verify(client: FlaskClient, key: str | None, **options: Any) -> TestResponse:
    return client.get("/verify", headers=bearer(key) if key else {}, **options)


def remaining_requests(client: FlaskClient, key: str) -> int:
    """Return the remaining requests of ``key`` by /verify."""
    return int(verify(client, key).get_json()["rateLimit"]["remaining"])


def make_account(app: Flask, name: str, tier: str | None, *custom: int) -> str:
    """Create an account and return its name."""
    with app.app_context(), Session(db.engine) as session, session.begin():
        create_account(session, ACTOR, name, tier, Allowance(*custom) if custom else None)
    return name


def change_tier(app: Flask, name: str, tier: str | None, *custom: int) -> None:
    """Change the tier of an account."""
    with app.app_context(), Session(db.engine) as session, session.begin():
        set_tier(session, ACTOR, name, tier, Allowance(*custom) if custom else None)


def record_of(app: Flask, key: str) -> ApiKey:
    """Return what the database holds of ``key``."""
    with app.app_context(), Session(db.engine) as session:
        return session.scalars(select(ApiKey).where(ApiKey.key_hash == hash_key(key))).one()


def change_key(app: Flask, key: str, **columns: Any) -> None:
    """Set columns of a key in the database."""
    with app.app_context(), db.engine.begin() as connection:
        statement = update(ApiKey).where(ApiKey.key_hash == hash_key(key)).values(**columns)
        assert connection.execute(statement).rowcount == 1


def moment_in(seconds: float) -> dt.datetime:
    """Return the moment that is ``seconds`` from now."""
    return dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)


def new_key(
    database_url: str,
    per_minute: int = 1_000_000,
    permissions: Iterable[Permission] = READ,
    *,
    longer: int | None = None,
) -> str:
    """Create a key of a new account with that limit, beside a running server.

    ``longer`` is the limit of an hour and of a day, the same if it is left out.
    """
    name = f"account-{next(_numbers)}"
    with second_application(database_url) as app:
        longer = longer or per_minute
        make_account(app, name, "enterprise", per_minute, longer, longer)
        with Session(db.engine) as session, session.begin():
            granted = frozenset(permissions)
            return create_key(session, ACTOR, get_account(session, name).id, granted).key


def usage(database_url: str, key: str) -> int:
    """Return the usage count of a key, beside a running server."""
    return key_row(database_url, key).usage_count


def key_row(database_url: str, key: str) -> ApiKey:
    """Return what the database holds of a key, beside a running server."""
    with second_application(database_url) as app:
        return record_of(app, key)
