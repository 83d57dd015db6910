"""Recent events and pending messages of monitors, counted for lists."""

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    ScalarSelect,
    String,
    Subquery,
    case,
    cast,
    func,
    literal,
    select,
    union_all,
)

from app.core.database import db, utcnow
from app.core.database.engine import read_rows
from app.delivery.webhook_queries import DELIVERIES
from app.watching.monitors.settings.monitor_records import EventRecord
from app.watching.monitors.storage.messages import SUBJECT_PREFIX
from app.watching.monitors.storage.row_conversion import (
    EVENT_COLUMNS,
    EVENTS,
    GRID_COLUMNS,
    IS_LIMIT_OPEN,
    LIMITS,
    MONITORS,
    STATES,
    event_of,
    grid_of,
)

_RECENT_PERIOD = dt.timedelta(days=1)
# Newest events and messages counted per monitor: a list of many monitors must not read all of them.
MAX_COUNTED = 100


@dataclass(frozen=True)
class ActivityCounts:
    """Counts for one monitor; all but the open ones are limited to the ``MAX_COUNTED`` newest.

    Recent events and alerts opened within ``_RECENT_PERIOD``. Pending messages wait to be sent to
    the webhook; failed ones are no longer retried. ``messages`` counts all of the last week.
    """

    open_events: int = 0
    open_alerts: int = 0
    recent_events: int = 0
    recent_alerts: int = 0
    pending: int = 0
    failed: int = 0
    messages: int = 0


def count_activity(monitor_ids: Collection[int]) -> dict[int, ActivityCounts]:
    """Return the activity of monitors by id, without monitors deleted in the meantime."""
    is_monitor = EVENTS.c.monitor_id == MONITORS.c.id
    events = _newest_rows(is_monitor, *EVENTS.c["id", "opened_at", "is_alert"])
    is_recent = events.c.opened_at >= utcnow() - _RECENT_PERIOD
    is_about_monitor = DELIVERIES.c.subject == literal(SUBJECT_PREFIX) + cast(MONITORS.c.id, String)
    deliveries = _newest_rows(is_about_monitor, *DELIVERIES.c["id", "next_attempt_at", "failed_at"])
    query = (
        select(
            MONITORS.c.id,
            _open_count(),
            _open_count(EVENTS.c.is_alert),
            _count(events, is_recent),
            _count(events, is_recent & events.c.is_alert),
            _count(deliveries, deliveries.c.next_attempt_at.is_not(None)),
            _count(deliveries, deliveries.c.failed_at.is_not(None)),
            _count(deliveries, deliveries.c.id.is_not(None)),
        )
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .outerjoin(LIMITS, LIMITS.c.monitor_id == MONITORS.c.id)
        .where(MONITORS.c.id.in_(monitor_ids))
    )
    rows = read_rows(db.engine, query)
    return {monitor_id: ActivityCounts(*counts) for monitor_id, *counts in rows}


def count_open_alerts(account_id: int) -> dict[str, int]:
    """Return the number of open alerts of each monitor that has one, by its name."""
    count = _open_count(EVENTS.c.is_alert)
    query = (
        select(MONITORS.c.name, count.label("alerts"))
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .outerjoin(LIMITS, LIMITS.c.monitor_id == MONITORS.c.id)
        .where(MONITORS.c.account_id == account_id, count > 0)
    )
    return {row.name: row.alerts for row in read_rows(db.engine, query)}


def has_open_alert() -> ColumnElement[bool]:
    """Return whether the monitor in the outer query has an open alert.

    That query joins `STATES`, and outer-joins `LIMITS`.
    """
    return _open_count(EVENTS.c.is_alert) > 0


def open_events(account_id: int, names: Collection[str]) -> list[tuple[str, EventRecord]]:
    """Return the open events of monitors with the monitor's name: alerts first, oldest first."""
    query = (
        select(MONITORS.c.name, *MONITORS.c["data_frequency", "step"], *GRID_COLUMNS)
        .add_columns(*EVENT_COLUMNS)
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .join(EVENTS, EVENTS.c.monitor_id == MONITORS.c.id)
        .where(MONITORS.c.account_id == account_id, MONITORS.c.name.in_(names))
    )
    is_named = EVENTS.c.id.in_([STATES.c.open_event_id, STATES.c.overdue_event_id])
    of_limits = query.join(LIMITS, LIMITS.c.monitor_id == MONITORS.c.id).where(IS_LIMIT_OPEN)
    rows = read_rows(db.engine, union_all(query.where(is_named), of_limits))
    events = [(row.name, event_of(row).to_record(grid)) for row in rows if (grid := grid_of(row))]
    return sorted(events, key=lambda pair: (not pair[1].is_alert, pair[1].opened_at))


def open_limits(account_id: int) -> dict[str, str]:
    """Return the kind of the open event about the limit of each monitor that has one, by name."""
    query = (
        select(MONITORS.c.name, EVENTS.c.kind)
        .join(LIMITS, LIMITS.c.monitor_id == MONITORS.c.id)
        .join(EVENTS, EVENTS.c.monitor_id == MONITORS.c.id)
        .where(MONITORS.c.account_id == account_id, IS_LIMIT_OPEN)
    )
    return {row.name: row.kind for row in read_rows(db.engine, query)}


def _open_count(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
    """Return the number of open events of the monitor in the outer query.

    The state of a monitor has its other open events: only those about its limit are searched for.
    """
    events = select(func.count()).select_from(EVENTS).where(EVENTS.c.monitor_id == MONITORS.c.id)
    events = events.where(*conditions).correlate(MONITORS, STATES)
    states = events.where(EVENTS.c.id.in_([STATES.c.open_event_id, STATES.c.overdue_event_id]))
    limits = events.where(IS_LIMIT_OPEN)
    of_limits = case((LIMITS.c.monitor_id.is_(None), 0), else_=limits.scalar_subquery())
    return states.scalar_subquery() + of_limits


def _newest_rows(is_monitor: ColumnElement[bool], *columns: Column[Any]) -> Subquery:
    """Return the newest rows of the monitor in the outer query; the first column is the id."""
    return (
        select(*columns)
        .where(is_monitor)
        .order_by(columns[0].desc())
        .limit(MAX_COUNTED)
        .correlate(MONITORS)
        .subquery()
    )


def _count(rows: Subquery, condition: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.count()).select_from(rows).where(condition).scalar_subquery()
