"""Which webhook gets the alerts of a monitor."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select

from app.watching.monitors.compat_1_2 import mirror_webhooks
from app.watching.monitors.tables import MONITOR_WEBHOOKS, MONITORS


def set_webhook(connection: Connection, ids: Sequence[int], webhook_id: int | None) -> None:
    """Set the webhook of monitors, or none; the caller has locked them and the webhook."""
    connection.execute(delete(MONITOR_WEBHOOKS).where(MONITOR_WEBHOOKS.c.monitor_id.in_(ids)))
    if webhook_id is not None and ids:
        rows = [{"monitor_id": monitor_id, "webhook_id": webhook_id} for monitor_id in ids]
        connection.execute(insert(MONITOR_WEBHOOKS), rows)
    mirror_webhooks(connection, MONITORS.c.id.in_(ids))


def webhook_monitor_names(connection: Connection, webhook_id: int) -> list[str]:
    """Return the names of the monitors whose alerts a webhook gets, in order."""
    query = (
        select(MONITORS.c.name)
        .join(MONITOR_WEBHOOKS, MONITOR_WEBHOOKS.c.monitor_id == MONITORS.c.id)
        .where(MONITOR_WEBHOOKS.c.webhook_id == webhook_id)
        .order_by(MONITORS.c.name)
    )
    return [*connection.scalars(query)]
