"""Read monitors, and pages of their points and events by cursor."""

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, and_, select

from app.core.database import db, utcnow
from app.core.database.engine import read_connection, read_rows
from app.delivery.webhook_registry import WEBHOOKS
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.monitors.settings.monitor_records import EventRecord, Monitor, Page, Point
from app.watching.monitors.settings.states import (
    LearningReason,
    State,
    reason_of,
    state_of,
    states_of,
)
from app.watching.monitors.storage.row_conversion import (
    EVENT_COLUMNS,
    EVENTS,
    GRID_COLUMNS,
    LIMITS,
    MONITOR_WEBHOOKS,
    MONITORS,
    POINT_COLUMNS,
    POINTS,
    SETTINGS_COLUMNS,
    STATE_COLUMNS,
    STATES,
    event_of,
    grid_of,
    point_of,
    settings_of,
)

_SHOWN_STATE_COLUMNS = [
    STATES.c[name] for name in ("is_learning", "open_event_id", "overdue_at", "is_absent")
]


def get_monitor(account_id: int, name: str) -> Monitor:
    """Return a monitor; raise NoSuchMonitorError if the account has none with this name."""
    monitor = next(iter(list_monitors(account_id, [name])), None)
    if monitor is None:
        raise NoSuchMonitorError
    return monitor


