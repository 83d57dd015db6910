"""Lease deliveries that are due, and write their results.

A leased delivery is not sent by other deliverers until the lease expires; if its holder was killed,
another one then takes over. So a message is delivered at least once. The lease is longer than an
attempt plus the clock skew between nodes.
"""

import datetime as dt
import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Dialect,
    Engine,
    String,
    bindparam,
    column,
    delete,
    exists,
    func,
    select,
    table,
    update,
)

from app.accounts.models import Account
from app.database import UtcDateTime
from app.database.statements import Prepared, once_for_each_kind
from app.webhooks.models import LONGEST_PROBLEM, PENDING, WebhookDelivery
from app.webhooks.sender import DEADLINE_SECONDS, Message, Result

LEASE = dt.timedelta(seconds=DEADLINE_SECONDS + 50)
# The first is short, for a receiver that restarts; the last is repeated, for longer outages.
PAUSES = tuple(dt.timedelta(seconds=s) for s in (5, 30, 120, 600, 1_800, 3_600, 7_200))
JITTER = (
    0.2  # fraction of a pause, in both directions, so that messages are not all retried together
)
LIFE = dt.timedelta(hours=24)
KEPT = dt.timedelta(days=7)
SWEEP_ROWS = 1_000  # per transaction, so that others do not wait long
MOST_OF_A_URL = 3  # candidates: more are not sent at the same time, and would hide those of others
MOST_CANDIDATES = 500

# By name: the tables of monitors belong to a package that imports this one.
_MONITORS = table(
    "monitors",
    column("id"),
    column("account_id"),
    column("webhook_url", String),
    column("webhook_secret", String),
    column("former_webhook_secret", String),
    column("former_secret_ends_at", UtcDateTime),
)
_SENT = (
    WebhookDelivery.id,
    WebhookDelivery.attempts,
    WebhookDelivery.created_at,
    WebhookDelivery.message_id,
    WebhookDelivery.payload,
    *_MONITORS.c[2:],
)
# Deliveries of a suspended account wait until it is resumed.
_MAY_BE_SENT = exists().where(Account.id == _MONITORS.c.account_id, Account.suspended_at.is_(None))


@dataclass(frozen=True)
class Candidate:
    """A delivery that is due, and its URL; None if the monitor no longer has one."""

    delivery_id: int
    url: str | None


@dataclass(frozen=True)
class Taken:
    """A leased delivery; ``message`` is None if the monitor no longer has a URL."""

    delivery_id: int
    message_id: str
    attempt: int
    created_at: dt.datetime
    message: Message | None


def due(engine: Engine, now: dt.datetime) -> list[Candidate]:
    """Return deliveries that are due and not leased, longest waiting first."""
    rows = _looking(engine.dialect).run(engine, now=now)
    return [Candidate(row.id, row.webhook_url) for row in rows]


def take(engine: Engine, delivery_ids: Collection[int], now: dt.datetime) -> list[Taken]:
    """Lease those of ``delivery_ids`` that are still due and not leased by others."""
    still_due = (
        select(WebhookDelivery.id)
        .join(_MONITORS, _MONITORS.c.id == WebhookDelivery.monitor_id)
        .where(WebhookDelivery.id.in_(delivery_ids), _is_due(now), _MAY_BE_SENT)
        .with_for_update(of=WebhookDelivery, skip_locked=True)
    )
    leasing = (
        update(WebhookDelivery)
        .where(WebhookDelivery.id.in_(still_due))
        .values(leased_until=now + LEASE, attempts=WebhookDelivery.attempts + 1)
        .returning(WebhookDelivery.id)
    )
    with engine.begin() as connection:
        leased = connection.scalars(leasing).all()
        if not leased:
            return []
        rows = connection.execute(
            select(*_SENT)
            .join(_MONITORS, _MONITORS.c.id == WebhookDelivery.monitor_id)
            .where(WebhookDelivery.id.in_(leased))
        )
        return [
            Taken(row.id, row.message_id, row.attempts, row.created_at, _message(row, now))
            for row in rows
        ]


