"""The queue of jobs, with a clock of its own: who may wait, and who is next."""

import pytest

from app.compute.jobs import Cost
from app.compute.queue import JobQueue
from tests.compute.queues import BOUNDS, LONG, LOW_PRIORITY, SHORT, add_job, add_jobs, admit


@pytest.mark.parametrize("is_ready", [True, False], ids=["ready", "reserved"])
def test_a_burst_of_short_jobs_may_wait_and_one_of_long_jobs_is_rejected(
    queue: JobQueue[str], is_ready: bool
) -> None:
    """Nothing has been measured yet. Of the long ones two run and two wait 2.6 s."""
    assert add_jobs(queue, SHORT, 200, is_ready=is_ready) == 200
    assert add_jobs(JobQueue(2, BOUNDS), LONG, 50, is_ready=is_ready) == 4


def test_a_rejection_says_how_long_a_job_would_wait(queue: JobQueue[str]) -> None:
    add_jobs(queue, LONG, 4)
    assert admit(queue, "next", SHORT) == (False, 5.2, 0)
    assert queue.expected_wait_seconds(0.0) == 5.2
    queue.begin_job(1, 0.0)
    queue.begin_job(2, 0.0)
    assert queue.expected_wait_seconds(1.0) == pytest.approx(4.2)


def test_a_long_job_keeps_one_engine_busy_and_others_do_not_wait_for_it(
    queue: JobQueue[str],
) -> None:
    add_job(queue, "slow", Cost("slow", 60.0))
    assert queue.begin_job(1, 0.0) == "slow"
    assert queue.expected_wait_seconds(0.0) == 0.0
    assert add_jobs(queue, SHORT, 200) == 200


def test_a_job_that_takes_longer_than_expected_is_expected_to_continue(
    queue: JobQueue[str],
) -> None:
    for engine in (1, 2):
        add_job(queue, "late")
        queue.begin_job(engine, 0.0)
    assert queue.expected_wait_seconds(20.02) == pytest.approx(20.0)


def test_jobs_begin_in_the_order_in_which_they_were_ready(queue: JobQueue[str]) -> None:
    for caller in ("slow to read", "quick"):
        add_job(queue, caller, is_ready=False)
    assert queue.begin_job(1, 0.0) is None
    for caller in ("quick", "slow to read"):
        add_job(queue, caller)
    assert [queue.begin_job(engine, 0.0) for engine in (1, 2, 3)] == ["quick", "slow to read", None]


def test_a_job_that_turns_out_longer_than_its_request_looked_is_judged_again(
    queue: JobQueue[str],
) -> None:
    for number in range(3):
        assert add_job(queue, f"hidden {number}", SHORT, is_ready=False)
    add_job(queue, "first", Cost("slow", 9.0))
    assert add_job(queue, "hidden 0", Cost("slow", 9.0))
    assert not add_job(queue, "hidden 1", Cost("slow", 9.0))
    assert len(queue) == 3


def test_jobs_that_would_wait_far_too_long_after_all_are_found(queue: JobQueue[str]) -> None:
    add_jobs(queue, SHORT, 200)
    assert not queue.find_overdue(0.0)
    for _ in range(40):
        caller = queue.begin_job(1, 0.0)
        queue.end_job(1, 0.5)
    assert caller == "short 39"
    late = [late for late, _ in queue.find_overdue(0.0)]
    assert late[-1] == "short 199"
    assert late[0] == f"short {200 - len(late)}"  # the last ones, who would wait the longest
    assert 100 <= len(late) <= 125  # 40 wait for 10 s


def test_jobs_that_cannot_end_before_their_callers_give_up_are_found(queue: JobQueue[str]) -> None:
    add_job(queue, "first", LONG)
    add_job(queue, "second", LONG)
    add_job(queue, "in time", LONG, deadline=5.3)
    add_job(queue, "in vain", LONG, deadline=5.1)
    assert queue.find_overdue(0.0) == [("in vain", 2.6)]


def test_low_priority_jobs_begin_after_later_ordinary_ones(queue: JobQueue[str]) -> None:
    for caller, cost in (("table", LOW_PRIORITY), ("first", SHORT), ("second", SHORT)):
        add_job(queue, caller, cost)
    assert [queue.begin_job(engine, 0.0) for engine in (1, 2, 3)] == ["first", "second", "table"]


def test_a_flood_of_low_priority_jobs_rejects_no_ordinary_job(queue: JobQueue[str]) -> None:
    long = Cost("long reading", 2.0, is_low_priority=True)
    assert add_jobs(queue, long, 300) < 300
    assert admit(queue, "a forecast", SHORT) == (True, 0.0, 0)
    small, deferred_slots = JobQueue[str](2, BOUNDS), BOUNDS.max_jobs // 4
    assert add_jobs(small, LOW_PRIORITY, 300) == deferred_slots
    assert add_jobs(small, SHORT, 300) == BOUNDS.max_jobs - deferred_slots
