"""The queue of jobs, with a clock of its own: who may wait, and who is next."""

import pytest

from app.engine.jobs import Cost, Job
from app.engine.queue import OUTLIER, Ask, Bounds, JobQueue

BOUNDS = Bounds(seconds=5.0, jobs=258, size=1000)
SHORT, LONG = Cost("short", 0.02), Cost("long", 2.6)
NEVER = 1e9


@pytest.fixture
def queue() -> JobQueue[str]:
    return JobQueue(2, BOUNDS)


def add(
    queue: JobQueue[str],
    caller: str,
    cost: Cost = SHORT,
    *,
    size: int = 1,
    deadline: float = NEVER,
    is_ready: bool = True,
    now: float = 0.0,
) -> bool:
    return queue.ask(caller, Ask(cost, size, deadline, is_ready), now).may_wait


def fill(queue: JobQueue[str], cost: Cost, number: int, *, is_ready: bool = True) -> int:
    """How many of so many jobs at once may wait."""
    return sum(add(queue, f"{cost.kind} {n}", cost, is_ready=is_ready) for n in range(number))


def run(queue: JobQueue[str], cost: Cost, seconds: float, times: int = 1) -> None:
    """Let jobs of a kind take so long, one after the other, on an idle node."""
    for _ in range(times):
        assert add(queue, "alone", cost)
        queue.begin(1, 0.0)
        queue.end(1, seconds)


@pytest.mark.parametrize("is_ready", [True, False], ids=["ready", "reserved"])
def test_a_burst_of_short_jobs_may_wait_and_one_of_long_jobs_is_refused_at_once(
    queue: JobQueue[str], is_ready: bool
) -> None:
    """Nothing has been measured yet. Of the long ones two run and two wait 2.6 s."""
    assert fill(queue, SHORT, 200, is_ready=is_ready) == 200
    assert fill(JobQueue(2, BOUNDS), LONG, 50, is_ready=is_ready) == 4


def test_a_refusal_says_how_long_a_job_would_wait(queue: JobQueue[str]) -> None:
    fill(queue, LONG, 4)
    assert queue.ask("next", Ask(SHORT, 1, NEVER, True), 0.0) == (False, 5.2, 0)
    assert queue.wait(0.0) == 5.2
    queue.begin(1, 0.0)
    queue.begin(2, 0.0)
    assert queue.wait(1.0) == pytest.approx(4.2)


def test_what_jobs_took_replaces_the_guess_for_their_kind_alone(queue: JobQueue[str]) -> None:
    run(queue, SHORT, 1.0, times=40)
    assert 10 <= fill(queue, SHORT, 50) <= 12
    other = JobQueue[str](2, BOUNDS)
    run(other, SHORT, 1.0, times=40)
    assert fill(other, Cost("other", 0.02), 200) == 200


def test_a_kind_that_became_quick_again_may_wait_again(queue: JobQueue[str]) -> None:
    run(queue, SHORT, 1.0, times=40)
    run(queue, SHORT, 0.01, times=60)
    assert fill(queue, SHORT, 200) == 200


def test_one_job_that_hung_does_not_refuse_the_others_of_its_kind(queue: JobQueue[str]) -> None:
    run(queue, SHORT, 0.02, times=20)
    run(queue, SHORT, 30.0)
    assert OUTLIER * 0.02 < 30
    assert fill(queue, SHORT, 200) == 200


def test_a_long_job_keeps_one_engine_busy_and_others_do_not_wait_for_it(
    queue: JobQueue[str],
) -> None:
    add(queue, "slow", Cost("slow", 60.0))
    assert queue.begin(1, 0.0) == "slow"
    assert queue.wait(0.0) == 0.0
    assert fill(queue, SHORT, 200) == 200


def test_a_job_that_takes_longer_than_expected_is_expected_to_go_on(queue: JobQueue[str]) -> None:
    for engine in (1, 2):
        add(queue, "late")
        queue.begin(engine, 0.0)
    assert queue.wait(20.02) == pytest.approx(20.0)


def test_short_jobs_are_bounded_by_number_and_running_ones_count() -> None:
    queue = JobQueue[str](2, BOUNDS._replace(jobs=5))
    add(queue, "first")
    queue.begin(1, 0.0)
    assert fill(queue, SHORT, 10) == 4
    queue.end(1, 0.01)
    assert add(queue, "next")


