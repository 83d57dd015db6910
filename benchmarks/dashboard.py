"""The database of a large account after 90 days, and the duration of the dashboard's pages.

``python -m benchmarks.dashboard URL_OR_PATH`` migrates the database, gives the account ``default``
500 keys, 90 days of usage by the hour and 100,000 audit events, then prints the milliseconds of
each function that reads usage for pages, and of each page inside the service: wall time and
processor time. A path names an SQLite file, which is created if missing.
"""

import argparse
import datetime as dt
import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask
from flask_migrate import upgrade
from sqlalchemy import Connection, func, insert, select, text, update

from app import create_app
from app.core.api_keys import hash_key
from app.core.database import db, utcnow
from app.core.setting_readers import read_database_url
from app.identity.accounts.audit import AuditEvent
from app.identity.accounts.models import DEFAULT_ACCOUNT, Account, ApiKey
from app.identity.accounts.permissions import Permission
from app.identity.usage import queries
from app.identity.usage.models import AccountDay, AccountHour, FailureDay, KeyAddress, KeyDay
from app.identity.usage.periods import Interval
from app.identity.usage.rows import Span, usage_rows
from app.identity.usage.sweep import ACCOUNT_HOUR_RETENTION_DAYS, RETENTION_DAYS
from tests.support.members import sign_in

KEYS = 500
AUDIT_EVENTS = 100_000
AT_ONCE = 10_000
ADDRESSES = 20  # of a key
ROUNDS = 9
DAY, HOUR = Interval.DAY.seconds, Interval.HOUR.seconds

PAGES = (
    *("/account", "/account?range=7d", "/account?range=90d"),
    *("/account/keys", "/account/keys?sort=calls", "/account/keys/new"),
    *("/account/keys/7", "/account/keys/7/revoke"),
    *("/account/monitors", "/account/members"),
    *("/account/audit", "/account/audit?action=key+rotated", "/account/audit?actor=nobody"),
)

ENDPOINTS = (
    "POST /forecast",
    "POST /anomalies",
    "POST /monitors/{name}/points",
    "GET /monitors/{name}/events",
    "GET /verify",
)
FAILURES = (
    (400, "forecast_horizon"),
    (400, "data_frequency"),
    (403, ""),
    (422, "series.timestamps"),
    (422, "series.values"),
    (429, ""),
    (500, ""),
)
OUTCOMES = ((200, range(3, 11)), (400, range(3)), (422, range(3)), (429, range(2)), (500, (10,)))

# Each key calls once an hour at least, with an error in every third, and verifies in every sixth.
USAGE_HOURS = """
INSERT INTO usage_hours (account_id, hour, key_id, endpoint, status_class, calls)
WITH RECURSIVE hours(hour) AS (
  SELECT CAST(:first AS BIGINT) UNION ALL SELECT hour + 3600 FROM hours WHERE hour + 3600 <= :last
), kinds(endpoint, status_class, every) AS (
  VALUES ('POST /forecast', 2, 1), ('POST /forecast', 4, 3), ('GET /verify', 2, 6)
)
SELECT :account, hour, id, endpoint, status_class, 1 + (hour / 3600 * 31 + id * 17) % 50
FROM hours CROSS JOIN api_keys CROSS JOIN kinds
WHERE account_id = :account AND (hour / 3600 + id) % every = 0
ORDER BY hour, id, endpoint, status_class
"""


