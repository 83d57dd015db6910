"""Quotas and the audit trail of changes to monitors, webhooks, sources and queries."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.audit import Action, Actor, record_event
from app.identity.accounts.errors import TooManyError
from app.identity.accounts.models import Account


@contextlib.contextmanager
def open_change(actor: Actor) -> Iterator[Connection]:
    """Open the transaction of a change by ``actor``; raise what ``check_rights`` raises."""
    with db.engine.begin() as connection:
        if actor.check_rights is not None:
            actor.check_rights(connection)
        yield connection


def check_quota(connection: Connection, condition: Any, error: TooManyError) -> None:
    """Raise ``error`` if the number of rows that meet ``condition`` has reached its maximum."""
    if connection.scalars(select(func.count()).where(condition)).one() >= error.max_count:
        raise error


def changed_columns(
    row: Row[Any], values: Mapping[str, Any], setting_names: Mapping[str, str]
) -> str:
    """Return the names of the columns that ``values`` change, never their values.

    Columns in ``setting_names`` are called by their settings.
    """
    names = (name for name, value in values.items() if getattr(row, name) != value)
    return ", ".join(dict.fromkeys(setting_names.get(name, name) for name in names))


def record_change(
    connection: Connection, actor: Actor, action: Action, account_id: int, detail: str
) -> None:
    """Add an event to the audit trail, in the transaction of its change."""
    with Session(connection) as session:
        record_event(session, actor, action, session.get_one(Account, account_id), detail=detail)
