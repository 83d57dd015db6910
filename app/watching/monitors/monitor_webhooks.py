"""Which webhook gets the alerts of a monitor, and changes to webhooks that concern monitors."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, insert, select

from app.core.database import db
from app.delivery import webhook_registry
from app.identity.accounts.audit import Actor
from app.watching.monitors.compat_1_2 import mirror_webhook, mirror_webhooks
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


def put_mirrored_webhook(
    connection: Connection,
    actor: Actor,
    account_id: int,
    name: str,
    body: Mapping[str, str],
    limit: int,
) -> webhook_registry.WrittenWebhook:
    """Create a webhook, or change the one with this name, also for release 1.2."""
    url, format_name = body["url"], body["format"]
    put = webhook_registry.put_webhook(connection, actor, account_id, name, url, format_name, limit)
    mirror_webhook(connection, put.row.id)
    return put


def delete_unused_webhook(actor: Actor, account_id: int, name: str) -> list[str]:
    """Delete a webhook unless monitors send their alerts to it; return their names."""
    with db.engine.begin() as connection:
        row = webhook_registry.lock_webhook(connection, account_id, name)
        monitors = webhook_monitor_names(connection, row.id)
        if not monitors:
            webhook_registry.delete_webhook(connection, actor, row)
    return monitors
