"""The leases of queries: the holder of the newest one polls.

A lease keeps two workers from sending the same requests. Even without a lease no point is counted
twice, as a monitor has one point for each step. A worker that was stopped for longer than its lease
notices that at its next write.
"""

import datetime as dt
import time
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select, update

from app.core.database import db, utcnow
from app.core.database.engine import read_rows
from app.core.database.malformed import (
    MALFORMED_ERRORS,
    MALFORMED_PROBLEM,
    SKIP_SECONDS,
    log_malformed,
    reject_non_integers,
)
from app.core.fair_scheduler import Channel
from app.identity.accounts.models import Account
from app.watching.models.sources import QUERIES, SOURCES, QueryState
from app.watching.sources.query_states import state_columns

QUERY_LEASE = dt.timedelta(seconds=90)
_LEASE_RENEWAL_SECONDS = 20.0


class LeaseLostError(Exception):
    """Another worker has the query, or it was changed or deleted."""


class Lease:
    """The lease of a query; its holder writes to the query only while it lasts.

    ``query`` is its row when leased, with ``url``, ``credentials`` and ``tenant`` of its source.
    """

    def __init__(self, query: Row[Any]) -> None:
        self.query = query
        self._is_mine = (QUERIES.c.id == query.id) & (QUERIES.c.lease == query.lease)
        self._renewed_at = time.monotonic()

    def renew(self) -> None:
        """Renew the lease if that is due; raise LeaseLostError if another worker has one."""
        if time.monotonic() - self._renewed_at > _LEASE_RENEWAL_SECONDS:
            self.update(leased_until=utcnow() + QUERY_LEASE)
            self._renewed_at = time.monotonic()

    def update(self, **values: Any) -> None:
        """Write columns of the query, in a new transaction; raise LeaseLostError."""
        with db.engine.begin() as connection:
            self.update_on(connection, **values)

    def update_on(self, connection: Connection, **values: Any) -> None:
        """Write columns of the query; raise LeaseLostError."""
        update_row = update(QUERIES).where(self._is_mine).values(values)
        if connection.scalar(update_row.returning(QUERIES.c.id)) is None:
            raise LeaseLostError

    def lock(self, connection: Connection) -> None:
        """Lock the query until the end of a transaction; raise LeaseLostError."""
        query = select(QUERIES.c.id).where(self._is_mine)
        if connection.scalar(query.with_for_update(key_share=True)) is None:
            raise LeaseLostError


def acquire_lease(query_id: int, *, must_be_due: bool = False) -> Lease | None:
    """Lease a query; None if it is not free, or with ``must_be_due`` not due."""
    now = utcnow()
    free = select(QUERIES.c.id).where(QUERIES.c.id == query_id, _is_free(now))
    if must_be_due:
        free = free.where(QUERIES.c.next_poll_at <= now)
    free = free.join(Account, Account.id == QUERIES.c.account_id)
    lease_row = (
        update(QUERIES)
        .where(QUERIES.c.id == free.with_for_update(of=QUERIES, skip_locked=True).scalar_subquery())
        .values(leased_until=now + QUERY_LEASE, lease=QUERIES.c.lease + 1)
        .returning(QUERIES.c.id)
    )
    with db.engine.begin() as connection:
        leased_id = connection.scalar(lease_row)
        if leased_id is None:
            return None
        query = select(QUERIES, *SOURCES.c["url", "credentials", "tenant"])
        query = query.join(SOURCES, SOURCES.c.id == QUERIES.c.source_id)
        try:
            row = connection.execute(query.where(QUERIES.c.id == leased_id)).one()
            reject_non_integers(row, QUERIES.c)
            return Lease(row)
        except MALFORMED_ERRORS as error:
            _postpone(connection, leased_id, error)
            return None


def _postpone(connection: Connection, query_id: int, error: Exception) -> None:
    """Postpone a query whose row is malformed, so that the others are polled."""
    is_query = QUERIES.c.id == query_id
    is_timed = QUERIES.c.failing_since.is_not(None).label("is_timed")
    before = connection.execute(select(QUERIES.c.problem, is_timed).where(is_query)).one()
    now = utcnow()
    postponed = {"leased_until": None, "next_poll_at": now + dt.timedelta(seconds=SKIP_SECONDS)}
    if before.problem != MALFORMED_PROBLEM:
        log_malformed(QUERIES.name, query_id, error)
    # Older releases stored the problem without a time, and so it was never an alert.
    if before.problem != MALFORMED_PROBLEM or not before.is_timed:
        # Without the state before, which may be what is malformed.
        postponed |= state_columns(QueryState.FAILING, MALFORMED_PROBLEM, 1, now)
    connection.execute(update(QUERIES).where(is_query).values(postponed))


def find_due_queries(max_per_account: int) -> list[Channel]:
    """Find the queries that are due and free, without locks.

    Each account has at most ``max_per_account``, those that have been due for longest, so that an
    account with many queries does not delay others.
    """
    now = utcnow()
    rank = func.row_number().over(
        partition_by=QUERIES.c.account_id, order_by=(QUERIES.c.next_poll_at, QUERIES.c.id)
    )
    ranked = (
        select(QUERIES.c.id, QUERIES.c.account_id, QUERIES.c.source_id, rank.label("rank"))
        .join(Account, Account.id == QUERIES.c.account_id)
        .where(QUERIES.c.next_poll_at <= now, _is_free(now))
        .subquery()
    )
    due = (
        select(ranked.c.id, ranked.c.account_id, SOURCES.c.url)
        .join(SOURCES, SOURCES.c.id == ranked.c.source_id)
        .where(ranked.c.rank <= max_per_account)
        .order_by(ranked.c.rank, ranked.c.id)
    )
    return [Channel(row.id, row.account_id, row.url) for row in read_rows(db.engine, due)]


def _is_free(now: dt.datetime) -> ColumnElement[bool]:
    is_unleased = QUERIES.c.leased_until.is_(None) | (QUERIES.c.leased_until <= now)
    return is_unleased & Account.suspended_at.is_(None)
