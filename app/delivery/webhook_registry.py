"""Create, change, lock and delete webhooks, in a transaction that the caller commits.

Functions that change a webhook, delete it or refer to it lock its row until the end of the
transaction.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, insert, or_, select, update

from app.core.database import utcnow
from app.core.http.addresses import host_of
from app.delivery.formats import find_format
from app.delivery.models import Webhook
from app.delivery.webhook_records import NoSecretError, NoSuchWebhookError
from app.delivery.webhook_secrets import new_secret
from app.identity.accounts.accounts import lock_account_row
from app.identity.accounts.audit import Action, Actor
from app.identity.accounts.changes import changed_columns, check_quota, record_change
from app.identity.accounts.errors import TooManyError

WEBHOOKS = Webhook.__table__
_FORMER_SECRET_LIFETIME = dt.timedelta(hours=24)
_NO_FORMER_SECRET: dict[str, Any] = {"former_secret": None, "former_secret_ends_at": None}


class WrittenWebhook(NamedTuple):
    """The row of a written webhook, whether it is new, and its secret if that is new."""

    row: Row[Any]
    is_new: bool
    secret: str | None


def put_webhook(
    connection: Connection,
    actor: Actor,
    account_id: int,
    name: str,
    url: str,
    format_name: str,
    limit: int,
) -> WrittenWebhook:
    """Create a webhook, or change the one with this name.

    A URL with another host gets a new secret, as the old host knows the previous one. Raise
    TooManyError if the webhook would be new, and the account already has ``limit``.
    """
    row = _lock_webhook_or_account(connection, account_id, name)
    if row is not None:
        return _change_webhook(connection, actor, row, url, format_name)
    is_independent = (WEBHOOKS.c.account_id == account_id) & ~WEBHOOKS.c.is_managed
    check_quota(connection, is_independent, TooManyError("webhook", limit, "WEBHOOKS_PER_ACCOUNT"))
    record_change(connection, actor, Action.WEBHOOK_CREATED, account_id, name)
    return _insert_webhook(connection, account_id, name, url, format_name)


def _change_webhook(
    connection: Connection, actor: Actor, row: Row[Any], url: str, format_name: str
) -> WrittenWebhook:
    values: dict[str, Any] = {"url": url, "format": format_name}
    secret = None
    if not find_format(format_name).is_signed:
        values |= {"secret": None} | _NO_FORMER_SECRET
    elif row.secret is None or host_of(row.url) != host_of(url):
        secret = new_secret()
        values |= {"secret": secret} | _NO_FORMER_SECRET
    if changed := changed_columns(row, values, dict.fromkeys(_NO_FORMER_SECRET, "secret")):
        detail = f"{row.name}: {changed}"
        record_change(connection, actor, Action.WEBHOOK_CHANGED, row.account_id, detail)
    changed_row = _update_row(connection, row, values | {"is_managed": False})
    return WrittenWebhook(changed_row, is_new=False, secret=secret)


def keep_on_monitor_deletion(connection: Connection, row: Row[Any]) -> None:
    """Prevent release 1.2 from deleting a locked webhook together with its monitor.

    It goes with `app.watching.monitors.storage.compat_1_2`, and so does the column ``is_managed``.
    """
    _update_row(connection, row, {"is_managed": False})


def rotate_secret(connection: Connection, actor: Actor, row: Row[Any], now: dt.datetime) -> str:
    """Give a locked webhook a new secret; the previous one also signs for a day.

    Raise NoSecretError if its messages are not signed.
    """
    if row.secret is None:
        raise NoSecretError(row.format)
    secret = new_secret()
    values = {
        "secret": secret,
        "former_secret": row.secret,
        "former_secret_ends_at": now + _FORMER_SECRET_LIFETIME,
    }
    _update_row(connection, row, values)
    record_change(connection, actor, Action.WEBHOOK_ROTATED, row.account_id, row.name)
    return secret


def _update_row(connection: Connection, row: Row[Any], values: dict[str, Any]) -> Row[Any]:
    update_row = update(WEBHOOKS).where(WEBHOOKS.c.id == row.id).values(values)
    return connection.execute(update_row.returning(WEBHOOKS)).one()


def lock_webhook(connection: Connection, account_id: int, name: str) -> Row[Any]:
    """Return the webhook with this name, locked; raise NoSuchWebhookError if there is none."""
    row = next(iter(lock_webhooks(connection, account_id, [name])), None)
    if row is None:
        raise NoSuchWebhookError(name)
    return row


def lock_webhooks(
    connection: Connection, account_id: int, names: Sequence[str], ids: Sequence[int] = ()
) -> Sequence[Row[Any]]:
    """Return the webhooks with these names or ids, locked.

    They are locked in one order, so that two transactions do not wait for each other.
    """
    is_named = or_(WEBHOOKS.c.name.in_(names), WEBHOOKS.c.id.in_(ids))
    query = select(WEBHOOKS).where(WEBHOOKS.c.account_id == account_id, is_named)
    return connection.execute(query.order_by(WEBHOOKS.c.id).with_for_update(key_share=True)).all()


def delete_webhook(connection: Connection, actor: Actor, row: Row[Any]) -> None:
    """Delete a locked webhook with its messages, sent or pending."""
    connection.execute(delete(WEBHOOKS).where(WEBHOOKS.c.id == row.id))
    record_change(connection, actor, Action.WEBHOOK_DELETED, row.account_id, row.name)


def _lock_webhook_or_account(connection: Connection, account_id: int, name: str) -> Row[Any] | None:
    """Lock a webhook, or its account, so that new webhooks are created one at a time."""
    if webhooks := lock_webhooks(connection, account_id, [name]):
        return webhooks[0]
    lock_account_row(connection, account_id)
    return next(iter(lock_webhooks(connection, account_id, [name])), None)


def _insert_webhook(
    connection: Connection, account_id: int, name: str, url: str, format_name: str
) -> WrittenWebhook:
    secret = new_secret() if find_format(format_name).is_signed else None
    new = insert(WEBHOOKS).values(
        account_id=account_id,
        name=name,
        url=url,
        format=format_name,
        secret=secret,
        is_managed=False,
        created_at=utcnow(),
    )
    row = connection.execute(new.returning(WEBHOOKS)).one()
    return WrittenWebhook(row, is_new=True, secret=secret)
