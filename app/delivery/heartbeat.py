"""Detect whether a worker runs: every few seconds workers write the time into a row.

The clock is PostgreSQL's, on which nodes agree, or the clock of SQLite's host.
"""

import contextlib
import datetime as dt
from typing import NamedTuple

from sqlalchemy import Engine, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.core.database import utcnow
from app.core.database.database_clock import statement_time
from app.core.database.engine import read_rows
from app.delivery.models import WorkerHeartbeat

HEARTBEAT_SECONDS = 10.0
MAX_HEARTBEAT_AGE_SECONDS = 60.0  # with an older heartbeat, no worker runs; a restart takes less


class Heartbeat(NamedTuple):
    """When a worker last ran, and how many seconds ago."""

    beaten_at: dt.datetime
    age_seconds: float

    @property
    def is_recent(self) -> bool:
        return self.age_seconds <= MAX_HEARTBEAT_AGE_SECONDS


class NoWorkerError(Exception):
    """No worker runs."""


def record_heartbeat(engine: Engine) -> None:
    values = {"beaten_at": statement_time(engine.dialect)}
    beat = update(WorkerHeartbeat).values(values)
    now = {"now": utcnow()}
    with engine.begin() as connection:
        if connection.execute(beat, now).rowcount:
            return
    # Another worker may just have recorded its own.
    with contextlib.suppress(IntegrityError), engine.begin() as connection:
        connection.execute(insert(WorkerHeartbeat).values(id=1, **values), now)


def last_heartbeat(engine: Engine) -> Heartbeat | None:
    """Return when a worker last ran, None if none ever did."""
    now = statement_time(engine.dialect).label("now")
    rows = read_rows(engine, select(WorkerHeartbeat.beaten_at, now), now=utcnow())
    if not rows:
        return None
    ((beaten_at, at),) = rows
    return Heartbeat(beaten_at, max(0.0, (at - beaten_at).total_seconds()))


def check_worker(engine: Engine) -> None:
    """Raise NoWorkerError if no worker runs; pass on the exceptions of the database."""
    heartbeat = last_heartbeat(engine)
    if heartbeat is None or not heartbeat.is_recent:
        raise NoWorkerError
