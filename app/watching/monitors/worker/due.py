"""Monitors that are due in the worker: overdue points, and messages that a mute withheld."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import Row, Select, or_, select

from app.core.database import db, utcnow
from app.core.database.engine import read_rows
from app.core.database.malformed import skipped_rows
from app.identity.accounts.models import Account
from app.watching.context import WatchingContext
from app.watching.models.monitors import NEEDS_OVERDUE_EVENT
from app.watching.monitors.storage.row_conversion import EVENTS, MONITORS, STATES
from app.watching.monitors.storage.stored_monitors import (
    find_withheld_events,
    finish_and_write_events,
    make_ledger,
    read_stored,
)

MAX_DUE_MONITORS = 1_000


def open_overdue_events(context: WatchingContext) -> int:
    """Open an event for each monitor that has become overdue; return the number.

    Monitors of suspended accounts cannot get points and are left out until these are resumed.
    The next point closes the event. If the newest point was already overdue on arrival, a history
    is being loaded: each append would open and close an event.
    """
    due = (
        select(MONITORS.c.id, MONITORS.c.account_id, MONITORS.c.name, STATES.c.revision)
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .join(Account, Account.id == MONITORS.c.account_id)
        .where(STATES.c.overdue_at <= utcnow(), NEEDS_OVERDUE_EVENT)
        .where(Account.suspended_at.is_(None))
        .order_by(STATES.c.overdue_at)
    )
    return visit_due_monitors("monitors that are overdue", due, partial(_open_event, context))


def _open_event(context: WatchingContext, row: Row[Any]) -> bool:
    """Open the event; False if the monitor has changed since: the point may have arrived."""
    stored = read_stored(row.account_id, row.name, with_detector=False)
    if stored is None or stored.revision != row.revision:
        return False
    grid, newest = stored.grid, stored.newest_index
    if grid is None or newest is None:
        return False
    ledger = make_ledger(stored, utcnow())
    ledger.open_overdue(newest + 1)
    return finish_and_write_events(context, stored, grid, ledger)


def release_withheld(context: WatchingContext) -> int:
    """Put the withheld messages of monitors whose mute has ended into the outbox.

    Due are the openings of events that are still open, and the closings of those whose opening was
    sent before. Return the number of monitors.
    """
    due = select(MONITORS.c.id, MONITORS.c.account_id, MONITORS.c.name).where(
        MONITORS.c.id.in_(select(EVENTS.c.monitor_id).where(EVENTS.c.is_withheld)),
        or_(MONITORS.c.muted_until.is_(None), MONITORS.c.muted_until <= utcnow()),
    )
    return visit_due_monitors("monitors that were muted", due, partial(_release, context))


def _release(context: WatchingContext, row: Row[Any]) -> bool:
    """Write the messages; False if the monitor has changed since it was read."""
    stored = read_stored(row.account_id, row.name, with_detector=False)
    if stored is None or stored.grid is None:
        return False
    ledger = make_ledger(stored, utcnow())
    ledger.resume_withheld(find_withheld_events(stored))
    return finish_and_write_events(context, stored, stored.grid, ledger)


def visit_due_monitors(
    noun: str, due: Select[Any], visit: Callable[[Any], bool], max_rows: int = MAX_DUE_MONITORS
) -> int:
    """Call ``visit`` for each row of ``due``; return how often it returned True.

    The rows have the ``id`` of a monitor. ``visit`` reads the monitor again, and returns False if
    nothing is due by then. A monitor whose rows are malformed, or whose visit has a bug, is skipped
    for a while, so that it does not block the others; the log calls these rows ``noun``.
    """
    skipped = skipped_rows(noun)
    query = due.where(MONITORS.c.id.not_in(skipped.ids())).limit(max_rows)
    visited = 0
    for row in read_rows(db.engine, query):
        with skipped.skip_if_failing(row.id):
            visited += visit(row)
    return visited
