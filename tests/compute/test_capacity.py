"""Who has a slot in the queue: bounds of jobs and bytes, and whose slot another gets."""

from app.compute.capacity import QueueBounds
from app.compute.queue import JobQueue
from tests.compute.queues import (
    ANN,
    BEN,
    BOUNDS,
    CAL,
    LOW_PRIORITY,
    SHORT,
    add_job,
    add_jobs,
    add_jobs_of,
    admission,
)


def test_short_jobs_are_bounded_by_number_and_running_ones_count() -> None:
    queue = JobQueue[str](2, BOUNDS._replace(max_jobs=5))
    add_job(queue, "first")
    queue.begin_job(1, 0.0)
    assert add_jobs(queue, SHORT, 10) == 4
    queue.end_job(1, 0.01)
    assert add_job(queue, "next")


def test_waiting_jobs_are_bounded_by_their_bytes() -> None:
    queue = JobQueue[str](2, BOUNDS._replace(max_bytes=1000))
    assert add_job(queue, "large", size=900)
    assert not add_job(queue, "other", size=200)
    assert add_job(queue, "small", size=100)
    queue.release("large")
    assert add_job(queue, "other", size=200)


def test_a_batch_in_a_short_queue_has_its_slot_and_one_for_its_part() -> None:
    tiny = JobQueue[str](1, QueueBounds(5.0, 3, 1000))
    assert add_job(tiny, "a batch", LOW_PRIORITY, is_ready=False)
    assert add_job(tiny, "its part", LOW_PRIORITY, size=0)
    assert not add_job(tiny, "another", LOW_PRIORITY, is_ready=False)
    assert add_job(tiny, "a forecast", SHORT)


def test_the_only_tenant_may_have_all_slots_and_all_engines(queue: JobQueue[str]) -> None:
    assert add_jobs_of(queue, ANN, 300, SHORT) == BOUNDS.max_jobs
    assert all(queue.begin_job(engine, 0.0) for engine in (1, 2))


def test_a_full_queue_takes_a_slot_from_the_tenant_with_the_most(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANN, BOUNDS.max_jobs, SHORT)
    decision, [(caller, seconds)] = admission(queue, "another", SHORT, tenant=BEN)
    assert decision.may_wait
    assert caller == "account:1 257", "the last one of those that wait"
    assert seconds > 2.5, "as long as a new one of its own would wait"
    assert add_jobs_of(queue, BEN, 200, SHORT) == 128, "up to as many as the other has"
    assert len(queue) == BOUNDS.max_jobs
    assert add_jobs_of(queue, ANN, 1, SHORT, first=BOUNDS.max_jobs) == 0


def test_bytes_are_given_up_as_slots_are(queue: JobQueue[str]) -> None:
    assert add_jobs_of(queue, ANN, 10, SHORT, size=100) == 10
    assert len(admission(queue, "another", SHORT, size=150, tenant=BEN).evicted) == 2
    assert add_jobs_of(queue, BEN, 1, SHORT, size=800) == 0


def test_a_slot_released_before_its_job_was_ready_is_acquired_again(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANN, BOUNDS.max_jobs, SHORT, is_ready=False)
    decision, evicted = admission(queue, "another", SHORT, tenant=BEN)
    assert decision.may_wait
    assert evicted == [], "a caller that still reads its request gets no message"
    assert not add_job(queue, "account:1 257", SHORT, tenant=ANN)
    assert add_job(queue, "account:1 0", SHORT, tenant=ANN)


def test_calls_of_many_jobs_leave_slots_for_such_calls_of_others(queue: JobQueue[str]) -> None:
    assert add_jobs_of(queue, ANN, 300, LOW_PRIORITY, is_ready=False) == 64
    assert add_jobs_of(queue, BEN, 300, LOW_PRIORITY, is_ready=False) == 32
    assert add_jobs_of(queue, CAL, 300, SHORT) == BOUNDS.max_jobs - 96
