"""A database filled with monitors by bulk: two are fed point by point, the others are their copies.

All points lie in the past, as those of a history that is being fed: no season is forecast beside
what is measured.
"""

import datetime as dt
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from flask import Flask
from sqlalchemy import Connection, Engine, Table, create_engine, func, insert, literal, select, text

from app import create_app
from app.anomalies.results import Direction
from app.core.database import db, utcnow
from app.identity.accounts.permissions import Permission
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import parse_timestamps
from app.watching.context import WatchingContext
from app.watching.monitors.append import append_points
from app.watching.monitors.monitor_registry import put_monitor
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.storage.row_conversion import MONITORS, PARTS, POINTS, STATES
from tests.support.keys import ACTOR, new_key, record_of

FULL, SMALL, WRITER = "full", "small", "writer"
POINTS_OF = {FULL: 10_000, SMALL: 100, WRITER: 100}
ACCOUNTS, WRITERS = 12, 20
SETTINGS = MonitorSettings(Frequency.MINUTES, 5, 0.001, Direction.BOTH)
_STEP, _DAY = dt.timedelta(minutes=5), 288
_START = dt.datetime(2024, 1, 1)
_POINTS_PER_CALL = 1_000


@dataclass(frozen=True)
class Target:
    """A monitor, the key that may append to it, and the position of its next point."""

    name: str
    key: str
    position: int


@dataclass(frozen=True)
class Filled:
    """What was filled, in what time, and the bytes that it takes on disk."""

    full: list[Target]
    writers: list[Target]
    seconds: float
    state_bytes: int
    bytes_of_monitor: float
    bytes_of_point: float


def body(first: int, count: int) -> dict[str, list[Any]]:
    """Return points of a calm series with a day in it, from the index ``first`` on."""
    noise = np.random.default_rng(first).normal(size=count).tolist()
    indices = range(first, first + count)
    return {
        "timestamps": [(_START + index * _STEP).isoformat() + "Z" for index in indices],
        "values": [
            100 + 20 * math.sin(index / _DAY * math.tau) + error
            for index, error in zip(indices, noise, strict=True)
        ],
    }


def fill(url: str, full: int, small: int) -> Filled:
    """Fill a migrated database with monitors, spread over accounts."""
    began = time.monotonic()
    counts = {FULL: full, SMALL: small, WRITER: WRITERS}
    permissions = (Permission.READ, Permission.WRITE)
    keys = [new_key(url, permissions=permissions) for _ in range(ACCOUNTS)]
    app = create_app(database_url=url, ratelimit_storage_uri="memory://")
    accounts = [record_of(app, key).account_id for key in keys]
    originals = {kind: _feed(app, accounts[0], kind, POINTS_OF[kind]) for kind in counts}
    engine = create_engine(url)  # without the service's bounds on the time of a statement
    empty = _bytes_on_disk(engine)
    for kind, number in counts.items():
        _copy_monitors(engine, originals[kind], kind, number, accounts)
    without_points = _bytes_on_disk(engine)
    for kind in counts:
        _copy_points(engine, originals[kind], kind)
    filled = _bytes_on_disk(engine)
    with engine.connect() as connection:
        of_original = PARTS.c.monitor_id == originals[FULL]
        state_bytes = connection.scalar(
            select(func.sum(func.length(PARTS.c.packed))).where(of_original)
        )
    engine.dispose()
    return Filled(
        _targets(keys, FULL, full),
        _targets(keys, WRITER, WRITERS),
        time.monotonic() - began,
        int(state_bytes or 0),
        (without_points - empty) / sum(counts.values()),
        (filled - without_points) / sum(counts[kind] * POINTS_OF[kind] for kind in counts),
    )


def _feed(app: Flask, account_id: int, kind: str, points: int) -> int:
    """Make a monitor by what the service does; return its id."""
    name = f"original-{kind}"
    with app.app_context():
        context = WatchingContext(app.config["SETTINGS"])
        put_monitor(
            context, ACTOR, account_id,
            name=name,
            settings=SETTINGS,
            history=None,
            learn=_learn_nothing,
        )  # fmt: skip
        for first in range(0, points, _POINTS_PER_CALL):
            sent = body(first, min(_POINTS_PER_CALL, points - first))
            timestamps = parse_timestamps(sent["timestamps"])
            append_points(context, account_id, name, timestamps, np.array(sent["values"]))
        with db.engine.connect() as connection:
            result = connection.scalar(select(MONITORS.c.id).where(MONITORS.c.name == name))
        db.engine.dispose()
    assert result is not None
    return result


def _learn_nothing(*_arguments: object) -> bytes:
    raise AssertionError("there is no history")


def _copy_monitors(
    engine: Engine, original: int, kind: str, number: int, accounts: list[int]
) -> None:
    rows = [
        {
            "account_id": accounts[index % ACCOUNTS],
            "name": f"{kind}-{index}",
            "data_frequency": SETTINGS.data_frequency,
            "step": SETTINGS.step,
            "false_alarm_rate": SETTINGS.false_alarm_rate,
            "direction": SETTINGS.direction,
            "created_at": utcnow(),
        }
        for index in range(number)
    ]
    with engine.begin() as connection:
        connection.execute(insert(MONITORS), rows)
        for table in (STATES, PARTS):
            _copy_rows(connection, table, original, kind)


def _copy_points(engine: Engine, original: int, kind: str) -> None:
    with engine.begin() as connection:
        _copy_rows(connection, POINTS, original, kind)


def _copy_rows(connection: Connection, table: Table, original: int, kind: str) -> None:
    """Give each copy the rows of the original, in the order of the table's key."""
    key, *others = table.c
    copied = (
        select(MONITORS.c.id, *others)
        .join_from(MONITORS, table, table.c.monitor_id == literal(original))
        .where(MONITORS.c.name.like(f"{kind}-%"))
        .order_by(MONITORS.c.id, *list(table.primary_key)[1:])
    )
    connection.execute(insert(table).from_select([key, *others], copied))


def _bytes_on_disk(engine: Engine) -> int:
    """Return what the tables and their indexes take, with nothing left to be tidied up."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name == "sqlite":
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
            pages, size = (
                connection.scalar(text(f"PRAGMA {name}")) for name in ("page_count", "page_size")
            )
            return pages * size
        connection.execute(text("VACUUM ANALYZE"))
        connection.execute(text("CHECKPOINT"))
        return connection.scalar(text("SELECT pg_database_size(current_database())")) or 0


def _targets(keys: list[str], kind: str, number: int) -> list[Target]:
    return [
        Target(f"{kind}-{index}", keys[index % ACCOUNTS], POINTS_OF[kind])
        for index in range(number)
    ]
