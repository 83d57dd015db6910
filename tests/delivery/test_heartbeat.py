"""The worker's heartbeat: one row for all workers, aged by the database's clock."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, func, select, update

from app.core.database import utcnow
from app.delivery.heartbeat import (
    MAX_HEARTBEAT_AGE_SECONDS,
    NoWorkerError,
    check_worker,
    last_heartbeat,
    record_heartbeat,
)
from app.delivery.models import WorkerHeartbeat

pytestmark = pytest.mark.usefixtures("each_database")


def store_heartbeat(engine: Engine, seconds: float) -> None:
    """Store the heartbeat of a worker that last ran ``seconds`` ago."""
    record_heartbeat(engine)
    at = utcnow() - dt.timedelta(seconds=seconds)
    with engine.begin() as connection:
        connection.execute(update(WorkerHeartbeat).values(beaten_at=at))


def test_no_worker_has_run_before_the_first_heartbeat(engine: Engine) -> None:
    assert last_heartbeat(engine) is None
    with pytest.raises(NoWorkerError):
        check_worker(engine)


def test_a_worker_that_beats_runs_until_it_has_stopped_for_a_minute(engine: Engine) -> None:
    store_heartbeat(engine, MAX_HEARTBEAT_AGE_SECONDS + 5)
    with pytest.raises(NoWorkerError):
        check_worker(engine)
    record_heartbeat(engine)
    check_worker(engine)
    assert 0 <= last_heartbeat(engine).age_seconds < 30


def test_workers_that_start_together_write_one_row(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(record_heartbeat, engine) for _ in range(8)]:
            done.result()
    with engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(WorkerHeartbeat)) == 1
