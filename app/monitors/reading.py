"""Pages of a monitor's points and events, read by cursor."""

from typing import Any

from sqlalchemy import Column, Connection, Row, Select, and_, select

from app.database import db
from app.monitors.grid import Grid
from app.monitors.records import EventRecord, NoSuchMonitorError, Page, Point
from app.monitors.tables import (
    EVENT_COLUMNS,
    EVENTS,
    GRID_COLUMNS,
    MONITORS,
    POINTS,
    SETTINGS_COLUMNS,
    STATES,
    event_of,
    grid_of,
    point_of,
    settings_of,
)


def read_points(
    account_id: int, name: str, after: int | None, limit: int, newest_first: bool
) -> Page[Point]:
    """Return the points that come after the cursor ``after``, by their time.

    Raises:
        NoSuchMonitorError: The account has no monitor of this name.
    """
    with db.engine.connect() as connection:
        monitor_id, grid = _find(connection, account_id, name)
        query = select(POINTS).where(POINTS.c.monitor_id == monitor_id)
        rows, following = _page(connection, query, POINTS.c.place, after, limit, newest_first)
    if grid is None:
        return Page([], None)
    timestamps = grid.timestamps([row.place for row in rows])
    points = [point_of(row, at) for row, at in zip(rows, timestamps, strict=True)]
    return Page(points, following)


def read_events(
    account_id: int, name: str, after: int | None, limit: int, newest_first: bool
) -> Page[EventRecord]:
    """Return the events that come after the cursor ``after``, by their last change.

    Raises:
        NoSuchMonitorError: The account has no monitor of this name.
    """
    with db.engine.connect() as connection:
        monitor_id, grid = _find(connection, account_id, name)
        query = select(*EVENT_COLUMNS).where(EVENTS.c.monitor_id == monitor_id)
        rows, following = _page(connection, query, EVENTS.c.revision, after, limit, newest_first)
    if grid is None:
        return Page([], None)
    return Page([event_of(row).record(grid) for row in rows], following)


def _find(connection: Connection, account_id: int, name: str) -> tuple[int, Grid | None]:
    query = (
        select(MONITORS.c.id, *SETTINGS_COLUMNS, *GRID_COLUMNS)
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .where(and_(MONITORS.c.account_id == account_id, MONITORS.c.name == name))
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NoSuchMonitorError
    return row.id, grid_of(row, settings_of(row))


def _page(
    connection: Connection,
    query: Select[Any],
    cursor: Column[int],
    after: int | None,
    limit: int,
    newest_first: bool,
) -> tuple[list[Row[Any]], int | None]:
    """Return some rows in the order of ``cursor``, and its value after which there are more."""
    if after is not None:
        query = query.where(cursor < after if newest_first else cursor > after)
    ordered = query.order_by(cursor.desc() if newest_first else cursor)
    rows = list(connection.execute(ordered.limit(limit + 1)).all())
    more = len(rows) > limit
    rows = rows[:limit]
    return rows, getattr(rows[-1], cursor.name) if more else None
