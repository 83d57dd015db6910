"""Ended counters are swept from every store."""

import time

import pytest
import redis
from sqlalchemy import String, case, cast, create_engine, event, func, insert, literal, select

from app.identity.limits.stores import memory, sql
from app.identity.limits.stores.windows import SLOTS, RateLimitWindows
from tests.identity.limits.stores.test_stores import budget, wait_for_end
from tests.support.databases import POSTGRESQL

REDIS = pytest.param("redis", marks=pytest.mark.services)


OWNER = "account:1"


@pytest.mark.parametrize("store_kind", ["sqlite", POSTGRESQL], indirect=True)
def test_ended_counters_are_swept_from_the_database(store, monkeypatch) -> None:
    monkeypatch.setattr(sql, "SWEEP_EVERY_ACQUISITIONS", 5)
    ended = store.acquire(budget((1, 5), owner="old"))
    store.acquire(budget((600, 5), owner="running"))
    wait_for_end(store, ended)
    for _ in range(5):
        store.acquire(budget((600, 9), owner="busy"))
    with store.engine.connect() as connection:
        owners = set(connection.scalars(select(RateLimitWindows.owner)))
        count = connection.scalar(select(func.count()).select_from(RateLimitWindows))
    assert (owners, count) == ({"running", "busy"}, 2)


def fill(storage_uri, rows) -> None:
    """Add the counters of ``count`` owners, a tenth of which have ended."""
    numbers = select(literal(1).label("number")).cte(recursive=True)
    numbers = numbers.union_all(select(numbers.c.number + 1).where(numbers.c.number < rows))
    ended = numbers.c.number % 10 == 0
    now = time.time()
    unused = {f"{name}_{slot}": literal(0) for name in ("used", "ends") for slot in SLOTS}
    row = unused | {
        "owner": cast(numbers.c.number, String),
        "last_end": case((ended, now - 600), else_=now + 600),
    }
    engine = create_engine(storage_uri)  # without the bounds of a request
    with engine.begin() as connection:
        connection.execute(insert(RateLimitWindows).from_select([*row], select(*row.values())))
        connection.exec_driver_sql("ANALYZE")
    engine.dispose()


def plans(store, work):
    """Return the query plan of each statement of ``work`` on the table of counters."""
    run = []

    def record_statement(_connection, _cursor, statement, parameters, *_rest) -> None:
        run.append((statement, parameters))

    event.listen(store.engine, "before_cursor_execute", record_statement)
    work()
    event.remove(store.engine, "before_cursor_execute", record_statement)
    explain = "EXPLAIN QUERY PLAN " if store.engine.dialect.name == "sqlite" else "EXPLAIN "
    with store.engine.connect() as connection:
        return [
            "\n".join(str(row[-1]) for row in connection.exec_driver_sql(explain + text, values))
            for text, values in run
            if RateLimitWindows.__tablename__ in text
        ]


@pytest.mark.parametrize("store_kind", ["sqlite", POSTGRESQL], indirect=True)
def test_a_sweep_finds_what_has_ended_by_index_and_scans_no_table(store, storage_uri) -> None:
    fill(storage_uri, 100_000)
    (plan,) = plans(store, store._sweep)
    table = RateLimitWindows.__tablename__
    assert f"ix_{table}_last_end" in plan
    assert f"SCAN {table}" not in plan
    assert f"Seq Scan on {table}" not in plan


@pytest.mark.parametrize("store_kind", ["memory"], indirect=True)
def test_ended_counters_are_swept_from_memory(store, monkeypatch) -> None:
    monkeypatch.setattr(memory, "MEMORY_SWEEP_ACQUISITIONS", 3)
    ended = store.acquire(budget((1, 5), owner="old"))
    wait_for_end(store, ended)
    store.acquire(budget((600, 9), owner="busy"))
    store.acquire(budget((600, 9), owner="busy"))
    assert len(store) == 1


@pytest.mark.parametrize("store_kind", [REDIS], indirect=True)
def test_ended_counters_leave_redis_by_themselves(store, storage_uri) -> None:
    store.acquire(budget((60, 9), (3_600, 9)))
    with redis.from_url(storage_uri) as server:
        lifetimes = sorted(server.ttl(key) for key in server.keys("*"))
    assert lifetimes == pytest.approx([60, 3_600], abs=2)
