"""The last engine: not for jobs without a key, nor for long ones that yield."""

import pytest

from app.compute.jobs import Cost
from app.compute.queue import JobQueue
from tests.compute.queues import (
    ANN,
    ANONYMOUS,
    BEN,
    BOUNDS,
    CAL,
    LONG,
    LOW_PRIORITY,
    SHORT,
    add_job,
    add_jobs_of,
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
        add_jobs_of(queue, tenant, 2, READING)
    assert begin_jobs(queue, engines)[-2:] == [f"{[ANN, BEN, CAL][engines - 2]} 0", None]
    add_jobs_of(queue, CAL, 1, LOW_PRIORITY, first=9)
    assert queue.begin_job(engines, 0.0) == f"{CAL} 9", "also of a tenant whose long one waits"
    queue.end_job(1, 4.0)
    assert queue.begin_job(1, 4.0) is not None, "as one engine is left"


def test_a_small_job_is_not_expected_to_wait_for_long_ones_that_wait(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANN, 2, READING)
    assert begin_jobs(queue, 2) == [f"{ANN} 0", None]
    assert admit(queue, "a small table", LOW_PRIORITY, tenant=BEN) == (True, 0.0, 0)
    assert queue.expected_wait_seconds(0.0) == pytest.approx(0.02)
    assert admit(
        queue, "a third", READING, tenant=CAL, is_ready=False
    ).wait_seconds == pytest.approx(4.0)


def test_the_only_engine_runs_long_jobs_as_well() -> None:
    queue = JobQueue[str](1, BOUNDS)
    add_job(queue, "reading", READING)
    assert queue.begin_job(1, 0.0) == "reading"


def test_long_jobs_that_do_not_yield_may_have_all_engines(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANN, 2, LONG)
    assert begin_jobs(queue, 2) == [f"{ANN} 0", f"{ANN} 1"]


def test_a_long_job_with_a_key_does_not_wait_for_one_without(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANONYMOUS, 1, READING)
    assert begin_jobs(queue, 1) == [f"{ANONYMOUS} 0"]
    add_jobs_of(queue, ANN, 1, READING)
    assert queue.begin_job(2, 0.0) == f"{ANN} 0"


def test_a_long_job_without_a_key_waits_for_one_with_a_key(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANN, 1, READING)
    assert begin_jobs(queue, 1) == [f"{ANN} 0"]
    assert admit(queue, "a visitor", READING, tenant=ANONYMOUS, is_ready=False).wait_seconds == 4.0
    add_jobs_of(queue, ANONYMOUS, 1, READING)
    assert queue.begin_job(2, 0.0) is None
    add_jobs_of(queue, ANONYMOUS, 1, SHORT, first=1)
    assert queue.begin_job(2, 0.0) == f"{ANONYMOUS} 1"
