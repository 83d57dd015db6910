"""What release 1.1 writes while it runs beside this one, during an upgrade.

It has the webhook of a monitor in the monitor's row, and its messages in a table of their own. This
release writes the former too; so where the two differ, the other one has changed it.
"""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, case, delete, insert, or_, select

from app.core.database import db
from app.core.database.engine import read_connection
from app.core.database.malformed import MALFORMED_ERRORS, skipped_rows
from app.delivery import registry as webhooks
from app.delivery.models import Format
from app.delivery.queries import DELIVERIES
from app.delivery.registry import WEBHOOKS
from app.watching.monitors import clock
from app.watching.monitors.messages import message_text, monitor_subject
from app.watching.monitors.records import Destination
from app.watching.monitors.registry import lock_monitor
from app.watching.monitors.tables import FORMER_DELIVERIES, MONITOR_WEBHOOKS, MONITORS
from app.watching.monitors.webhooks import (
    resolve_webhook,
    set_monitor_webhook,
    write_former_columns,
)

MAX_BATCH_MONITORS = 1_000


def adopt() -> None:
    """Take over webhooks and messages of release 1.1."""
    adopt_webhooks()
    while adopt_messages() == MAX_BATCH_MONITORS:
        pass


def adopt_webhooks() -> None:
    """Change the webhooks that release 1.1 has changed, one transaction each."""
    skipped = skipped_rows("monitors with webhooks of release 1.1")
    is_known = WEBHOOKS.c.format == Format.STANDARD
    query = (
        select(MONITORS.c.id, MONITORS.c.account_id, MONITORS.c.name)
        .outerjoin(MONITOR_WEBHOOKS, MONITOR_WEBHOOKS.c.monitor_id == MONITORS.c.id)
        .outerjoin(WEBHOOKS, WEBHOOKS.c.id == MONITOR_WEBHOOKS.c.webhook_id)
        .where(
            or_(
                MONITORS.c.webhook_url.is_distinct_from(case((is_known, WEBHOOKS.c.url))),
                MONITORS.c.webhook_secret.is_distinct_from(case((is_known, WEBHOOKS.c.secret))),
            )
        )
        .where(MONITORS.c.id.not_in(skipped.ids()))
        .limit(MAX_BATCH_MONITORS)
    )
    with read_connection() as connection:
        changed = connection.execute(query).all()
    for monitor_id, account_id, name in changed:
        with skipped.skip_if_malformed(monitor_id):
            _adopt_webhook(account_id, name)


def _adopt_webhook(account_id: int, name: str) -> None:
    with db.engine.begin() as connection:
        webhooks.lock_account(connection, account_id)
        row = lock_monitor(connection, account_id, name)
        if row is None:
            return
        choice = resolve_webhook(
            connection, account_id, name, row.id, Destination(url=row.webhook_url)
        )
        set_monitor_webhook(connection, row.id, choice)
        if choice.webhook is not None:
            values = {
                "format": Format.STANDARD,
                "secret": row.webhook_secret,
                "former_secret": row.former_webhook_secret,
                "former_secret_ends_at": row.former_secret_ends_at,
            }
            write_former_columns(
                connection, webhooks.write_webhook(connection, choice.webhook, values)
            )


def adopt_messages() -> int:
    """Move messages of release 1.1 that nobody sends at the moment; return their number.

    Those whose monitor has no webhook are dropped, and so are those that are malformed.
    """
    former = FORMER_DELIVERIES
    with read_connection() as connection:
        if connection.scalar(select(former.c.id).limit(1)) is None:
            return 0
    now = clock.now()
    query = (
        select(former.c.id)
        .where(or_(former.c.leased_until.is_(None), former.c.leased_until <= now))
        .order_by(former.c.id)
        .limit(MAX_BATCH_MONITORS)
        .with_for_update(skip_locked=True)
    )
    with db.engine.begin() as connection:
        ids = connection.scalars(query).all()
        try:
            moved = _adopted_rows(connection, ids)
        except MALFORMED_ERRORS:
            moved = _adopted_one_by_one(connection, ids)
        if moved:
            connection.execute(insert(DELIVERIES), moved)
        connection.execute(delete(former).where(former.c.id.in_(ids)))
    return len(ids)


def _adopted_one_by_one(connection: Connection, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows of messages among which some are malformed, without these."""
    skipped = skipped_rows(FORMER_DELIVERIES.name)
    moved: list[dict[str, Any]] = []
    for former_id in ids:
        with skipped.skip_if_malformed(former_id):
            moved += _adopted_rows(connection, [former_id])
    return moved


def _adopted_rows(connection: Connection, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return messages of release 1.1 as rows of this one."""
    former = FORMER_DELIVERIES
    query = (
        select(former, MONITOR_WEBHOOKS.c.webhook_id)
        .join(MONITOR_WEBHOOKS, MONITOR_WEBHOOKS.c.monitor_id == former.c.monitor_id)
        .where(former.c.id.in_(ids))
        .order_by(former.c.id)
    )
    kept = [
        column.name for column in former.c if column.name in DELIVERIES.c and column.name != "id"
    ]
    return [
        {name: getattr(row, name) for name in kept}
        | {
            "webhook_id": row.webhook_id,
            "subject": monitor_subject(row.monitor_id),
            "text": message_text(row.type, json.loads(row.payload)["data"]),
            "leased_until": None,
            "attempted_at": row.delivered_at or row.failed_at,
        }
        for row in connection.execute(query)
    ]
