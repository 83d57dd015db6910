"""How long jobs of a kind are expected to take: a guess, then what they took."""

import pytest

from app.compute.job_times import MAX_OUTLIER_RATIO, JobTimes
from app.compute.jobs import Cost, Job
from app.compute.queue import JobQueue
from tests.compute.queues import (
    ANN,
    ANONYMOUS,
    BOUNDS,
    LONG,
    LOW_PRIORITY,
    SHORT,
    add_job,
    add_jobs,
    add_jobs_of,
    run_jobs,
)


def test_measured_seconds_replace_the_guess_for_their_kind_only(queue: JobQueue[str]) -> None:
    run_jobs(queue, SHORT, 1.0, times=40)
    assert 10 <= add_jobs(queue, SHORT, 50) <= 12
    other = JobQueue[str](2, BOUNDS)
    run_jobs(other, SHORT, 1.0, times=40)
    assert add_jobs(other, Cost("other", 0.02), 200) == 200


def test_a_kind_that_became_quick_again_may_wait_again(queue: JobQueue[str]) -> None:
    run_jobs(queue, SHORT, 1.0, times=40)
    run_jobs(queue, SHORT, 0.01, times=60)
    assert add_jobs(queue, SHORT, 200) == 200


def test_one_job_that_hung_does_not_reject_the_others_of_its_kind(queue: JobQueue[str]) -> None:
    run_jobs(queue, SHORT, 0.02, times=20)
    run_jobs(queue, SHORT, 30.0)
    assert MAX_OUTLIER_RATIO * 0.02 < 30
    assert add_jobs(queue, SHORT, 200) == 200


def test_slow_anonymous_jobs_do_not_change_estimates_for_keys(queue: JobQueue[str]) -> None:
    for _ in range(40):
        add_jobs_of(queue, ANONYMOUS, 1, LOW_PRIORITY)
        queue.begin_job(1, 0.0)
        queue.end_job(1, 30.0)
    assert add_job(queue, "with", LOW_PRIORITY, tenant=ANN)
    assert add_jobs_of(queue, ANN, 20, LOW_PRIORITY) == 20


def test_slow_jobs_during_a_burst_do_not_reject_the_rest_of_it(queue: JobQueue[str]) -> None:
    """Two engines got a third of the cores for 1.2 s."""
    waiting = add_jobs(queue, SHORT, 100)
    for number in range(20):
        for engine in (1, 2):
            queue.begin_job(engine, number * 0.06)
        for engine in (1, 2):
            queue.end_job(engine, (number + 1) * 0.06, 0.02)
            waiting -= 1
    queue.begin_job(1, 1.2)
    assert queue.expected_wait_seconds(1.2) == pytest.approx(waiting / 2 * 0.02 * 1.3, rel=0.1)


def test_expected_times_of_jobs_follow_busy_cores() -> None:
    times = JobTimes(engines=2)
    for number in range(600):
        times.record(SHORT, 0.06, 0.02, is_anonymous=False)
        times.record_contention(0.06, 0.02, (number + 1) // 2 * 0.06)
    assert times.expected_seconds(SHORT, is_anonymous=False) == pytest.approx(0.06, rel=0.1)


def test_a_job_killed_on_busy_cores_is_expected_to_take_as_long_again(queue: JobQueue[str]) -> None:
    now = 0.0
    for _ in range(200):
        for engine, cost in ((1, SHORT), (2, LONG)):
            add_job(queue, f"of {engine}", cost)
            queue.begin_job(engine, now)
        now += 0.3
        queue.end_job(1, now, 0.1)
        queue.end_job(2, now)
    add_job(queue, "next", LONG)
    queue.begin_job(1, now)
    add_job(queue, "beside", LONG)
    queue.begin_job(2, now)
    assert queue.expected_wait_seconds(now) == pytest.approx(0.3, rel=0.1)


def test_a_job_stopped_on_an_idle_node_causes_no_rejection(queue: JobQueue[str]) -> None:
    add_job(queue, "stopped")
    queue.begin_job(1, 0.0)
    queue.end_job(1, 2.0, 0.02)
    run_jobs(queue, SHORT, 0.02)
    add_job(queue, "later")
    queue.begin_job(1, 60.0)
    queue.end_job(1, 60.02, 0.02)
    assert add_jobs(queue, SHORT, 200) == 200


def test_the_guess_grows_with_the_points_and_kinds_are_octaves_of_them() -> None:
    job = Job("x:y", "backtest", guessed_seconds=0.1, seconds_per_point=5e-5)
    assert job.cost(50_000).guessed_seconds == pytest.approx(2.6)
    assert job.cost(600).kind == job.cost(1000).kind != job.cost(1100).kind
    assert job.cost(600, "quick").kind != job.cost(600).kind


def test_long_forecasts_are_a_kind_of_their_own_and_take_longer() -> None:
    job = Job("x:y", "forecast", guessed_seconds=0.1)
    assert job.cost(600, forecasts=10).guessed_seconds > 5 * job.cost(600).guessed_seconds
    assert job.cost(600, forecasts=10).kind != job.cost(600).kind == job.cost(600, forecasts=1).kind