def read_newest(connection: Connection, account_id: int, name: str) -> Row[Any]:
    """Return a monitor's id, settings, grid and newest index; raise NoSuchMonitorError."""
    query = (
        _select_of_account(account_id, MONITORS.c.id, *SETTINGS_COLUMNS, *GRID_COLUMNS)
        .add_columns(STATES.c.newest_index.label("newest_index"))
        .where(MONITORS.c.name == name)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NoSuchMonitorError
    return row


def list_monitors(account_id: int, names: Collection[str] | None = None) -> list[Monitor]:
    """Return the monitors of an account ordered by name; only those in ``names``, if given."""
    now = utcnow()
    query = _monitors_query(account_id).order_by(MONITORS.c.name)
    if names is not None:
        query = query.where(MONITORS.c.name.in_(names))
    return [_monitor(row, now) for row in read_rows(db.engine, query)]


def list_states(account_id: int) -> dict[str, tuple[State, ...]]:
    """Return the states of each of an account's monitors by name, ordered by name."""
    now = utcnow()
    query = _select_of_account(account_id, *_SHOWN_STATE_COLUMNS).order_by(MONITORS.c.name)
    return {
        row.name: states_of(_state(row, now), row.open_event_id is not None)
        for row in read_rows(db.engine, query)
    }


def open_severities(account_id: int) -> dict[str, float]:
    """Return the severities of the open events of an account's monitors, by the monitor's name."""
    is_open = and_(EVENTS.c.monitor_id == MONITORS.c.id, EVENTS.c.id == STATES.c.open_event_id)
    query = _select_of_account(account_id, EVENTS.c.severity).join(EVENTS, is_open)
    return {row.name: row.severity for row in read_rows(db.engine, query)}


class StoredOutlook(NamedTuple):
    """A stored `LimitOutlook`: the highest probability of a step to be beyond the limit.

    ``reached_at`` is None if it is not reached within its horizon.
    """

    probability: float
    reached_at: dt.datetime | None


def limit_outlooks(account_id: int) -> dict[str, StoredOutlook]:
    """Return the result of the newest evaluation of each limit, by the monitor's name."""
    query = (
        _select_of_account(account_id, *SETTINGS_COLUMNS, *GRID_COLUMNS)
        .add_columns(LIMITS.c.probability, LIMITS.c.reached_index.label("reached_index"))
        .join(LIMITS, LIMITS.c.monitor_id == MONITORS.c.id)
        .where(LIMITS.c.probability.is_not(None))
    )
    outlooks = {}
    for row in read_rows(db.engine, query):
        grid = grid_of(row)
        index = row.reached_index
        reached_at = grid.utc_datetime(index) if grid is not None and index is not None else None
        outlooks[row.name] = StoredOutlook(row.probability, reached_at)
    return outlooks


def read_points(
    account_id: int, name: str, after: int | None, limit: int, newest_first: bool
) -> Page[Point]:
    """Return the points after the cursor ``after``, ordered by time.

    Raise NoSuchMonitorError if the account has no monitor with this name.
    """
    query, cursor = select(*POINT_COLUMNS), POINTS.c.index
    grid, rows, next_cursor = _page(account_id, name, query, cursor, after, limit, newest_first)
    if grid is None:
        return Page([], None)
    timestamps = grid.timestamps([row.index for row in rows])
    return Page([*map(point_of, rows, timestamps)], next_cursor)


def read_events(
    account_id: int, name: str, after: int | None, limit: int, newest_first: bool
) -> Page[EventRecord]:
    """Return the events after ``after``, by when each last opened, became an alert or closed.

    Raise NoSuchMonitorError if the account has no monitor with this name.
    """
    query, cursor = select(*EVENT_COLUMNS), EVENTS.c.revision
    grid, rows, next_cursor = _page(account_id, name, query, cursor, after, limit, newest_first)
    if grid is None:
        return Page([], None)
    return Page([event_of(row).to_record(grid) for row in rows], next_cursor)


def _page(
    account_id: int,
    name: str,
    query: Select[Any],
    cursor: Column[int],
    after: int | None,
    limit: int,
    newest_first: bool,
) -> tuple[MonitorGrid | None, Sequence[Any], int | None]:
    """Return a monitor's grid, a page of rows ordered by ``cursor``, and the next cursor.

    The next cursor is None at the end.
    """
    if after is not None:
        query = query.where(cursor < after if newest_first else cursor > after)
    ordered = query.order_by(cursor.desc() if newest_first else cursor).limit(limit + 1)
    with read_connection() as connection:
        monitor = read_newest(connection, account_id, name)
        rows_and_next = connection.execute(
            ordered.where(cursor.table.c.monitor_id == monitor.id)
        ).all()
    rows = rows_and_next[:limit]
    grid = grid_of(monitor)
    return grid, rows, getattr(rows[-1], cursor.key) if len(rows_and_next) > limit else None


def _monitors_query(account_id: int) -> Select[Any]:
    """Return the query for an account's monitors with their newest points, without states."""
    is_newest = and_(
        POINTS.c.monitor_id == STATES.c.monitor_id, POINTS.c.index == STATES.c.newest_index
    )
    return (
        _select_of_account(account_id, *MONITORS.c["id", "created_at", "fed_by"])
        .add_columns(*SETTINGS_COLUMNS, *STATE_COLUMNS, *POINT_COLUMNS)
        .add_columns(WEBHOOKS.c.name.label("webhook"))
        .outerjoin(MONITOR_WEBHOOKS, MONITOR_WEBHOOKS.c.monitor_id == MONITORS.c.id)
        .outerjoin(WEBHOOKS, WEBHOOKS.c.id == MONITOR_WEBHOOKS.c.webhook_id)
        .outerjoin(POINTS, is_newest)
    )


def _select_of_account(account_id: int, *columns: ColumnElement[Any]) -> Select[Any]:
    """Return the query for the names of an account's monitors, and columns of them or states."""
    query = select(MONITORS.c.name, *columns).join(STATES, STATES.c.monitor_id == MONITORS.c.id)
    return query.where(MONITORS.c.account_id == account_id)


def _monitor(row: Any, now: dt.datetime) -> Monitor:
    grid = grid_of(row)
    last = None
    if grid is not None and row.index is not None:
        last = point_of(row, grid.timestamps([row.index])[0])
    state = _state(row, now)
    return Monitor(
        id=row.id,
        name=row.name,
        fed_by=row.fed_by,
        settings=replace(settings_of(row), webhook=row.webhook),
        state=state,
        reason=reason_of(state, LearningReason(row.learning_reason)),
        is_anomalous=row.open_event_id is not None,
        created_at=row.created_at,
        points=row.points,
        last_point=last,
        overdue_at=row.overdue_at,
    )


def _state(row: Row[Any], now: dt.datetime) -> State:
    if row.overdue_at is not None and row.overdue_at <= now:
        return State.OVERDUE
    if row.is_absent:
        return State.ABSENT
    return state_of(row.is_learning, row.open_event_id is not None)
