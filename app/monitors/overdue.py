"""Events of monitors whose points are overdue, written by who delivers webhooks."""

from sqlalchemy import select

from app.database import db
from app.monitors import clock
from app.monitors.events import Ledger
from app.monitors.records import State
from app.monitors.tables import MONITORS, STATES, Stored
from app.monitors.writing import open_events, read_stored, write

MOST_AT_ONCE = 1_000


def note_overdue() -> int:
    """Open an event for each monitor whose points are overdue and that has none; return how many.

    The next point closes it.
    """
    now = clock.now()
    query = (
        select(MONITORS.c.account_id, MONITORS.c.name)
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .where(STATES.c.overdue_at <= now, STATES.c.overdue_event_id.is_(None))
        .order_by(STATES.c.overdue_at)
        .limit(MOST_AT_ONCE)
    )
    with db.engine.connect() as connection:
        found = connection.execute(query).all()
    stored = (read_stored(row.account_id, row.name, to_judge=False) for row in found)
    return sum(_note(each) for each in stored if each is not None)


def _note(stored: Stored) -> bool:
    """Open the event; False where the monitor has changed since: its point may have come."""
    grid, newest = stored.grid, stored.newest_place
    if grid is None or newest is None or stored.overdue_event_id is not None:
        return False
    ledger = Ledger(stored.revision, *open_events(stored), clock.now())
    ledger.open_overdue(newest + 1)
    return write(stored, grid, [], None, ledger, State.OVERDUE)
