"""Create and poll sources and queries."""

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy import Row, select

from app.anomalies.results import Direction
from app.core.database.engine import read_connection
from app.core.unchanged import UNCHANGED, Unchanged
from app.watching.models.sources import QUERIES
from app.watching.monitors.queries.monitor_queries import list_monitors, read_events, read_points
from app.watching.monitors.settings.monitor_records import EventRecord, Monitor, Point
from app.watching.sources.poll_slots import PollSlots
from app.watching.sources.source_reader import find_feeds, get_query
from app.watching.sources.source_records import (
    Authorization,
    Labels,
    QueryRecord,
    QuerySettings,
    SourceSettings,
)
from tests.support.fake_prometheus import FakePrometheus
from tests.support.keys import ACTOR
from tests.support.watching import new_poller, put_query, put_source
from tests.watching.clock import Clock

ACCOUNT = 1
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
STEP, DELAY, HISTORY = 60, 15, 310
QUERY_SETTINGS = QuerySettings(
    query="rate(x[5m])",
    step=STEP,
    history=HISTORY,
    delay=DELAY,
    max_series=100,
    false_alarm_rate=0.001,
    direction=Direction.BOTH,
    alert_severity=50.0,
    alert_min_deviation=0.0,
    muted_until=None,
    webhook=None,
)
NOISE = np.random.default_rng(7).normal(size=10_000)


def calm_value(at: int) -> float:
    """Return a calm value at a time."""
    return 100 + float(NOISE[at // STEP % len(NOISE)])


def make_source(
    url: str,
    authorization: Authorization | Unchanged | None = UNCHANGED,
    alertmanagers: Sequence[str] = (),
    name: str = "prod",
) -> None:
    put_source(ACTOR, ACCOUNT, name, SourceSettings(url, authorization, None, list(alertmanagers)))


def make_query(name: str = "rate", source: str = "prod", **settings: Any) -> None:
    """Create a query, or change it."""
    put_query(ACTOR, ACCOUNT, source, name, replace(QUERY_SETTINGS, **settings))


def poll_due(is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Poll the due queries, as a worker does."""
    poller = new_poller(PollSlots(2), is_stopping)
    try:
        return poller.run_until_idle()
    finally:
        poller.close()


def poll(now: Clock | None = None, steps: int = 0) -> None:
    """Poll the due queries, now and after each of ``steps`` steps."""
    poll_due()
    for _ in range(steps):
        assert now is not None
        now.move(seconds=STEP)
        poll_due()


def fill_calm_query(server: FakePrometheus, name: str = "rate", **settings: Any) -> None:
    """Add a calm series to a server, and a query that reads its history."""
    server.add_series(calm_value)
    make_query(name, **settings)
    poll()


def query(name: str = "rate") -> QueryRecord:
    return get_query(ACCOUNT, "prod", name)


def row(name: str = "rate") -> Row[Any]:
    with read_connection() as connection:
        return connection.execute(select(QUERIES).where(QUERIES.c.name == name)).one()


def monitors() -> Sequence[Monitor]:
    return list_monitors(ACCOUNT)


def labels() -> list[Labels]:
    return sorted((feed.labels for feed in find_feeds(ACCOUNT).values()), key=str)


def points(name: str) -> Sequence[Point]:
    return read_points(ACCOUNT, name, None, 100_000, False).items


def events(name: str) -> Sequence[EventRecord]:
    return read_events(ACCOUNT, name, None, 100_000, False).items


def first_step(now: Clock) -> int:
    """Return the newest complete step, in Unix seconds."""
    return int((now().timestamp() - DELAY) // STEP * STEP)


def begin_fault(faults: list[int], now: Clock) -> None:
    faults.append(first_step(now) + STEP)
    poll(now, steps=1)
