"""Find due deliveries, lease them, and write results.

A leased delivery is not sent by other deliverers until the lease expires; if its deliverer was
killed, another one then takes over. So a message is delivered at least once. The lease is
longer than an attempt plus the clock skew between nodes.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, delete, select, update

from app.core.backoff import jitter_factor
from app.core.database.engine import read_rows
from app.core.database.malformed import MALFORMED_ERRORS, MALFORMED_PROBLEM, log_malformed
from app.core.fair_scheduler import Channel
from app.delivery.formats.types import Message
from app.delivery.models import MAX_PROBLEM_LENGTH, TEST_MESSAGE_TYPE, Webhook, WebhookDelivery
from app.delivery.queue_statements import (
    LEASABLE_QUERY,
    RESULT_UPDATE,
    SENT_COLUMNS,
    due_webhooks_query,
)
from app.delivery.sender import DEADLINE_SECONDS, AttemptResult
from app.timeseries.words import truncate

DELIVERY_LEASE = dt.timedelta(seconds=DEADLINE_SECONDS + 50)
# The first is short, for a receiver that restarts; the last is repeated, for longer outages.
RETRY_PAUSES = tuple(dt.timedelta(seconds=s) for s in (5, 30, 120, 600, 1_800, 3_600, 7_200))
MAX_MESSAGE_AGE = dt.timedelta(hours=24)
RETENTION_PERIOD = dt.timedelta(days=7)
ROWS_PER_STATEMENT = 1_000  # per statement, because of its timeout
_SWEEP_ROWS = 1_000  # per transaction, so that others do not wait long


@dataclass(frozen=True)
class LeasedDelivery:
    """A leased delivery; ``can_retry``: whether it is sent again after a failure."""

    delivery_id: int
    webhook_id: int
    attempt: int
    created_at: dt.datetime
    can_retry: bool
    message: Message


EndedAttempt = tuple[LeasedDelivery, AttemptResult]


def find_due_webhooks(
    engine: Engine, now: dt.datetime, after: int = 0
) -> tuple[list[Channel], int | None]:
    """Find webhooks with messages that are due and not leased, without locks.

    A page has `ROWS_PER_STATEMENT` webhooks with pending messages. ``after`` and the second result
    say where to continue: 0 is the start, None the end.
    """
    rows = read_rows(engine, due_webhooks_query(), now=now, after=after, limit=ROWS_PER_STATEMENT)
    due = [
        Channel(row.webhook_id, row.account_id, row.url)
        for row in rows
        if row.due_id is not None and row.account_id is not None
    ]
    return due, rows[-1].webhook_id if len(rows) == ROWS_PER_STATEMENT else None


def write_and_lease(
    engine: Engine, ended: Sequence[EndedAttempt], limits: Mapping[int, int], now: dt.datetime
) -> tuple[list[EndedAttempt], list[LeasedDelivery]]:
    """Write the results of attempts and lease messages, in one transaction.

    ``limits`` is the largest number of messages to lease, by the id of their webhook.

    Returns:
        The attempts that could not be written because others have locked their rows; and the
        leased messages, for each webhook those that have waited longest.
    """
    with engine.begin() as connection:
        return _write_results(connection, ended, now), _lease(connection, limits, now)


def _write_results(
    connection: Connection, ended: Sequence[EndedAttempt], now: dt.datetime
) -> list[EndedAttempt]:
    """Write results; one is ignored if the delivery was deleted or has been leased again."""
    if not ended:
        return []
    is_ended = WebhookDelivery.id.in_([leased.delivery_id for leased, _ in ended])
    lock_ended = select(WebhookDelivery.id).where(is_ended).with_for_update(skip_locked=True)
    own_ids = {*connection.scalars(lock_ended)}
    values = [
        _result_values(*attempt, now) for attempt in ended if attempt[0].delivery_id in own_ids
    ]
    if values:
        connection.execute(RESULT_UPDATE, values)
    if len(own_ids) == len(ended):
        return []
    locked_by_others = {*connection.scalars(select(WebhookDelivery.id).where(is_ended))} - own_ids
    return [attempt for attempt in ended if attempt[0].delivery_id in locked_by_others]


def _result_values(
    leased: LeasedDelivery, result: AttemptResult, now: dt.datetime
) -> dict[str, object]:
    retry_at = None
    if result.problem is not None and not result.is_final and leased.can_retry:
        retry_at = next_attempt(leased, now, jitter_factor())
    has_failed = result.problem is not None and retry_at is None
    return {
        "delivery": leased.delivery_id,
        "message": leased.message.message_id,
        "attempt": leased.attempt,
        "attempted_at": now,
        "last_status": result.status,
        "last_problem": result.problem and truncate(result.problem, MAX_PROBLEM_LENGTH),
        "next_attempt_at": retry_at,
        "delivered_at": now if result.problem is None else None,
        "failed_at": now if has_failed else None,
    }


def _lease(
    connection: Connection, limits: Mapping[int, int], now: dt.datetime
) -> list[LeasedDelivery]:
    leased: list[LeasedDelivery] = []
    for webhook_id, limit in limits.items():
        values = {"webhook": webhook_id, "limit": limit, "now": now}
        try:
            rows = connection.execute(LEASABLE_QUERY, values)
            leased += [_leased_delivery(row, now) for row in rows]
        except MALFORMED_ERRORS:
            ids_only = LEASABLE_QUERY.with_only_columns(WebhookDelivery.id)
            ids = connection.scalars(ids_only, values).all()
            leased += _lease_one_by_one(connection, ids, now)
    if leased:
        ids = [delivery.delivery_id for delivery in leased]
        lease_rows = update(WebhookDelivery).where(WebhookDelivery.id.in_(ids))
        attempts = WebhookDelivery.attempts + 1
        connection.execute(lease_rows.values(leased_until=now + DELIVERY_LEASE, attempts=attempts))
    return leased


def _lease_one_by_one(
    connection: Connection, ids: Sequence[int], now: dt.datetime
) -> list[LeasedDelivery]:
    """Lease the deliveries that can be sent, and mark malformed ones as failed."""
    leased: list[LeasedDelivery] = []
    for delivery_id in ids:
        sent_rows = select(*SENT_COLUMNS).join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        try:
            row = connection.execute(sent_rows.where(WebhookDelivery.id == delivery_id)).one()
            leased.append(_leased_delivery(row, now))
        except MALFORMED_ERRORS as error:
            log_malformed(WebhookDelivery.__tablename__, delivery_id, error)
            fail_delivery = update(WebhookDelivery).where(WebhookDelivery.id == delivery_id)
            values = {
                "attempted_at": now,
                "failed_at": now,
                "next_attempt_at": None,
                "leased_until": None,
                "last_status": None,
                "last_problem": MALFORMED_PROBLEM,
            }
            connection.execute(fail_delivery.values(values))
    return leased


def _leased_delivery(row: Any, now: dt.datetime) -> LeasedDelivery:
    return LeasedDelivery(
        row.id,
        row.webhook_id,
        row.attempts + 1,
        row.created_at,
        row.type != TEST_MESSAGE_TYPE,
        _message(row, now),
    )


def next_attempt(leased: LeasedDelivery, now: dt.datetime, factor: float) -> dt.datetime | None:
    """Return when to retry after an attempt that failed at ``now``; None after the last one.

    ``factor`` is the jitter of the pause.
    """
    retry_at = now + RETRY_PAUSES[min(leased.attempt, len(RETRY_PAUSES)) - 1] * factor
    return retry_at if retry_at <= leased.created_at + MAX_MESSAGE_AGE else None


def sweep_deliveries(engine: Engine, now: dt.datetime) -> int:
    """Delete a batch of deliveries that ended a week ago; return their number."""
    before = now - RETENTION_PERIOD
    ended = (WebhookDelivery.delivered_at < before) | (WebhookDelivery.failed_at < before)
    rows = read_rows(engine, select(WebhookDelivery.id).where(ended).limit(_SWEEP_ROWS))
    old = [row.id for row in rows]
    if old:
        with engine.begin() as connection:
            connection.execute(delete(WebhookDelivery).where(WebhookDelivery.id.in_(old)))
    return len(old)


def _message(row: Any, now: dt.datetime) -> Message:
    secrets = () if row.secret is None else (row.secret,)
    if row.former_secret is not None and row.former_secret_ends_at > now:
        secrets += (row.former_secret,)
    return Message(row.url, row.format, secrets, row.message_id, row.payload, row.text)
