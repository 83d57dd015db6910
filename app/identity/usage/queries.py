"""Queries of usage for pages; each process writes its counts every few seconds.

Each is one statement over the rows of one account, so fast that one page can run all of them.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Executable, String, case, cast, func, select, true

from app.core.database import db, utcnow
from app.core.database.engine import read_rows
from app.identity.usage.latency import quantile
from app.identity.usage.models import AccountDay, AccountHour, FailureDay, KeyAddress, KeyDay
from app.identity.usage.periods import Interval, utc_datetime

MAX_FAILURES = 20
MAX_ADDRESSES = 20


@dataclass(frozen=True)
class OutcomeCounts:
    """Calls in the hour or day from ``start``, by outcome.

    Attributes:
        succeeded: 2xx.
        refused: 429, over a limit.
        rejected: Any other 4xx, an invalid request.
        failed: 5xx, an error of the service.
    """

    start: dt.datetime
    succeeded: int = 0
    refused: int = 0
    rejected: int = 0
    failed: int = 0

    @property
    def calls(self) -> int:
        return self.succeeded + self.refused + self.rejected + self.failed


@dataclass(frozen=True)
class Latency:
    """Median and 95th percentile of the duration of successful calls, in seconds."""

    p50: float | None
    p95: float | None


@dataclass(frozen=True)
class Failure:
    """Calls that failed in the same way; ``field`` is the path of the invalid field, or ""."""

    endpoint: str
    status: int
    field: str
    calls: int


@dataclass(frozen=True)
class Address:
    """An address that called with a key; for IPv6 the network."""

    address: str
    first_seen: dt.datetime
    last_seen: dt.datetime
    calls: int


@dataclass(frozen=True)
class LastAddress:
    """The last address that called with a key, the time, and the number of addresses."""

    address: str
    last_seen: dt.datetime
    number: int


def fetch_outcomes(
    account_id: int, since: dt.datetime, until: dt.datetime, step: Interval
) -> list[OutcomeCounts]:
    """Return the calls of an account in each ``step`` from ``since`` to ``until``, inclusive.

    Steps without calls are included. Hours are kept for eight days, days for 90.
    """
    first, last = step.start(since), step.start(until)
    rows = read_rows(db.engine, _outcomes_query(account_id, first, last, step))
    rows_by_start = {row.start: row for row in rows}
    return [
        OutcomeCounts(
            utc_datetime(start),
            *(map(int, rows_by_start[start][1:]) if start in rows_by_start else ()),
        )
        for start in range(first, last + 1, step.seconds)
    ]


def fetch_latency(account_id: int, since: dt.datetime, step: Interval = Interval.DAY) -> Latency:
    """Return the latency of an account's calls since the start of the ``step`` of ``since``."""
    rows = read_rows(db.engine, _latency_query(account_id, step.start(since), step))
    counts = {row.latency_bucket: int(row.calls) for row in rows}
    return Latency(quantile(counts, 0.5), quantile(counts, 0.95))


def fetch_failures(
    account_id: int, since: dt.datetime, *, key_id: int | None = None, limit: int = MAX_FAILURES
) -> list[Failure]:
    """Return the most frequent failures since the day of ``since``, only of ``key_id`` if given."""
    first = Interval.DAY.start(since)
    rows = read_rows(db.engine, _failures_query(account_id, first, key_id, limit))
    return [Failure(row.endpoint, row.status, row.field, int(row.calls)) for row in rows]


def fetch_sparklines(account_id: int, days: int) -> dict[int, list[int]]:
    """Return the calls of each key used in the last ``days``: one number per day.

    The last one is today, in UTC.
    """
    length = Interval.DAY.seconds
    first = Interval.DAY.start(utcnow()) - (days - 1) * length
    rows = read_rows(db.engine, _sparklines_query(account_id, first))
    lines: defaultdict[int, list[int]] = defaultdict(lambda: [0] * days)
    for row in rows:
        index = (row.day - first) // length
        if index < days:
            for key_id, calls in zip(_numbers(row.key_ids), _numbers(row.calls), strict=True):
                lines[key_id][index] = calls
    return dict(lines)


def _numbers(joined: str) -> Iterator[int]:
    return map(int, joined.split(","))


def fetch_last_addresses(account_id: int) -> dict[int, LastAddress]:
    """Return the last known address of each key of an account."""
    return {
        row.key_id: LastAddress(row.address, utc_datetime(row.last_seen), row.number)
        for row in read_rows(db.engine, _last_addresses_query(account_id))
    }


