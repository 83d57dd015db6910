"""The last engine: not for jobs without a key, nor for long ones that yield."""

import pytest

from app.compute.jobs import Cost
from app.compute.queue import JobQueue
from tests.compute.queues import (
    ANN,
    BEN,
    BOUNDS,
    CAL,
    LONG,
    SHORT,
    VISITOR,
    YIELDING,
    add,
    add_for,
    admit,
)

READING = Cost("large reading", 4.0, is_low_priority=True)


def begin_jobs(queue: JobQueue[str], engines: int) -> list[str | None]:
    """Let each free engine begin a job; return their callers."""
    return [queue.begin_job(engine, 0.0) for engine in range(1, engines + 1)]


@pytest.mark.parametrize("engines", [2, 3])
def test_long_jobs_of_low_priority_never_have_the_last_engine(engines: int) -> None:
    queue = JobQueue[str](engines, BOUNDS)
    for tenant in (ANN, BEN, CAL):
        add_for(queue, tenant, 2, READING)
    assert begin_jobs(queue, engines)[-2:] == [f"{[ANN, BEN, CAL][engines - 2]} 0", None]
    add_for(queue, CAL, 1, YIELDING, first=9)
    assert queue.begin_job(engines, 0.0) == f"{CAL} 9", "also of a tenant whose long one waits"
    queue.end_job(1, 4.0)
    assert queue.begin_job(1, 4.0) is not None, "as one engine is left"


def test_a_small_job_is_not_expected_to_wait_for_long_ones_that_wait(queue: JobQueue[str]) -> None:
    add_for(queue, ANN, 2, READING)
    assert begin_jobs(queue, 2) == [f"{ANN} 0", None]
    assert admit(queue, "a small table", YIELDING, tenant=BEN) == (True, 0.0, 0)
    assert queue.expected_wait_seconds(0.0) == pytest.approx(0.02)
    assert admit(
        queue, "a third", READING, tenant=CAL, is_ready=False
    ).wait_seconds == pytest.approx(4.0)


def test_the_only_engine_runs_long_jobs_as_well() -> None:
    queue = JobQueue[str](1, BOUNDS)
    add(queue, "reading", READING)
    assert queue.begin_job(1, 0.0) == "reading"


def test_long_jobs_that_do_not_yield_may_have_all_engines(queue: JobQueue[str]) -> None:
    add_for(queue, ANN, 2, LONG)
    assert begin_jobs(queue, 2) == [f"{ANN} 0", f"{ANN} 1"]


def test_a_long_job_with_a_key_does_not_wait_for_one_without(queue: JobQueue[str]) -> None:
    add_for(queue, VISITOR, 1, READING)
    assert begin_jobs(queue, 1) == [f"{VISITOR} 0"]
    add_for(queue, ANN, 1, READING)
    assert queue.begin_job(2, 0.0) == f"{ANN} 0"


def test_a_long_job_without_a_key_waits_for_one_with_a_key(queue: JobQueue[str]) -> None:
    add_for(queue, ANN, 1, READING)
    assert begin_jobs(queue, 1) == [f"{ANN} 0"]
    assert admit(queue, "a visitor", READING, tenant=VISITOR, is_ready=False).wait_seconds == 4.0
    add_for(queue, VISITOR, 1, READING)
    assert queue.begin_job(2, 0.0) is None
    add_for(queue, VISITOR, 1, SHORT, first=1)
    assert queue.begin_job(2, 0.0) == f"{VISITOR} 1"
