"""Monitors that the queries of sources feed: created from a history, changed together, absent."""

from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement, Connection, and_, select

from app.core.database import db, utcnow
from app.delivery.webhook_registry import lock_webhooks
from app.timeseries.series import Series
from app.watching.context import WatchingContext
from app.watching.monitors.monitor_registry import (
    delete_locked_monitor,
    insert_monitor,
    lock_monitor,
    lock_monitor_or_account,
    settings_values,
    write_settings,
)
from app.watching.monitors.settings.monitor_records import MonitorCloseReason
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.settings.states import State
from app.watching.monitors.storage.detector_fitter import restore_detector
from app.watching.monitors.storage.history_learning import Learn, learn_detector, store_history
from app.watching.monitors.storage.monitor_webhooks import set_monitor_webhook
from app.watching.monitors.storage.row_conversion import MONITORS, STATES
from app.watching.monitors.storage.stored_monitors import (
    NewestState,
    make_ledger,
    read_stored,
    write_changes,
)

RecordSeries = Callable[[Connection, int], None]


def create_fed_monitor(
    context: WatchingContext,
    account_id: int,
    name: str,
    settings: MonitorSettings,
    *,
    fed_by: str,
    history: Series | None,
    learn: Learn,
    webhook_id: int | None,
    record_series: RecordSeries,
) -> int | None:
    """Create the monitor of a series; return its id, None if there is one with this name.

    It learns from ``history``, which is NaN where a point is missing, but not at its ends.
    ``record_series`` is called in the transaction with its id; an exception rolls it back.
    Raise TooManyError if the account already has the most allowed.
    """
    learned = learn_detector(settings, history, learn)
    with db.engine.begin() as connection:
        if lock_monitor_or_account(connection, account_id, name) is not None:
            return None
        values = settings_values(settings) | {"fed_by": fed_by}
        monitor_id = insert_monitor(context, connection, account_id, name, values)
        if history is not None and learned is not None:
            store_history(context, connection, monitor_id, settings, history, learned, is_fed=True)
        if webhook_id is not None:
            locked = lock_webhooks(connection, account_id, [], [webhook_id])
            set_monitor_webhook(connection, [monitor_id], locked[0].id if locked else None)
        record_series(connection, monitor_id)
    return monitor_id


def update_fed_monitors(
    connection: Connection,
    account_id: int,
    fed_by: str,
    settings: MonitorSettings,
    webhook_id: int | None,
) -> None:
    """Set the settings and the webhook, which is locked, of all monitors of a query."""
    fed_ids = select(MONITORS.c.id).where(_is_fed_by(account_id, fed_by))
    # In the order of an append, which locks the state before the monitor.
    locked = select(STATES.c.monitor_id).where(STATES.c.monitor_id.in_(fed_ids))
    ids = connection.scalars(locked.order_by(STATES.c.monitor_id).with_for_update()).all()
    write_settings(connection, ids, settings_values(settings), webhook_id)


def fed_monitor_names(connection: Connection, account_id: int, fed_by: str) -> Sequence[str]:
    return connection.scalars(select(MONITORS.c.name).where(_is_fed_by(account_id, fed_by))).all()


def _is_fed_by(account_id: int, fed_by: str) -> ColumnElement[bool]:
    return and_(MONITORS.c.account_id == account_id, MONITORS.c.fed_by == fed_by)


def delete_fed_monitor(account_id: int, name: str, fed_by: str) -> None:
    """Delete a monitor of a query with all its data, if there still is one."""
    with db.engine.begin() as connection:
        row = lock_monitor(connection, account_id, name)
        if row is not None and row.fed_by == fed_by:
            delete_locked_monitor(connection, row.id)


def record_absence(context: WatchingContext, account_id: int, name: str) -> None:
    """Record that a series is no longer returned; close its open event.

    Nothing is recorded if others change the monitor at the same time: the next poll retries.
    """
    stored = read_stored(account_id, name)
    if stored is None or stored.grid is None or stored.newest_index is None:
        return
    now = utcnow()
    ledger = make_ledger(stored, now)
    ledger.end_anomaly(stored.newest_index, MonitorCloseReason.ABSENT)
    ledger.finish(State.ABSENT)
    detector, _ = restore_detector(stored, stored.grid)
    detector.drop_event()
    newest = NewestState(
        stored.newest_index,
        now,
        stored.is_learning,
        stored.learning_reason,
        None,
        detector.to_bytes(),
        is_absent=True,
    )
    write_changes(context, stored, stored.grid, [], newest, ledger)
