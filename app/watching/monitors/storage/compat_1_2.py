"""Columns that release 1.2 compares with the webhooks during a rolling upgrade.

Its worker takes a difference for a change by release 1.1 and undoes what this release has written.
Release 2.1, from which nobody returns to 1.2, needs neither this module nor its columns nor the
table ``webhook_deliveries``.
"""

from sqlalchemy import ColumnElement, Connection, select, update

from app.delivery.formats import DEFAULT_FORMAT
from app.delivery.webhook_registry import WEBHOOKS
from app.watching.monitors.storage.row_conversion import MONITOR_WEBHOOKS, MONITORS

_COLUMNS = {
    "webhook_url": WEBHOOKS.c.url,
    "webhook_secret": WEBHOOKS.c.secret,
    "former_webhook_secret": WEBHOOKS.c.former_secret,
    "former_secret_ends_at": WEBHOOKS.c.former_secret_ends_at,
}


def mirror_webhooks(connection: Connection, is_changed: ColumnElement[bool]) -> None:
    """Copy the webhooks of the monitors that fulfil ``is_changed``; null unless ``standard``."""
    is_webhook = WEBHOOKS.c.id == MONITOR_WEBHOOKS.c.webhook_id
    values = {
        name: select(column)
        .join(MONITOR_WEBHOOKS, is_webhook)
        .where(MONITOR_WEBHOOKS.c.monitor_id == MONITORS.c.id)
        .where(WEBHOOKS.c.format == DEFAULT_FORMAT)
        .scalar_subquery()
        for name, column in _COLUMNS.items()
    }
    connection.execute(update(MONITORS).where(is_changed).values(values))


def mirror_webhook(connection: Connection, webhook_id: int) -> None:
    """Copy a changed webhook to the monitors that name it."""
    ids = select(MONITOR_WEBHOOKS.c.monitor_id).where(MONITOR_WEBHOOKS.c.webhook_id == webhook_id)
    mirror_webhooks(connection, MONITORS.c.id.in_(ids))
