"""Which webhook gets the alerts of a monitor, and changes to webhooks that concern monitors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from app.delivery import webhook_registry
from app.identity.accounts.audit import Actor
from app.watching.models.sources import QUERIES, SOURCES, query_name
from app.watching.monitors.storage.compat_1_2 import mirror_webhook, mirror_webhooks
from app.watching.monitors.storage.row_conversion import MONITOR_WEBHOOKS, MONITORS


@dataclass(frozen=True)
class WebhookUsers:
    """The names of the monitors and queries whose alerts a webhook gets, in order.

    Monitors include the queries' monitors. Queries are written ``source/query``.
    """

    monitors: list[str]
    queries: list[str]

    def __bool__(self) -> bool:
        return bool(self.monitors or self.queries)


def set_monitor_webhook(connection: Connection, ids: Sequence[int], webhook_id: int | None) -> None:
    """Set the webhook of monitors, or none; the caller has locked them and the webhook."""
    connection.execute(delete(MONITOR_WEBHOOKS).where(MONITOR_WEBHOOKS.c.monitor_id.in_(ids)))
    if webhook_id is not None and ids:
        rows = [{"monitor_id": monitor_id, "webhook_id": webhook_id} for monitor_id in ids]
        connection.execute(insert(MONITOR_WEBHOOKS), rows)
    mirror_webhooks(connection, MONITORS.c.id.in_(ids))


def find_webhook_users(connection: Connection, webhook_id: int) -> WebhookUsers:
    monitors = (
        select(MONITORS.c.name)
        .join(MONITOR_WEBHOOKS, MONITOR_WEBHOOKS.c.monitor_id == MONITORS.c.id)
        .where(MONITOR_WEBHOOKS.c.webhook_id == webhook_id)
        .order_by(MONITORS.c.name)
    )
    queries = (
        select(SOURCES.c.name.label("source"), query_name().label("query"))
        .join_from(QUERIES, SOURCES, SOURCES.c.id == QUERIES.c.source_id)
        .where(QUERIES.c.webhook_id == webhook_id)
        .order_by("source", "query")
    )
    return WebhookUsers(
        [*connection.scalars(monitors)],
        [f"{row.source}/{row.query}" for row in connection.execute(queries)],
    )


def put_mirrored_webhook(
    connection: Connection,
    actor: Actor,
    account_id: int,
    name: str,
    body: Mapping[str, str],
    limit: int,
) -> webhook_registry.WrittenWebhook:
    """Create a webhook, or change the one with this name, also where release 1.2 reads it."""
    url, format_name = body["url"], body["format"]
    put = webhook_registry.put_webhook(connection, actor, account_id, name, url, format_name, limit)
    mirror_webhook(connection, put.row.id)
    return put


def delete_unused_webhook(
    connection: Connection, actor: Actor, account_id: int, name: str
) -> WebhookUsers:
    """Delete a webhook unless monitors or queries send their alerts to it; return these."""
    row = webhook_registry.lock_webhook(connection, account_id, name)
    users = find_webhook_users(connection, row.id)
    if not users:
        webhook_registry.delete_webhook(connection, actor, row)
    return users
