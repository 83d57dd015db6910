"""Keys of an account and calls with them, for the pages of the dashboard."""

import datetime as dt
import re
from typing import Any

from flask import Flask
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from app.core.database import db
from app.identity.accounts.accounts import get_account
from app.identity.accounts.keys import create_key, rotate_key
from app.identity.accounts.models import DEFAULT_ACCOUNT, ApiKey
from app.identity.accounts.permissions import parse_permissions
from tests.support.keys import ACTOR

SECRET = re.compile(r"ak_[0-9a-f]{64}")


def make(
    app: Flask,
    label: str = "",
    permissions: str = "read",
    account: str = DEFAULT_ACCOUNT,
    **columns: Any,
) -> tuple[int, str]:
    """Create a key with these ``columns`` in the database; return its id and the key."""
    with app.app_context(), Session(db.engine) as session, session.begin():
        granted = parse_permissions(permissions.split(","))
        created = create_key(session, ACTOR, get_account(session, account).id, granted, label=label)
        key_id = created.record.id
        if columns:
            session.execute(update(ApiKey).where(ApiKey.id == key_id).values(**columns))
        return key_id, created.key


def rotate(app: Flask, key_id: int, hours: int = 24) -> tuple[int, str]:
    """Rotate a key; return the id of its successor and the new key."""
    with app.app_context(), Session(db.engine) as session, session.begin():
        created = rotate_key(session, ACTOR, key_id, dt.timedelta(hours=hours))
        return created.record.id, created.key


def key_row(engine: Engine, key_id: int) -> ApiKey:
    """Return the row of a key in the database."""
    with Session(engine) as session:
        return session.scalars(select(ApiKey).where(ApiKey.id == key_id)).one()


def time_ago(**length: float) -> dt.datetime:
    """Return the moment this long ago."""
    return dt.datetime.now(dt.UTC) - dt.timedelta(**length)


def secret_of(response: TestResponse) -> str:
    """Return the one key that a page shows."""
    result = set(SECRET.findall(response.get_data(as_text=True)))
    assert len(result) == 1
    return result.pop()


def labels(response: TestResponse) -> list[str]:
    """Return the labels of the keys in a list, in its order."""
    return re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>', response.get_data(as_text=True))
