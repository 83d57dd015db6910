"""Events of monitors whose points are overdue, written by the worker."""

from sqlalchemy import select

from app.core.database.engine import read_connection
from app.core.database.malformed import skipped_rows
from app.identity.accounts.models import Account
from app.watching.context import WatchingContext
from app.watching.monitors import clock
from app.watching.monitors.events import Ledger
from app.watching.monitors.models import NEEDS_OVERDUE_EVENT
from app.watching.monitors.states import State
from app.watching.monitors.storage import open_events, read_stored, write_append
from app.watching.monitors.tables import MONITORS, STATES

MAX_BATCH_MONITORS = 1_000


def open_overdue_events(context: WatchingContext) -> int:
    """Open an event for each monitor that has become overdue; return the number.

    Monitors of suspended accounts cannot get points and are left out until these are resumed.
    The next point closes the event. If the newest point was already overdue on arrival, a history
    is being loaded: each append would open and close an event.
    """
    now = clock.current_time()
    skipped = skipped_rows("monitors that are overdue")
    query = (
        select(MONITORS.c.id, MONITORS.c.account_id, MONITORS.c.name, STATES.c.revision)
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .join(Account, Account.id == MONITORS.c.account_id)
        .where(STATES.c.overdue_at <= now, NEEDS_OVERDUE_EVENT, Account.suspended_at.is_(None))
        .where(MONITORS.c.id.not_in(skipped.ids()))
        .order_by(STATES.c.overdue_at)
        .limit(MAX_BATCH_MONITORS)
    )
    with read_connection() as connection:
        monitors = connection.execute(query).all()
    noted = 0
    for monitor_id, account_id, name, revision in monitors:
        with skipped.skip_if_malformed(monitor_id):
            noted += _record(context, account_id, name, revision)
    return noted


def _record(context: WatchingContext, account_id: int, name: str, revision: int) -> bool:
    """Open the event; False if the monitor has changed since: the point may have arrived."""
    stored = read_stored(account_id, name, with_detector=False)
    if stored is None or stored.revision != revision:
        return False
    grid, newest = stored.grid, stored.newest_place
    if grid is None or newest is None:
        return False
    ledger = Ledger(stored.revision, *open_events(stored), clock.current_time(), stored.settings)
    ledger.open_overdue(newest + 1)
    ledger.finish(State.OVERDUE)
    return write_append(context, stored, grid, [], None, ledger)
