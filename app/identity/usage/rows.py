"""Calls by hour or day, key, endpoint and status class, for `GET /usage` and the command."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Executable, func, literal, select

from app.core.database import db, iso_string, utcnow
from app.core.database.engine import read_rows, read_session
from app.core.integers import MAX_INT32
from app.identity.accounts.models import ApiKey
from app.identity.usage.buckets import UsageInterval, utc_datetime
from app.identity.usage.models import UsageHour
from app.identity.usage.sweep import RETENTION_DAYS
from app.timeseries.seconds import DAY_SECONDS

_NO_LIMIT = MAX_INT32


class TooManyRowsError(Exception):
    """There are more rows than the maximum."""


@dataclass(frozen=True)
class Span:
    """Whole hours or days, from ``since`` to before ``until``."""

    since: dt.datetime
    until: dt.datetime
    interval: UsageInterval

    @classmethod
    def around(cls, since: dt.datetime, until: dt.datetime, interval: UsageInterval) -> "Span":
        """Return the shortest span that contains the time from ``since`` to before ``until``."""
        last = interval.start(until)
        if last < until.timestamp():
            last += interval.seconds
        return cls(utc_datetime(interval.start(since)), utc_datetime(last), interval)


class UsageRow(NamedTuple):
    """Calls in the hour or day from ``start``; ``status_class`` is 2, 4 or 5."""

    start: dt.datetime
    key_id: int
    prefix: str
    endpoint: str
    status_class: int
    calls: int


def usage_rows(account_id: int, span: Span, limit: int = _NO_LIMIT) -> list[UsageRow]:
    """Return the usage of an account in ``span``, by its hours or days.

    Raise TooManyRowsError if there are more than ``limit``.
    """
    keys = select(ApiKey.id, ApiKey.prefix).where(ApiKey.account_id == account_id)
    with read_session() as session:
        prefixes = {row.id: row.prefix for row in session.execute(keys)}
    usage: list[UsageRow] = []
    for row in _rows(account_id, span, limit):
        if len(usage) == limit:
            raise TooManyRowsError
        start, key_id, endpoint, status_class, calls = row
        prefix = prefixes.get(key_id, "")
        usage.append(
            UsageRow(utc_datetime(start), key_id, prefix, endpoint, status_class, int(calls))
        )
    return usage


def usage_row_body(row: UsageRow) -> dict[str, str | int]:
    """Return a row in the form of responses and commands."""
    return {
        "start": iso_string(row.start),
        "key_id": row.key_id,
        "prefix": row.prefix,
        "endpoint": row.endpoint,
        "status_class": f"{row.status_class}xx",
        "calls": row.calls,
    }


def _rows(account_id: int, span: Span, limit: int) -> Iterator[Any]:
    """Yield the rows in order; one more than ``limit`` if there are more."""
    first, last = int(span.since.timestamp()), int(span.until.timestamp())
    if span.interval is UsageInterval.HOUR:
        query = _hours_query(account_id, first, last, min(limit + 1, _NO_LIMIT))
        yield from read_rows(db.engine, query)
        return
    # One day at a time, so that a request for too many rows fails early.
    oldest = UsageInterval.DAY.start(utcnow()) - (RETENTION_DAYS + 1) * DAY_SECONDS
    newest = oldest + (RETENTION_DAYS + 3) * DAY_SECONDS
    for day in range(max(first, oldest), min(last, newest), DAY_SECONDS):
        yield from read_rows(db.engine, _day_query(account_id, day, day + DAY_SECONDS))


def _hours_query(account_id: int, first: int, last: int, limit: int) -> Executable:
    key = (UsageHour.hour, UsageHour.key_id, UsageHour.endpoint, UsageHour.status_class)
    query = select(*key, UsageHour.calls).where(*_account_conditions(account_id, first, last))
    return query.order_by(*key).limit(limit)


def _day_query(account_id: int, first: int, last: int) -> Executable:
    key = (UsageHour.key_id, UsageHour.endpoint, UsageHour.status_class)
    day = literal(first, UsageHour.hour.type).label("day")
    query = select(day, *key, func.sum(UsageHour.calls).label("calls"))
    return query.where(*_account_conditions(account_id, first, last)).group_by(*key).order_by(*key)


def _account_conditions(account_id: int, first: int, last: int) -> list[Any]:
    return [UsageHour.account_id == account_id, UsageHour.hour >= first, UsageHour.hour < last]