def test_what_waits_is_bounded_by_its_bytes() -> None:
    queue = JobQueue[str](2, BOUNDS._replace(size=1000))
    assert add(queue, "large", size=900)
    assert not add(queue, "other", size=200)
    assert add(queue, "small", size=100)
    queue.leave("large")
    assert add(queue, "other", size=200)


def test_jobs_begin_in_the_order_in_which_they_were_ready(queue: JobQueue[str]) -> None:
    for caller in ("slow to read", "quick"):
        add(queue, caller, is_ready=False)
    assert queue.begin(1, 0.0) is None
    for caller in ("quick", "slow to read"):
        add(queue, caller)
    assert [queue.begin(engine, 0.0) for engine in (1, 2, 3)] == ["quick", "slow to read", None]


def test_a_job_that_turns_out_longer_than_its_request_looked_is_judged_again(
    queue: JobQueue[str],
) -> None:
    for number in range(3):
        assert add(queue, f"hidden {number}", SHORT, is_ready=False)
    add(queue, "first", Cost("slow", 9.0))
    assert add(queue, "hidden 0", Cost("slow", 9.0))
    assert not add(queue, "hidden 1", Cost("slow", 9.0))
    assert len(queue) == 3


def test_jobs_that_would_wait_far_too_long_after_all_are_found(queue: JobQueue[str]) -> None:
    fill(queue, SHORT, 200)
    assert not queue.in_vain(0.0)
    for _ in range(40):
        caller = queue.begin(1, 0.0)
        queue.end(1, 0.5)
    assert caller == "short 39"
    late = queue.in_vain(0.0)
    assert late[-1] == "short 199"
    assert late[0] == f"short {200 - len(late)}"  # the last ones, who would wait the longest
    assert 100 <= len(late) <= 125  # 40 wait for 10 s


def test_jobs_that_cannot_end_before_their_callers_give_up_are_found(queue: JobQueue[str]) -> None:
    add(queue, "first", LONG)
    add(queue, "second", LONG)
    add(queue, "in time", LONG, deadline=5.3)
    add(queue, "in vain", LONG, deadline=5.1)
    assert queue.in_vain(0.0) == ["in vain"]


def test_the_guess_grows_with_the_points_and_kinds_are_octaves_of_them() -> None:
    job = Job("x:y", "backtest", seconds=0.1, seconds_per_point=5e-5)
    assert job.cost(50_000).seconds == pytest.approx(2.6)
    assert job.cost(600).kind == job.cost(1000).kind != job.cost(1100).kind
    assert job.cost(600, "quick").kind != job.cost(600).kind


YIELDING = Cost("reading", 0.02, yields=True)


def test_jobs_that_yield_begin_behind_those_that_came_later(queue: JobQueue[str]) -> None:
    for caller, cost in (("table", YIELDING), ("first", SHORT), ("second", SHORT)):
        add(queue, caller, cost)
    assert [queue.begin(engine, 0.0) for engine in (1, 2, 3)] == ["first", "second", "table"]


def test_a_flood_of_jobs_that_yield_refuses_none_of_the_others(queue: JobQueue[str]) -> None:
    long = Cost("long reading", 2.0, yields=True)
    assert fill(queue, long, 300) < 300
    assert queue.ask("a forecast", Ask(SHORT, 1, NEVER, True), 0.0) == (True, 0.0, 0)
    small = JobQueue[str](2, BOUNDS)
    assert fill(small, YIELDING, 300) == 65  # a quarter of the places
    assert fill(small, SHORT, 300) == 258 - 65


def test_where_few_may_wait_a_batch_has_its_place_and_one_for_its_part() -> None:
    tiny = JobQueue[str](1, Bounds(5.0, 3, 1000))
    assert tiny.ask("a batch", Ask(YIELDING, 1, NEVER, False), 0.0).may_wait
    assert tiny.ask("its part", Ask(YIELDING, 0, NEVER, True), 0.0).may_wait
    assert not tiny.ask("another", Ask(YIELDING, 1, NEVER, False), 0.0).may_wait
    assert tiny.ask("a forecast", Ask(SHORT, 1, NEVER, True), 0.0).may_wait
