"""Messages that a mute withheld, which are passed on after its end."""

from typing import Any

from sqlalchemy import Row, or_, select

from app.core.database import utcnow
from app.watching.context import WatchingContext
from app.watching.monitors.due import handle_due
from app.watching.monitors.storage import (
    find_withheld_events,
    make_ledger,
    read_stored,
    write_events,
)
from app.watching.monitors.tables import EVENTS, MONITORS


def release_withheld(context: WatchingContext) -> int:
    """Put the withheld messages of monitors whose mute has ended into the outbox.

    Due are the openings of events that are still open, and the closings of those whose opening was
    sent before. Return the number of monitors.
    """
    due = select(MONITORS.c.id, MONITORS.c.account_id, MONITORS.c.name).where(
        MONITORS.c.id.in_(select(EVENTS.c.monitor_id).where(EVENTS.c.is_withheld)),
        or_(MONITORS.c.muted_until.is_(None), MONITORS.c.muted_until <= utcnow()),
    )
    return handle_due("monitors that were muted", due, lambda row: _release(context, row))


def _release(context: WatchingContext, row: Row[Any]) -> bool:
    """Write the messages; False if the monitor has changed since it was read."""
    stored = read_stored(row.account_id, row.name, with_detector=False)
    if stored is None or stored.grid is None:
        return False
    ledger = make_ledger(stored, utcnow())
    ledger.resume_withheld(find_withheld_events(stored))
    return write_events(context, stored, stored.grid, ledger)
