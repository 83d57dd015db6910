"""Pages of a monitor's points and events, read by cursor."""

from collections.abc import Sequence
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
    key, query = (account_id, name), select(POINTS)
    grid, rows, following = _page(key, query, POINTS.c.place, after, limit, newest_first)
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
    key, query = (account_id, name), select(*EVENT_COLUMNS)
    grid, rows, following = _page(key, query, EVENTS.c.revision, after, limit, newest_first)
    if grid is None:
        return Page([], None)
    return Page([event_of(row).record(grid) for row in rows], following)


def _page(
    key: tuple[int, str],
    query: Select[Any],
    cursor: Column[int],
    after: int | None,
    limit: int,
    newest_first: bool,
) -> tuple[Grid | None, Sequence[Row[Any]], int | None]:
    """Return a monitor's grid, some rows in the order of ``cursor``, and where to read on.

    ``key`` is the account and the name; the last is None where there is no more.
    """
    if after is not None:
        query = query.where(cursor < after if newest_first else cursor > after)
    ordered = query.order_by(cursor.desc() if newest_first else cursor).limit(limit + 1)
    with db.engine.connect() as connection:
        monitor_id, grid = _find(connection, *key)
        found = connection.execute(ordered.where(cursor.table.c.monitor_id == monitor_id)).all()
    rows = found[:limit]
    return grid, rows, getattr(rows[-1], cursor.name) if len(found) > limit else None


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
