"""Create, change and delete the queries of sources.

A change locks the account first, as the creation of a monitor does.
"""

import datetime as dt
import itertools
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from app.core.database import utcnow
from app.core.settings import Settings
from app.delivery.webhook_registry import lock_webhook
from app.identity.accounts.accounts import lock_account_row
from app.identity.accounts.audit import Action, Actor
from app.identity.accounts.changes import changed_columns, check_quota, open_change, record_change
from app.identity.accounts.errors import NameTakenError, TooManyError
from app.watching.models.sources import (
    MAX_SOURCE_NAME_LENGTH,
    QUERIES,
    SERIES,
    QueryState,
    query_name,
)
from app.watching.monitors import fed_monitors
from app.watching.monitors.settings.limits import serialize_limit
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.sources.query_states import state_columns
from app.watching.sources.series import labels_json
from app.watching.sources.source_reader import get_source_row, read_query_record
from app.watching.sources.source_records import NoSuchQueryError, QueryFixedError, QuerySettings

# The time in which no worker polls a query that is being deleted.
_DELETION_LEASE = dt.timedelta(minutes=10)
_FIXED_COLUMNS = ("query", "step")


def put_query(
    settings: Settings,
    actor: Actor,
    account_id: int,
    source: str,
    name: str,
    query_settings: QuerySettings,
    *,
    must_be_new: bool = False,
) -> bool:
    """Create a query, or replace the settings of the one with this name, and of its monitors.

    Return whether it is new. Raise NoSuchSourceError, NoSuchWebhookError, QueryFixedError or
    TooManyError; NameTakenError if there is one with this name, and it ``must_be_new``.
    """
    path = f"{source}/{name}"
    with open_change(actor) as connection:
        lock_account_row(connection, account_id)
        source_id = get_source_row(connection, account_id, source).id
        # Webhooks are locked before queries, as when a webhook is deleted.
        webhook_id = _lock_webhook(connection, account_id, query_settings.webhook)
        values = _query_values(query_settings, webhook_id)
        row = _lock_query_if_any(connection, source_id, name)
        if row is not None and must_be_new:
            raise NameTakenError("query", owner="source")
        if row is not None:
            _update_query(connection, actor, path, row, query_settings.monitor_settings, values)
            return False
        check_quota(
            connection,
            QUERIES.c.source_id == source_id,
            TooManyError(
                "query", settings.queries_per_source, "QUERIES_PER_SOURCE", owner="source"
            ),
        )
        unique_name = _unique_query_name(connection, account_id, source, name)
        values |= {"account_id": account_id, "source_id": source_id, "name": unique_name}
        values["path_name"] = None if unique_name == name else name
        connection.execute(insert(QUERIES).values(values | _new_state()))
        record_change(connection, actor, Action.QUERY_CREATED, account_id, path)
    return True


def change_query(
    actor: Actor, account_id: int, source: str, name: str, changes: Mapping[str, Any]
) -> None:
    """Change the settings of a query that ``changes`` names; others may change the rest.

    Raise NoSuchSourceError, NoSuchQueryError, NoSuchWebhookError or QueryFixedError.
    """
    with open_change(actor) as connection:
        lock_account_row(connection, account_id)
        current = read_query_record(connection, account_id, source, name).settings
        query_settings = replace(current, **changes)
        webhook_id = _lock_webhook(connection, account_id, query_settings.webhook)
        values = _query_values(query_settings, webhook_id)
        row = _lock_query(connection, account_id, source, name)
        path = f"{source}/{name}"
        _update_query(connection, actor, path, row, query_settings.monitor_settings, values)


def _update_query(
    connection: Connection,
    actor: Actor,
    path: str,
    row: Row[Any],
    monitor: MonitorSettings,
    values: dict[str, Any],
) -> None:
    changed = changed_columns(row, values, {"webhook_id": "webhook"})
    values |= _restart_columns(connection, row, values)
    # A poll under way loses its lease, and is repeated with the new settings.
    values |= {"lease": row.lease + 1, "leased_until": None}
    if row.state != QueryState.LIVE:
        values["next_poll_at"] = utcnow()
    connection.execute(update(QUERIES).where(QUERIES.c.id == row.id).values(values))
    fed_monitors.update_fed_monitors(
        connection, row.account_id, row.name, monitor, values["webhook_id"]
    )
    if changed:
        detail = f"{path}: {changed}"
        record_change(connection, actor, Action.QUERY_CHANGED, row.account_id, detail)


