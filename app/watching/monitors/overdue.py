"""Events of monitors whose points are overdue."""

from typing import Any

from sqlalchemy import Row, select

from app.core.database import utcnow
from app.identity.accounts.models import Account
from app.watching.context import WatchingContext
from app.watching.models.monitors import NEEDS_OVERDUE_EVENT
from app.watching.monitors.due import handle_due
from app.watching.monitors.storage import make_ledger, read_stored, write_events
from app.watching.monitors.tables import MONITORS, STATES


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
    return handle_due("monitors that are overdue", due, lambda row: _open_event(context, row))


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
    return write_events(context, stored, grid, ledger)
