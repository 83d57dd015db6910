"""The webhook of a monitor: one of the account by its name, or one made for its ``webhook_url``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from app.delivery import registry as webhooks
from app.delivery.models import Format
from app.delivery.records import NoSuchWebhookError
from app.watching.monitors.records import Destination
from app.watching.monitors.tables import MONITOR_WEBHOOKS, MONITORS


@dataclass(frozen=True)
class WebhookChoice:
    """The row of the webhook that a monitor gets, if any, and its secret if that is new.

    ``obsolete_id`` is the webhook that was made for the monitor and ends now, if any.
    """

    webhook: Row[Any] | None
    secret: str | None
    obsolete_id: int | None


def resolve_webhook(
    connection: Connection, account_id: int, name: str, monitor_id: int | None, to: Destination
) -> WebhookChoice:
    """Find or make the webhook of a monitor, and hold it.

    Args:
        connection: The transaction that holds the monitor, and its account if ``to`` has a URL.
        account_id: The account of the monitor.
        name: The monitor's name, after which a new webhook is called.
        monitor_id: The id of the monitor; None if it is new.
        to: Where its alerts go.

    Raises:
        NoSuchWebhookError: The account has no webhook of the name in ``to``.
    """
    ids = _ids(connection, monitor_id)
    names = [] if to.webhook is None else [to.webhook]
    held = webhooks.lock_webhooks(connection, account_id, names, ids)
    current = next((row for row in held if row.id in ids), None)
    named = next((row for row in held if row.name == to.webhook), None)
    secret = None
    if to.webhook is not None:
        if named is None:
            raise NoSuchWebhookError(to.webhook)
        chosen = webhooks.write_webhook(connection, named, {"is_managed": False})
    elif to.url is None:
        chosen = None
    elif current is not None and current.url == to.url:
        chosen = current
    elif current is not None and current.is_managed:
        form = Format(current.format)
        chosen, _, secret = webhooks.change(connection, current, to.url, form, is_managed=True)
    else:
        chosen, _, secret = webhooks.make_managed(connection, account_id, name, to.url)
    is_kept = current is None or not current.is_managed or (chosen and chosen.id == current.id)
    return WebhookChoice(chosen, secret, None if current is None or is_kept else current.id)


def lock_monitor_webhook(
    connection: Connection, account_id: int, monitor_id: int
) -> Row[Any] | None:
    """Return the webhook of a monitor, held; None without one."""
    held = webhooks.lock_webhooks(connection, account_id, [], _ids(connection, monitor_id))
    return held[0] if held else None


def _ids(connection: Connection, monitor_id: int | None) -> Sequence[int]:
    """Return the id of a monitor's webhook, if any."""
    query = select(MONITOR_WEBHOOKS.c.webhook_id).where(MONITOR_WEBHOOKS.c.monitor_id == monitor_id)
    return connection.scalars(query).all()


def set_monitor_webhook(connection: Connection, monitor_id: int, choice: WebhookChoice) -> None:
    """Give a monitor its webhook; delete the one that has become obsolete."""
    is_its = MONITOR_WEBHOOKS.c.monitor_id == monitor_id
    connection.execute(delete(MONITOR_WEBHOOKS).where(is_its))
    if choice.webhook is not None:
        row = {"monitor_id": monitor_id, "webhook_id": choice.webhook.id}
        connection.execute(insert(MONITOR_WEBHOOKS).values(row))
    if choice.obsolete_id is not None:
        webhooks.delete_webhook(connection, choice.obsolete_id)


def webhook_monitor_names(connection: Connection, webhook_id: int) -> list[str]:
    """Return the names of the monitors whose alerts a webhook gets, in order."""
    query = (
        select(MONITORS.c.name)
        .join(MONITOR_WEBHOOKS, MONITOR_WEBHOOKS.c.monitor_id == MONITORS.c.id)
        .where(MONITOR_WEBHOOKS.c.webhook_id == webhook_id)
        .order_by(MONITORS.c.name)
    )
    return [*connection.scalars(query)]


def former_columns(webhook: Row[Any] | None) -> dict[str, Any]:
    """Return the columns of ``monitors`` where release 1.1 reads a webhook.

    It knows only the format ``standard``.
    """
    is_known = webhook is not None and webhook.format == Format.STANDARD
    return {
        column: getattr(webhook, own) if is_known else None
        for column, own in (
            ("webhook_url", "url"),
            ("webhook_secret", "secret"),
            ("former_webhook_secret", "former_secret"),
            ("former_secret_ends_at", "former_secret_ends_at"),
        )
    }


def write_former_columns(connection: Connection, webhook: Row[Any]) -> None:
    """Write a changed webhook, which is held, where release 1.1 reads it."""
    ids = select(MONITOR_WEBHOOKS.c.monitor_id).where(MONITOR_WEBHOOKS.c.webhook_id == webhook.id)
    changing = update(MONITORS).where(MONITORS.c.id.in_(ids))
    connection.execute(changing.values(former_columns(webhook)))
