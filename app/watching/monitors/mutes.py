"""Messages that a mute withheld, which the worker passes on after its end."""

from sqlalchemy import or_, select

from app.core.database.engine import read_connection
from app.core.database.malformed import skipped_rows
from app.watching.context import WatchingContext
from app.watching.monitors import clock
from app.watching.monitors.events import Ledger
from app.watching.monitors.states import State, state_of
from app.watching.monitors.storage import open_events, read_stored, withheld_events, write_append
from app.watching.monitors.tables import EVENTS, MONITORS

MAX_BATCH_MONITORS = 1_000


def send_withheld(context: WatchingContext) -> int:
    """Send the withheld messages of monitors whose mute has ended; return their number.

    Due are the openings of events that are still open, and the closings of those whose opening was
    sent before.
    """
    now = clock.current_time()
    skipped = skipped_rows("monitors that were muted")
    query = (
        select(MONITORS.c.id, MONITORS.c.account_id, MONITORS.c.name)
        .where(
            MONITORS.c.id.in_(select(EVENTS.c.monitor_id).where(EVENTS.c.is_withheld)),
            or_(MONITORS.c.muted_until.is_(None), MONITORS.c.muted_until <= now),
        )
        .where(MONITORS.c.id.not_in(skipped.ids()))
        .limit(MAX_BATCH_MONITORS)
    )
    with read_connection() as connection:
        monitors = connection.execute(query).all()
    number = 0
    for monitor_id, account_id, name in monitors:
        with skipped.skip_if_malformed(monitor_id):
            number += _send(context, account_id, name)
    return number


def _send(context: WatchingContext, account_id: int, name: str) -> bool:
    """Write the messages; False if the monitor has changed since it was read."""
    stored = read_stored(account_id, name, with_detector=False)
    if stored is None or stored.grid is None:
        return False
    ledger = Ledger(stored.revision, *open_events(stored), clock.current_time(), stored.settings)
    ledger.resume_withheld(withheld_events(stored))
    state = state_of(stored.is_learning, ledger.under_way is not None)
    ledger.finish(State.OVERDUE if ledger.overdue else state)
    return write_append(context, stored, stored.grid, [], None, ledger)
