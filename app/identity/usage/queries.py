"""Queries of usage for pages; each process writes its counts every few seconds.

Each statement reads rows of one account, so fast that one page can run all of them.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import String, bindparam, case, cast, func, select, true
from sqlalchemy.orm import InstrumentedAttribute

from app.core.database import db, utcnow
from app.core.database.engine import read_connection, read_rows
from app.identity.usage.buckets import UsageInterval, utc_datetime
from app.identity.usage.latency import quantile
from app.identity.usage.models import AccountDay, AccountHour, FailureDay, KeyAddress, KeyDay
from app.timeseries.seconds import DAY_SECONDS

_MAX_ADDRESSES = 20


@dataclass(frozen=True)
class OutcomeCounts:
    """Calls from ``start`` on, by status.

    Succeeded: below 400; limited: 429; invalid: other 4xx; failed: 500 and more.
    """

    start: dt.datetime
    succeeded: int = 0
    limited: int = 0
    invalid: int = 0
    failed: int = 0

    @property
    def calls(self) -> int:
        return self.succeeded + self.limited + self.invalid + self.failed


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
    address_count: int


def fetch_outcomes(
    account_id: int, since: dt.datetime, until: dt.datetime, step: UsageInterval
) -> list[OutcomeCounts]:
    """Return the calls of an account in each ``step`` from ``since`` to ``until``, inclusive.

    Steps without calls are included. Hours are kept for eight days, days for 90.
    """
    first, last = step.start(since), step.start(until)
    table, start = _table_of(step)
    status, calls = table.status, table.calls
    succeeded, limited, failed = status < 400, status == 429, status >= 500
    query = (
        select(
            start.label("start"),
            func.sum(case((succeeded, calls), else_=0)),
            func.sum(case((limited, calls), else_=0)),
            func.sum(case((succeeded | limited | failed, 0), else_=calls)),
            func.sum(case((failed, calls), else_=0)),
        )
        .where(table.account_id == account_id, start.between(first, last))
        .group_by(start)
    )
    counts = {row.start: map(int, row[1:]) for row in read_rows(db.engine, query)}
    starts = range(first, last + 1, step.seconds)
    return [OutcomeCounts(utc_datetime(begin), *counts.get(begin, ())) for begin in starts]


def fetch_latency(account_id: int, since: dt.datetime, step: UsageInterval) -> Latency:
    """Return the latency of an account's calls since the start of the ``step`` of ``since``."""
    table, start = _table_of(step)
    query = (
        select(table.latency_bucket, func.sum(table.calls).label("calls"))
        .where(table.account_id == account_id, start >= step.start(since), table.status < 400)
        .group_by(table.latency_bucket)
    )
    counts = {row.latency_bucket: int(row.calls) for row in read_rows(db.engine, query)}
    return Latency(quantile(counts, 0.5), quantile(counts, 0.95))


def fetch_failures(
    account_id: int, since: dt.datetime, *, limit: int, key_id: int | None = None
) -> list[Failure]:
    """Return the most frequent failures since the day of ``since``, only of ``key_id`` if given."""
    kind = (FailureDay.endpoint, FailureDay.status, FailureDay.field)
    # Grouped in the order of the primary key first: few rows are left to sort.
    daily = (
        select(*kind, func.sum(FailureDay.calls).label("calls"))
        .where(
            FailureDay.account_id == account_id, FailureDay.day >= UsageInterval.DAY.start(since)
        )
        .where(true() if key_id is None else FailureDay.key_id == key_id)
        .group_by(FailureDay.account_id, FailureDay.day, *kind)
        .subquery()
    )
    *group, calls = daily.c
    total = func.sum(calls).label("calls")
    query = select(*group, total).group_by(*group).order_by(total.desc(), *group).limit(limit)
    return [
        Failure(row.endpoint, row.status, row.field, int(row.calls))
        for row in read_rows(db.engine, query)
    ]


