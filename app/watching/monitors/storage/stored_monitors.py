"""Reads and writes of a stored monitor: in one transaction, conditional on the revision read."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, insert, select, update

from app.core.database import db
from app.core.database.engine import read_rows
from app.core.database.malformed import translate_row_errors
from app.core.database.statements import Transaction, write_transaction
from app.core.settings import Settings
from app.watching.context import WatchingContext
from app.watching.monitors.judging.event_ledger import EventLedger, StoredEvent
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.monitor_records import Point
from app.watching.monitors.settings.states import LearningReason, State, state_of
from app.watching.monitors.storage.detector_parts import changed_parts, split_detector
from app.watching.monitors.storage.messages import add_messages
from app.watching.monitors.storage.row_conversion import (
    EVENT_COLUMNS,
    EVENTS,
    StoredMonitor,
    event_of,
    grid_values,
    point_values,
    stored_monitor,
)
from app.watching.monitors.storage.statements import AppendStatements, append_statements


@dataclass(frozen=True)
class NewestState:
    """The state after the newest point; ``detector`` is packed.

    ``is_absent``: its series is no longer returned.
    """

    index: int
    at: dt.datetime
    is_learning: bool
    learning_reason: LearningReason
    overdue_at: dt.datetime | None
    detector: bytes
    is_absent: bool = False


@translate_row_errors()
def read_stored(account_id: int, name: str, *, with_detector: bool = True) -> StoredMonitor | None:
    """Return a monitor for a writer, None if there is none.

    Without ``with_detector`` the detector, which is most of the data, is not read.
    """
    engine = db.engine
    sql = append_statements(engine.dialect)
    read = sql.read if with_detector else sql.read_without_detector
    rows = read.run(engine, account_id=account_id, name=name)
    return stored_monitor(rows) if rows else None


def make_ledger(
    stored: StoredMonitor, now: dt.datetime, limit: StoredEvent | None = None
) -> EventLedger:
    """Return the events of a monitor to change; ``limit`` is its open event about the limit."""
    anomaly, overdue = _find_open_events(stored)
    return EventLedger(
        stored.revision, now, stored.settings, anomaly=anomaly, overdue=overdue, limit=limit
    )


@translate_row_errors()
def _find_open_events(stored: StoredMonitor) -> tuple[StoredEvent | None, StoredEvent | None]:
    """Return the open events: of the detector, and about overdue points."""
    ids = (stored.open_event_id, stored.overdue_event_id)
    if ids == (None, None):
        return None, None
    query = select(*EVENT_COLUMNS).where(EVENTS.c.monitor_id == stored.id, EVENTS.c.id.in_(ids))
    events = {row.id: event_of(row) for row in read_rows(db.engine, query)}
    return events.get(ids[0]), events.get(ids[1])


@translate_row_errors()
def find_withheld_events(stored: StoredMonitor) -> list[StoredEvent]:
    """Return the events about which a message was withheld, oldest change first."""
    query = select(*EVENT_COLUMNS).where(EVENTS.c.monitor_id == stored.id, EVENTS.c.is_withheld)
    return [event_of(row) for row in read_rows(db.engine, query.order_by(EVENTS.c.revision))]


def write_changes(
    context: WatchingContext,
    stored: StoredMonitor,
    grid: MonitorGrid,
    points: list[Point],
    newest: NewestState | None,
    ledger: EventLedger,
) -> bool:
    """Store new points and changed events; return False if the monitor changed since it was read.

    ``grid`` is the one after the new ``points``, ``newest`` the state after the newest one; None if
    all are late.
    """
    engine, settings = db.engine, context.settings
    sql = append_statements(engine.dialect)
    surplus = max(0, stored.point_count + len(points) - settings.monitor_points_kept)
    values = _changed_values(stored, grid, points, newest, ledger, settings)
    parts = split_detector(newest.detector, engine.dialect.name) if newest else stored.parts
    # Most appends to PostgreSQL: one statement, so one round trip.
    is_one_new_point = newest is not None and len(points) == 1
    has_fewer_parts = len(parts) < len(stored.parts)
    if sql.advance_by_point and is_one_new_point and not ledger.has_changes and not has_fewer_parts:
        values |= point_values(stored.id, points[0]) | _part_values(stored, parts)
        return bool(sql.advance_by_point.run(engine, **values, surplus=surplus))
    with write_transaction(engine) as writes:
        if not writes.run(sql.add_late if newest is None else sql.advance, **values):
            return False
        _write_parts(writes, sql, stored, parts)
        _write_points(writes, sql, stored.id, points, surplus)
        if ledger.has_changes:
            _write_events(writes, stored, ledger, settings.monitor_events_kept)
            add_messages(writes, stored, ledger, grid, settings)
    return True


def finish_and_write_events(
    context: WatchingContext, stored: StoredMonitor, grid: MonitorGrid, ledger: EventLedger
) -> bool:
    """Finish the ledger and store its events; False if the monitor changed since it was read."""
    state = state_of(stored.is_learning, ledger.anomaly_event is not None)
    if ledger.overdue_event:
        state = State.OVERDUE
    elif stored.is_absent:
        state = State.ABSENT
    ledger.finish(state)
    return write_changes(context, stored, grid, [], None, ledger)


def _changed_values(
    stored: StoredMonitor,
    grid: MonitorGrid,
    points: list[Point],
    newest: NewestState | None,
    ledger: EventLedger,
    settings: Settings,
) -> dict[str, Any]:
    """Return the columns of the monitor's row after the new points and events."""
    return {
        "monitor": stored.id,
        "revision_read": stored.revision,
        "revision": ledger.revision,
        "points": min(stored.point_count + len(points), settings.monitor_points_kept),
        "events": min(stored.event_count + len(ledger.opened), settings.monitor_events_kept),
        "overdue_event_id": ledger.overdue_event.id if ledger.overdue_event else None,
        **grid_values(grid),
        **({} if newest is None else _newest_values(newest, ledger)),
    }