def fetch_addresses(account_id: int, key_id: int, limit: int = MAX_ADDRESSES) -> list[Address]:
    """Return the addresses that called with a key, most recent first."""
    rows = read_rows(db.engine, _addresses_query(account_id, key_id, limit))
    return [
        Address(row.address, utc_datetime(row.first_seen), utc_datetime(row.last_seen), row.calls)
        for row in rows
    ]


def count_calls_today(account_id: int) -> int:
    """Return the number of calls of an account since midnight UTC."""
    calls = func.coalesce(func.sum(AccountDay.calls), 0)
    is_today = AccountDay.day >= Interval.DAY.start(utcnow())
    query = select(calls).where(AccountDay.account_id == account_id, is_today)
    ((number,),) = read_rows(db.engine, query)
    return int(number)


def _outcomes_query(account_id: int, first: int, last: int, step: Interval) -> Executable:
    table = AccountHour if step is Interval.HOUR else AccountDay
    start = AccountHour.hour if step is Interval.HOUR else AccountDay.day
    status, calls = table.status, table.calls
    refused = status == 429
    succeeded, failed = status < 400, status >= 500
    return (
        select(
            start.label("start"),
            func.sum(case((succeeded, calls), else_=0)).label("succeeded"),
            func.sum(case((refused, calls), else_=0)).label("refused"),
            func.sum(case((succeeded | refused | failed, 0), else_=calls)).label("rejected"),
            func.sum(case((failed, calls), else_=0)).label("failed"),
        )
        .where(table.account_id == account_id, start.between(first, last))
        .group_by(start)
    )


def _latency_query(account_id: int, first: int, step: Interval) -> Executable:
    table = AccountHour if step is Interval.HOUR else AccountDay
    start = AccountHour.hour if step is Interval.HOUR else AccountDay.day
    return (
        select(table.latency_bucket, func.sum(table.calls).label("calls"))
        .where(table.account_id == account_id, start >= first, table.status < 400)
        .group_by(table.latency_bucket)
    )


def _failures_query(account_id: int, first: int, key_id: int | None, limit: int) -> Executable:
    kind = (FailureDay.endpoint, FailureDay.status, FailureDay.field)
    # Grouped in the order of the primary key first: few rows are left to sort.
    daily = (
        select(*kind, func.sum(FailureDay.calls).label("calls"))
        .where(FailureDay.account_id == account_id, FailureDay.day >= first)
        .where(true() if key_id is None else FailureDay.key_id == key_id)
        .group_by(FailureDay.account_id, FailureDay.day, *kind)
        .subquery()
    )
    *group, calls = daily.c
    total = func.sum(calls).label("calls")
    query = select(*group, total).group_by(*group).order_by(total.desc(), *group)
    return query.limit(limit)


def _sparklines_query(account_id: int, first: int) -> Executable:
    # One row per day: reading thousands in Python is slower than joining them in the database.
    key_ids, calls = (
        func.aggregate_strings(cast(column, String), ",").label(name)
        for column, name in ((KeyDay.key_id, "key_ids"), (KeyDay.calls, "calls"))
    )
    return (
        select(KeyDay.day, key_ids, calls)
        .where(KeyDay.account_id == account_id, KeyDay.day >= first)
        .group_by(KeyDay.account_id, KeyDay.day)
    )


def _last_addresses_query(account_id: int) -> Executable:
    newest_use = (
        select(
            KeyAddress.key_id,
            func.count().label("number"),
            func.max(KeyAddress.last_seen).label("last_seen"),
        )
        .where(KeyAddress.account_id == account_id)
        .group_by(KeyAddress.account_id, KeyAddress.key_id)
        .subquery()
    )
    is_last = (KeyAddress.key_id == newest_use.c.key_id) & (
        KeyAddress.last_seen == newest_use.c.last_seen
    )
    return (
        select(KeyAddress.key_id, KeyAddress.address, KeyAddress.last_seen, newest_use.c.number)
        .join(newest_use, is_last)
        .where(KeyAddress.account_id == account_id)
    )


def _addresses_query(account_id: int, key_id: int, limit: int) -> Executable:
    return (
        select(KeyAddress.__table__)
        .where(KeyAddress.account_id == account_id, KeyAddress.key_id == key_id)
        .order_by(KeyAddress.last_seen.desc(), KeyAddress.address)
        .limit(limit)
    )
