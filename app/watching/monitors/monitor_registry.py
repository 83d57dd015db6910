"""Create, change and delete monitors of an account."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from sqlalchemy import Connection, Row, and_, delete, insert, select, update

from app.core.database import utcnow
from app.core.database.engine import read_connection
from app.delivery import outbox, webhook_registry
from app.delivery.webhook_records import NoSuchWebhookError
from app.identity.accounts.accounts import lock_account_row
from app.identity.accounts.audit import Action, Actor
from app.identity.accounts.changes import changed_columns, check_quota, open_change, record_change
from app.identity.accounts.errors import NameTakenError, TooManyError
from app.timeseries.calendar.frequency import Frequency, longer_frequency
from app.timeseries.series import Series
from app.watching.context import WatchingContext
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.settings.errors import (
    FedMonitorError,
    GridFixedError,
    NoSuchMonitorError,
    ShortUnitError,
)
from app.watching.monitors.settings.limits import serialize_limit
from app.watching.monitors.settings.monitor_records import PutResult
from app.watching.monitors.settings.monitor_settings import GridSettings, MonitorSettings
from app.watching.monitors.storage.history_learning import Learn, learn_detector, store_history
from app.watching.monitors.storage.limit_schedule import schedule_evaluations
from app.watching.monitors.storage.messages import monitor_subject
from app.watching.monitors.storage.monitor_webhooks import set_monitor_webhook
from app.watching.monitors.storage.row_conversion import (
    MONITOR_WEBHOOKS,
    MONITORS,
    SETTINGS_COLUMNS,
    STATES,
    settings_of,
)

_NOT_LEARNED = "the monitor already has points: the series was ignored"


class _NotLearnedError(Exception):
    """The monitor has no points, and its history has not been learned yet."""


def put_monitor(
    context: WatchingContext,
    actor: Actor,
    account_id: int,
    *,
    name: str,
    settings: MonitorSettings,
    history: Series | None,
    learn: Learn,
    must_be_new: bool = False,
) -> PutResult:
    """Create a monitor, or replace the settings of the one with this name.

    It learns from ``history`` if it has no points, by ``learn``; the newest points are kept.

    Raise FedMonitorError, GridFixedError, NoSuchWebhookError, ShortUnitError or TooManyError;
    NameTakenError if there is one with this name, and it ``must_be_new``.
    """
    # Learning takes long: it runs before the transaction, and only if needed.
    point_count = _point_count(account_id, name)
    if point_count is not None and must_be_new:
        raise NameTakenError("monitor")
    learned = None if point_count else learn_detector(settings, history, learn)
    put = functools.partial(
        _put, context, actor, account_id, name, settings, history, must_be_new=must_be_new
    )
    try:
        return put(learned)
    except _NotLearnedError:  # the monitor with points was deleted in the meantime
        return put(learn_detector(settings, history, learn))


def _put(
    context: WatchingContext,
    actor: Actor,
    account_id: int,
    name: str,
    settings: MonitorSettings,
    history: Series | None,
    learned: bytes | None,
    *,
    must_be_new: bool,
) -> PutResult:
    """Write a monitor; raise _NotLearnedError."""
    with open_change(actor) as connection:
        row = lock_monitor_or_account(connection, account_id, name)
        if row is not None:
            if must_be_new:
                raise NameTakenError("monitor")
            reject_fed_monitor(row)
        has_points = row is not None and row.points > 0
        longer = longer_frequency(settings.data_frequency, settings.step)
        if longer is not None and not has_points:
            raise ShortUnitError(settings.data_frequency, settings.step, longer)
        if history is not None and learned is None and not has_points:
            raise _NotLearnedError
        if row is None:
            webhook_id = _lock_webhook(connection, account_id, None, settings.webhook)
            values = settings_values(settings)
            monitor_id = insert_monitor(context, connection, account_id, name, values)
            record_change(connection, actor, Action.MONITOR_CREATED, account_id, name)
            set_monitor_webhook(connection, [monitor_id], webhook_id)
        else:
            monitor_id = row.id
            _update_monitor(connection, actor, row, _find_webhook(connection, row.id), settings)
        if history is not None and learned is not None and not has_points:
            store_history(context, connection, monitor_id, settings, history, learned)
    notices = (_NOT_LEARNED,) if history is not None and has_points else ()
    return PutResult(get_monitor(account_id, name), row is None, notices)


def change_monitor(actor: Actor, account_id: int, name: str, changes: Mapping[str, Any]) -> None:
    """Change the settings of a monitor that ``changes`` names; others may change the rest.

    Raise FedMonitorError, GridFixedError, NoSuchMonitorError or NoSuchWebhookError.
    """
    with open_change(actor) as connection:
        row = _lock_unfed_monitor(connection, account_id, name)
        webhook = _find_webhook(connection, row.id)
        settings = replace(settings_of(row), webhook=webhook and webhook.name)
        _update_monitor(connection, actor, row, webhook, replace(settings, **changes))


def delete_monitor(actor: Actor, account_id: int, name: str) -> None:
    """Delete a monitor with all its data; raise NoSuchMonitorError or FedMonitorError."""
    with open_change(actor) as connection:
        row = _lock_unfed_monitor(connection, account_id, name)
        delete_locked_monitor(connection, row.id)
        record_change(connection, actor, Action.MONITOR_DELETED, account_id, name)


def delete_locked_monitor(connection: Connection, monitor_id: int) -> None:
    outbox.delete_messages(connection, monitor_subject(monitor_id))
    connection.execute(delete(MONITORS).where(MONITORS.c.id == monitor_id))


def reject_fed_monitor(row: Row[Any]) -> None:
    if row.fed_by is not None:
        raise FedMonitorError(row.fed_by)


def _point_count(account_id: int, name: str) -> int | None:
    """Return the number of points of a monitor; None if there is no monitor."""
    query = (
        select(STATES.c.points)
        .join(MONITORS, MONITORS.c.id == STATES.c.monitor_id)
        .where(_is_named(account_id, name))
    )
    with read_connection() as connection:
        return connection.scalar(query)


def lock_monitor(connection: Connection, account_id: int, name: str) -> Row[Any] | None:
    """Return a monitor, locked against appends and PUT until the end of the transaction.

    Only the state is locked, and first: an append locks it before the monitor (through the foreign
    key of points), and the reverse order would deadlock with it. What may have changed during the
    wait for the lock is read after it.
    """
    is_monitor = STATES.c.monitor_id == MONITORS.c.id
    locked = (
        select(STATES.c.monitor_id).join(MONITORS, is_monitor).where(_is_named(account_id, name))
    )
    monitor_id = connection.scalar(locked.with_for_update(of=STATES))
    if monitor_id is None:
        return None
    query = select(MONITORS, STATES.c.points).join(STATES, is_monitor)
    return connection.execute(query.where(MONITORS.c.id == monitor_id)).one()


def _is_named(account_id: int, name: str) -> Any:
    return and_(MONITORS.c.account_id == account_id, MONITORS.c.name == name)


def lock_monitor_or_account(connection: Connection, account_id: int, name: str) -> Row[Any] | None:
    """Lock a monitor, or its account, so that new monitors are created one at a time."""
    row = lock_monitor(connection, account_id, name)
    if row is not None:
        return row
    lock_account_row(connection, account_id)
    return lock_monitor(connection, account_id, name)


def _lock_unfed_monitor(connection: Connection, account_id: int, name: str) -> Row[Any]:
    """Lock a monitor that clients feed; raise NoSuchMonitorError or FedMonitorError."""
    row = lock_monitor(connection, account_id, name)
    if row is None:
        raise NoSuchMonitorError
    reject_fed_monitor(row)
    return row


def settings_values(settings: MonitorSettings) -> dict[str, Any]:
    stored = {
        "data_frequency": settings.data_frequency.value,
        "direction": settings.direction.value,
        "limit": serialize_limit(settings.limit),
    }
    return {column.name: getattr(settings, column.name) for column in SETTINGS_COLUMNS} | stored


def insert_monitor(
    context: WatchingContext,
    connection: Connection,
    account_id: int,
    name: str,
    values: dict[str, Any],
) -> int:
    """Create a monitor with ``values`` in a locked account; return its id.

    Raise TooManyError if the account already has the most allowed.
    """
    limit = context.settings.monitors_per_account
    check_quota(
        connection,
        MONITORS.c.account_id == account_id,
        TooManyError("monitor", limit, "MONITORS_PER_ACCOUNT"),
    )
    new = insert(MONITORS).values(account_id=account_id, name=name, created_at=utcnow(), **values)
    monitor_id: int = connection.scalars(new.returning(MONITORS.c.id)).one()
    connection.execute(insert(STATES).values(monitor_id=monitor_id))
    schedule_evaluations(connection, [monitor_id], has_limit=values["limit"] is not None)
    return monitor_id


def _update_monitor(
    connection: Connection,
    actor: Actor,
    row: Row[Any],
    webhook: Row[Any, Any] | None,
    settings: MonitorSettings,
) -> None:
    """Change a locked monitor, whose present webhook is ``webhook``."""
    webhook_id = _lock_webhook(connection, row.account_id, webhook, settings.webhook)
    values = settings_values(settings)
    fixed = GridSettings(Frequency(row.data_frequency), row.step)
    if row.points and fixed != GridSettings(settings.data_frequency, settings.step):
        raise GridFixedError(fixed)
    write_settings(connection, [row.id], values, webhook_id)
    changed = changed_columns(row, values, {})
    if (webhook and webhook.id) != webhook_id:
        changed = f"{changed}, webhook" if changed else "webhook"
    if changed:
        detail = f"{row.name}: {changed}"
        record_change(connection, actor, Action.MONITOR_CHANGED, row.account_id, detail)


def write_settings(
    connection: Connection, ids: Sequence[int], values: Mapping[str, Any], webhook_id: int | None
) -> None:
    """Write `settings_values` of locked monitors, and their webhook, which is locked, too."""
    are_changed = MONITORS.c.id.in_(ids)
    has_other_limit = MONITORS.c.limit.is_distinct_from(values["limit"])
    with_other_limit = connection.scalars(select(MONITORS.c.id).where(are_changed, has_other_limit))
    schedule_evaluations(connection, with_other_limit.all(), has_limit=values["limit"] is not None)
    connection.execute(update(MONITORS).where(are_changed).values(values))
    # An append that has read the old settings starts again.
    update_states = update(STATES).where(STATES.c.monitor_id.in_(ids))
    connection.execute(update_states.values(revision=STATES.c.revision + 1))
    set_monitor_webhook(connection, ids, webhook_id)


def _lock_webhook(
    connection: Connection, account_id: int, current: Row[Any, Any] | None, name: str | None
) -> int | None:
    """Lock the webhook ``name`` and the monitor's present one; return the id of ``name``."""
    names = [] if name is None else [name]
    ids = [] if current is None else [current.id]
    locked = webhook_registry.lock_webhooks(connection, account_id, names, ids)
    if name is None:
        return None
    webhook_row = next((row for row in locked if row.name == name), None)
    if webhook_row is None:
        raise NoSuchWebhookError(name)
    webhook_registry.keep_on_monitor_deletion(connection, webhook_row)
    return cast(int, webhook_row.id)


def _find_webhook(connection: Connection, monitor_id: int) -> Row[Any, Any] | None:
    webhooks = webhook_registry.WEBHOOKS
    query = select(webhooks.c.id, webhooks.c.name).join(
        MONITOR_WEBHOOKS, MONITOR_WEBHOOKS.c.webhook_id == webhooks.c.id
    )
    return connection.execute(query.where(MONITOR_WEBHOOKS.c.monitor_id == monitor_id)).first()