def _new_state() -> dict[str, Any]:
    """Return the columns of a query that has not been polled: it is due now."""
    now = utcnow()
    return state_columns(QueryState.WAITING) | {
        "created_at": now,
        "next_poll_at": now,
        "lease": 0,
        "series": 0,
        "notices": "[]",
        "fill_notices": "[]",
    }


def delete_query(actor: Actor, account_id: int, source: str, name: str) -> None:
    """Delete a query with its monitors, and everything that they have learned.

    Raise NoSuchSourceError or NoSuchQueryError.
    """
    while True:
        with open_change(actor) as connection:
            lock_account_row(connection, account_id)
            row = _lock_query(connection, account_id, source, name)
            monitors = fed_monitors.fed_monitor_names(connection, account_id, row.name)
            is_query = QUERIES.c.id == row.id
            if not monitors:
                connection.execute(delete(QUERIES).where(is_query))
                record_change(
                    connection, actor, Action.QUERY_DELETED, account_id, f"{source}/{name}"
                )
                return
            leased = {"lease": row.lease + 1, "leased_until": utcnow() + _DELETION_LEASE}
            connection.execute(update(QUERIES).where(is_query).values(leased))
        # What is partly deleted is deleted completely.
        actor = replace(actor, check_rights=None)
        for monitor in monitors:  # one transaction per monitor, which may have 10,000 points
            fed_monitors.delete_fed_monitor(account_id, monitor, row.name)


def _lock_query(connection: Connection, account_id: int, source: str, name: str) -> Row[Any]:
    row = _lock_query_if_any(connection, get_source_row(connection, account_id, source).id, name)
    if row is None:
        raise NoSuchQueryError(name)
    return row


def _lock_query_if_any(connection: Connection, source_id: int, name: str) -> Row[Any] | None:
    query = select(QUERIES).where(QUERIES.c.source_id == source_id, query_name() == name)
    return connection.execute(query.with_for_update()).one_or_none()


def _unique_query_name(connection: Connection, account_id: int, source: str, name: str) -> str:
    """Return the name in the account for a new query, which the names of its monitors begin with.

    It is the query's own name, unless another source has a query with that name.
    """
    names = select(QUERIES.c.name).where(QUERIES.c.account_id == account_id)
    taken = set(connection.scalars(names))
    long_name = f"{source}-{name}"
    digests = (sha256(f"{long_name}/{n}".encode()).hexdigest()[:10] for n in itertools.count())
    cut_names = (f"{name[: MAX_SOURCE_NAME_LENGTH - 11]}-{digest}" for digest in digests)
    candidates = itertools.chain([name, long_name], cut_names)
    return next(
        candidate
        for candidate in candidates
        if len(candidate) <= MAX_SOURCE_NAME_LENGTH and candidate not in taken
    )


def _lock_webhook(connection: Connection, account_id: int, webhook: str | None) -> int | None:
    return None if webhook is None else lock_webhook(connection, account_id, webhook).id


def _query_values(query_settings: QuerySettings, webhook_id: int | None) -> dict[str, Any]:
    return {name: value for name, value in vars(query_settings).items() if name != "webhook"} | {
        "webhook_id": webhook_id,
        "direction": query_settings.direction.value,
        "limit": serialize_limit(query_settings.limit),
        "labels": labels_json(query_settings.labels),
    }


def _restart_columns(
    connection: Connection, row: Row[Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the columns of a query that has changed: it is read from the start.

    Raise QueryFixedError if it already has monitors.
    """
    changed = [name for name in _FIXED_COLUMNS if getattr(row, name) != values[name]]
    if not changed:
        return {}
    series_count = select(func.count()).where(SERIES.c.query_id == row.id)
    if connection.scalars(series_count).one():
        raise QueryFixedError(changed[0])
    return state_columns(QueryState.WAITING) | {"fill_to": None, "read_to": None}