def find_failing_keys(
    account_id: int, since: dt.datetime, failures: Sequence[Failure], limit: int
) -> dict[Failure, list[int]]:
    """Return for each of ``failures`` the ids of up to ``limit`` keys, most frequent first.

    ``since`` is as in `fetch_failures`: whole days.
    """
    # Another node's clock may be a day ahead.
    after = UsageInterval.DAY.start(utcnow()) + 2 * DAY_SECONDS
    query = (
        select(FailureDay.key_id)
        .where(FailureDay.account_id == account_id)
        # Each day separately: day and kind are a prefix of the primary key, so the rows are sought.
        .where(FailureDay.day.in_(range(UsageInterval.DAY.start(since), after, DAY_SECONDS)))
        .where(FailureDay.endpoint == bindparam("endpoint"))
        .where(FailureDay.status == bindparam("status"))
        .where(FailureDay.field == bindparam("field"))
        .group_by(FailureDay.key_id)
        .order_by(func.sum(FailureDay.calls).desc(), FailureDay.key_id)
        .limit(limit)
    )
    with read_connection() as connection:
        return {failure: [*connection.scalars(query, vars(failure))] for failure in failures}


def fetch_sparklines(account_id: int, days: int) -> dict[int, list[int]]:
    """Return the calls of each key used in the last ``days``: one number per day.

    The last one is today, in UTC.
    """
    first = UsageInterval.DAY.start(utcnow()) - (days - 1) * DAY_SECONDS
    # One row per day: reading thousands in Python is slower than joining them in the database.
    counts = cast(KeyDay.key_id, String) + ":" + cast(KeyDay.calls, String)
    query = (
        select(KeyDay.day, func.aggregate_strings(counts, ",").label("calls"))
        .where(KeyDay.account_id == account_id, KeyDay.day >= first)
        .group_by(KeyDay.account_id, KeyDay.day)
    )
    lines: defaultdict[int, list[int]] = defaultdict(lambda: [0] * days)
    for row in read_rows(db.engine, query):
        index = (row.day - first) // DAY_SECONDS
        if index < days:
            for key_id, calls in (pair.split(":") for pair in row.calls.split(",")):
                lines[int(key_id)][index] = int(calls)
    return dict(lines)


def fetch_last_addresses(account_id: int) -> dict[int, LastAddress]:
    """Return the last address of each key of an account that was used, by the key's id."""
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
    query = (
        select(KeyAddress.key_id, KeyAddress.address, KeyAddress.last_seen, newest_use.c.number)
        .join(newest_use, is_last)
        .where(KeyAddress.account_id == account_id)
    )
    return {
        row.key_id: LastAddress(row.address, utc_datetime(row.last_seen), row.number)
        for row in read_rows(db.engine, query)
    }


def fetch_addresses(account_id: int, key_id: int) -> list[Address]:
    """Return the `_MAX_ADDRESSES` last addresses that called with a key, most recent first."""
    query = (
        select(KeyAddress.__table__)
        .where(KeyAddress.account_id == account_id, KeyAddress.key_id == key_id)
        .order_by(KeyAddress.last_seen.desc(), KeyAddress.address)
        .limit(_MAX_ADDRESSES)
    )
    return [
        Address(row.address, utc_datetime(row.first_seen), utc_datetime(row.last_seen), row.calls)
        for row in read_rows(db.engine, query)
    ]


def count_calls_today(account_id: int) -> int:
    """Return the number of calls of an account since midnight UTC."""
    calls = func.coalesce(func.sum(AccountDay.calls), 0)
    is_today = AccountDay.day >= UsageInterval.DAY.start(utcnow())
    query = select(calls).where(AccountDay.account_id == account_id, is_today)
    ((number,),) = read_rows(db.engine, query)
    return int(number)


def _table_of(
    step: UsageInterval,
) -> tuple[type[AccountHour] | type[AccountDay], InstrumentedAttribute[int]]:
    """Return the table with the calls of each ``step``, and the column of its start."""
    if step is UsageInterval.HOUR:
        return AccountHour, AccountHour.hour
    return AccountDay, AccountDay.day