def main() -> None:
    """Fill the given database, unless it is filled; print the table of durations."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("where", metavar="URL_OR_PATH", help="of a database that may be filled")
    where = arguments.parse_args().where
    url = read_database_url(where) if "://" in where else f"sqlite:///{Path(where).resolve()}"
    app = create_app(database_url=url, ratelimit_storage_uri="memory://", log_level="WARNING")
    with app.app_context():
        upgrade()
        began = time.perf_counter()
        account_id = fill()
        print(f"filled in {time.perf_counter() - began:.0f} s")
        for name, milliseconds in durations(account_id):
            print(f"{name:36} {milliseconds:7.1f} ms")
    for path, elapsed, processor in page_durations(app):
        print(f"{path:36} {elapsed:7.1f} ms {processor:7.1f} ms")


def fill() -> int:
    """Fill the application's database, unless it is; return the id of the account.

    The usage is as old as 90 days now, and the last of it is of this hour.
    """
    now = time.time()
    with db.engine.begin() as connection:
        account_id = connection.scalars(
            select(Account.id).where(Account.name == DEFAULT_ACCOUNT)
        ).one()
        if connection.scalar(select(func.count()).select_from(ApiKey)) == KEYS:
            return account_id
        old = utcnow() - dt.timedelta(days=RETENTION_DAYS)
        connection.execute(update(Account).values(created_at=old))
        _insert(connection, ApiKey, _keys(account_id, old))
        key_ids = connection.scalars(select(ApiKey.id).order_by(ApiKey.id)).all()
        _insert(connection, AuditEvent, _audit_events(key_ids, old))
        last = int(now // HOUR) * HOUR
        span = {"first": last - RETENTION_DAYS * DAY, "last": last}
        connection.execute(text(USAGE_HOURS), {"account": account_id, **span})
        today = int(now // DAY) * DAY
        days = range(today - RETENTION_DAYS * DAY, today + 1, DAY)
        hours = range(last - ACCOUNT_HOUR_RETENTION_DAYS * DAY, last + 1, HOUR)
        _insert(connection, AccountHour, _outcomes(account_id, "hour", hours))
        _insert(connection, AccountDay, _outcomes(account_id, "day", days))
        _insert(connection, KeyDay, _key_days(account_id, key_ids, days))
        _insert(connection, FailureDay, _failures(account_id, key_ids, days))
        _insert(connection, KeyAddress, _addresses(account_id, key_ids, int(now)))
    if db.engine.dialect.name == "postgresql":
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("SET statement_timeout = 0")
            connection.exec_driver_sql("VACUUM ANALYZE")
    return account_id


def durations(account_id: int) -> Iterator[tuple[str, float]]:
    """Time the reads of pages; return the median milliseconds of each."""
    now = utcnow()
    day, week, most = (now - dt.timedelta(days=days) for days in (1, 7, RETENTION_DAYS - 1))
    calls: dict[str, Callable[[], Any]] = {
        "outcomes, 24 hours": partial(queries.fetch_outcomes, account_id, day, now, Interval.HOUR),
        "outcomes, 7 days by hour": partial(
            queries.fetch_outcomes, account_id, week, now, Interval.HOUR
        ),
        "outcomes, 7 days": partial(queries.fetch_outcomes, account_id, week, now, Interval.DAY),
        "outcomes, 90 days": partial(queries.fetch_outcomes, account_id, most, now, Interval.DAY),
        "latency, 24 hours": partial(queries.fetch_latency, account_id, day, Interval.HOUR),
        "latency, 90 days": partial(queries.fetch_latency, account_id, most),
        "failures, 7 days": partial(queries.fetch_failures, account_id, week),
        "failures, 90 days": partial(queries.fetch_failures, account_id, most),
        "sparklines, 30 days": partial(queries.fetch_sparklines, account_id),
        "sparklines, 90 days": partial(queries.fetch_sparklines, account_id, RETENTION_DAYS),
        "last addresses of all keys": partial(queries.fetch_last_addresses, account_id),
        "addresses of a key": partial(queries.fetch_addresses, account_id, KEYS // 2),
        "calls today": partial(queries.count_calls_today, account_id),
        "usage rows, 24 hours": partial(
            usage_rows, account_id, Span.around(day, now, Interval.HOUR)
        ),
    }
    for name, call in calls.items():
        took = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            call()
            took.append(time.perf_counter() - began)
        yield name, statistics.median(took) * 1_000


def _insert(connection: Connection, model: Any, rows: Iterator[dict[str, Any]]) -> None:
    while some := list(itertools.islice(rows, AT_ONCE)):
        connection.execute(insert(model.__table__), some)


def page_durations(app: Flask) -> Iterator[tuple[str, float, float]]:
    """Give each page, and the medians of its milliseconds by the clock and of processor time."""
    browser = sign_in(app, f"{time.time_ns()}@example.com")
    for path in PAGES:
        spans = []
        for _round in range(ROUNDS):
            before = time.perf_counter(), time.process_time()
            assert browser.get(path).status_code == 200
            after = time.perf_counter(), time.process_time()
            spans.append([1000 * (end - start) for start, end in zip(before, after, strict=True)])
        elapsed, processor = map(statistics.median, zip(*spans, strict=True))
        yield path, elapsed, processor


def _keys(account_id: int, old: dt.datetime) -> Iterator[dict[str, Any]]:
    permissions = frozenset({Permission.READ, Permission.WRITE})
    for number in range(KEYS):
        yield {
            "account_id": account_id,
            "lineage": f"{number:016x}",
            "prefix": f"ak_{number:08x}",
            "key_hash": hash_key(f"dashboard {number}"),
            "label": f"service {number}",
            "permissions": permissions,
            "usage_count": 50_000,
            "last_used_at": utcnow(),
            "created_at": old,
            "revoked_at": utcnow() if number % 10 == 0 else None,
        }


def _audit_events(key_ids: Any, old: dt.datetime) -> Iterator[dict[str, Any]]:
    for number in range(AUDIT_EVENTS):
        yield {
            "at": old + dt.timedelta(seconds=number * RETENTION_DAYS * DAY / AUDIT_EVENTS),
            "os_user": "root",
            "sudo_user": None,
            "host": "vm",
            "action": ("key created", "key rotated", "key revoked")[number % 3],
            "account": DEFAULT_ACCOUNT,
            "key_id": key_ids[number % KEYS],
            "prefix": f"ak_{number % KEYS:08x}",
            "detail": "",
        }


def _outcomes(account_id: int, period: str, starts: range) -> Iterator[dict[str, Any]]:
    for start, endpoint, (status, buckets) in itertools.product(starts, ENDPOINTS, OUTCOMES):
        for bucket in buckets:
            yield {
                "account_id": account_id,
                period: start,
                "endpoint": endpoint,
                "status": status,
                "latency_bucket": bucket,
                "calls": 1 + (start // HOUR + bucket) % 97,
            }


def _key_days(account_id: int, key_ids: Any, days: range) -> Iterator[dict[str, Any]]:
    for day, key_id in itertools.product(days, key_ids):
        calls = 24 + (day // DAY * 7 + key_id) % 500
        yield {
            "account_id": account_id,
            "day": day,
            "key_id": key_id,
            "calls": calls,
            "errors": calls // 20,
        }


def _failures(account_id: int, key_ids: Any, days: range) -> Iterator[dict[str, Any]]:
    """Each key fails in one way a day."""
    for day, key_id in itertools.product(days, key_ids):
        status, field = FAILURES[(key_id + day // DAY) % len(FAILURES)]
        yield {
            "account_id": account_id,
            "day": day,
            "endpoint": ENDPOINTS[key_id % 2],
            "status": status,
            "field": field,
            "key_id": key_id,
            "calls": 1 + key_id % 9,
        }


def _addresses(account_id: int, key_ids: Any, now: int) -> Iterator[dict[str, Any]]:
    for key_id, number in itertools.product(key_ids, range(ADDRESSES)):
        yield {
            "account_id": account_id,
            "key_id": key_id,
            "address": f"198.51.{key_id % 256}.{number}",
            "first_seen": now - RETENTION_DAYS * DAY,
            "last_seen": now - number * HOUR,
            "calls": 1 + number,
        }


if __name__ == "__main__":
    main()