def write_result(engine: Engine, taken: Taken, result: Result, now: dt.datetime) -> None:
    """Write the result of an attempt, unless the delivery has been leased again since."""
    problem = None if result.problem is None else result.problem[:LONGEST_PROBLEM]
    values: dict[str, object] = {"leased_until": None, "last_problem": problem}
    following = None if result.final else next_attempt(taken, now, random.uniform(-JITTER, JITTER))
    if result.problem is None:
        values |= {"next_attempt_at": None, "delivered_at": now}
    elif following is None:
        values |= {"next_attempt_at": None, "failed_at": now}
    else:
        values |= {"next_attempt_at": following}
    with engine.begin() as connection:
        connection.execute(
            update(WebhookDelivery)
            .where(
                WebhookDelivery.id == taken.delivery_id,
                WebhookDelivery.message_id == taken.message_id,
                WebhookDelivery.attempts == taken.attempt,
                PENDING,
            )
            .values(values)
        )


def next_attempt(taken: Taken, now: dt.datetime, jitter: float) -> dt.datetime | None:
    """Return when to retry after an attempt that failed at ``now``; None after the last one.

    ``jitter`` is the fraction by which the pause is longer or, if negative, shorter.
    """
    pause = PAUSES[min(taken.attempt, len(PAUSES)) - 1] * (1 + jitter)
    following = now + pause
    return following if following <= taken.created_at + LIFE else None


def sweep(engine: Engine, now: dt.datetime) -> int:
    """Delete some deliveries that ended a week ago; return the number."""
    old = [row.id for row in _looking_for_old(engine.dialect).run(engine, before=now - KEPT)]
    if old:
        with engine.begin() as connection:
            connection.execute(delete(WebhookDelivery).where(WebhookDelivery.id.in_(old)))
    return len(old)


def _message(row: Any, now: dt.datetime) -> Message | None:
    if row.webhook_url is None or row.webhook_secret is None:
        return None
    secrets: tuple[str, ...] = (row.webhook_secret,)
    if row.former_webhook_secret is not None and row.former_secret_ends_at > now:
        secrets += (row.former_webhook_secret,)
    return Message(row.webhook_url, row.message_id, row.payload, secrets)


def _is_due(now: dt.datetime | ColumnElement[dt.datetime]) -> ColumnElement[bool]:
    free = WebhookDelivery.leased_until.is_(None) | (WebhookDelivery.leased_until <= now)
    return PENDING & (WebhookDelivery.next_attempt_at <= now) & free


@once_for_each_kind
def _looking(dialect: Dialect) -> Prepared:
    """Return the statement that finds due deliveries, some per URL, without locks."""
    now = bindparam("now", type_=UtcDateTime)
    place = func.row_number().over(
        partition_by=_MONITORS.c.webhook_url, order_by=WebhookDelivery.next_attempt_at
    )
    ranked = (
        select(
            WebhookDelivery.id,
            WebhookDelivery.next_attempt_at,
            _MONITORS.c.webhook_url,
            place.label("place"),
        )
        .join(_MONITORS, _MONITORS.c.id == WebhookDelivery.monitor_id)
        .where(_is_due(now), _MAY_BE_SENT)
        .subquery()
    )
    some_of_each = (
        select(ranked.c.id, ranked.c.webhook_url)
        .where(ranked.c.place <= MOST_OF_A_URL)
        .order_by(ranked.c.next_attempt_at)
        .limit(MOST_CANDIDATES)
    )
    return Prepared(some_of_each, dialect)


@once_for_each_kind
def _looking_for_old(dialect: Dialect) -> Prepared:
    """Return the statement that finds deliveries to delete, without locks."""
    before = bindparam("before", type_=UtcDateTime)
    done = (WebhookDelivery.delivered_at < before) | (WebhookDelivery.failed_at < before)
    return Prepared(select(WebhookDelivery.id).where(done).limit(SWEEP_ROWS), dialect)