def _newest_values(newest: NewestState, ledger: EventLedger) -> dict[str, Any]:
    return {
        "newest_index": newest.index,
        "newest_at": newest.at,
        "is_learning": newest.is_learning,
        "learning_reason": newest.learning_reason.value,
        "open_event_id": ledger.anomaly_event.id if ledger.anomaly_event else None,
        "overdue_at": newest.overdue_at,
        "is_absent": newest.is_absent,
    }


def _write_parts(
    writes: Transaction, sql: AppendStatements, stored: StoredMonitor, parts: Sequence[bytes]
) -> None:
    """Write the parts of a detector that have changed; delete those beyond its end."""
    values = _part_values(stored, parts)
    if values["part_numbers"]:
        writes.run(sql.put_parts, monitor=stored.id, **values)
    if len(parts) < len(stored.parts):
        writes.run(sql.drop_parts, monitor=stored.id, count=len(parts))


def _part_values(stored: StoredMonitor, parts: Sequence[bytes]) -> dict[str, Any]:
    """Return the parts of a detector that differ from those stored."""
    numbers = changed_parts(stored.parts, parts)
    return {"part_numbers": numbers, "contents": b"".join(parts[number] for number in numbers)}


def _write_points(
    writes: Transaction, sql: AppendStatements, monitor_id: int, points: list[Point], surplus: int
) -> None:
    """Insert ``points``, then delete the ``surplus`` oldest of all."""
    rows = [point_values(monitor_id, point) for point in points]
    if len(rows) == 1:
        writes.run(sql.insert_point, **rows[0])
    elif rows:
        writes.run_many(sql.insert_point, rows)
    if surplus > 0:
        writes.run(sql.trim_points, monitor=monitor_id, surplus=surplus)


def _write_events(
    writes: Transaction, stored: StoredMonitor, ledger: EventLedger, max_events: int
) -> None:
    """Write the new and changed events; beyond ``max_events``, delete the oldest closed ones."""
    for event in ledger.opened:
        writes.execute(insert(EVENTS).values(monitor_id=stored.id, **vars(event)))
    is_monitor = EVENTS.c.monitor_id == stored.id
    for event in ledger.changed:
        writes.execute(
            update(EVENTS).where(is_monitor, EVENTS.c.id == event.id).values(vars(event))
        )
    surplus = stored.event_count + len(ledger.opened) - max_events
    if surplus > 0:
        oldest = (
            select(EVENTS.c.id)
            .where(is_monitor, EVENTS.c.end_index.is_not(None))
            .order_by(EVENTS.c.revision)
            .limit(surplus)
        )
        writes.execute(delete(EVENTS).where(is_monitor, EVENTS.c.id.in_(oldest)))
