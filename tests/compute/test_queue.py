"""The queue of jobs, with a clock of its own: who may wait, and who is next."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compute.capacity import QueueBounds
from app.compute.job_times import MAX_OUTLIER_RATIO
from app.compute.jobs import Cost, Job
from app.compute.queue import AdmissionRequest, JobQueue

BOUNDS = QueueBounds(seconds=5.0, jobs=258, size=1000)
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
    return queue.admit(caller, AdmissionRequest(cost, size, deadline, is_ready), now).may_wait


def fill(queue: JobQueue[str], cost: Cost, number: int, *, is_ready: bool = True) -> int:
    """How many of so many jobs at once may wait."""
    return sum(add(queue, f"{cost.kind} {n}", cost, is_ready=is_ready) for n in range(number))


def run(queue: JobQueue[str], cost: Cost, seconds: float, times: int = 1) -> None:
    """Let jobs of a kind take so long, one after the other, on an idle node."""
    for _ in range(times):
        assert add(queue, "alone", cost)
        queue.begin_job(1, 0.0)
        queue.end_job(1, seconds)


@pytest.mark.parametrize("is_ready", [True, False], ids=["ready", "reserved"])
def test_a_burst_of_short_jobs_may_wait_and_one_of_long_jobs_is_refused_at_once(
    queue: JobQueue[str], is_ready: bool
) -> None:
    """Nothing has been measured yet. Of the long ones two run and two wait 2.6 s."""
    assert fill(queue, SHORT, 200, is_ready=is_ready) == 200
    assert fill(JobQueue(2, BOUNDS), LONG, 50, is_ready=is_ready) == 4


def test_a_refusal_says_how_long_a_job_would_wait(queue: JobQueue[str]) -> None:
    fill(queue, LONG, 4)
    assert queue.admit("next", AdmissionRequest(SHORT, 1, NEVER, True), 0.0) == (False, 5.2, 0)
    assert queue.expected_wait_seconds(0.0) == 5.2
    queue.begin_job(1, 0.0)
    queue.begin_job(2, 0.0)
    assert queue.expected_wait_seconds(1.0) == pytest.approx(4.2)


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
    assert MAX_OUTLIER_RATIO * 0.02 < 30
    assert fill(queue, SHORT, 200) == 200


def test_a_long_job_keeps_one_engine_busy_and_others_do_not_wait_for_it(
    queue: JobQueue[str],
) -> None:
    add(queue, "slow", Cost("slow", 60.0))
    assert queue.begin_job(1, 0.0) == "slow"
    assert queue.expected_wait_seconds(0.0) == 0.0
    assert fill(queue, SHORT, 200) == 200


def test_a_job_that_takes_longer_than_expected_is_expected_to_go_on(queue: JobQueue[str]) -> None:
    for engine in (1, 2):
        add(queue, "late")
        queue.begin_job(engine, 0.0)
    assert queue.expected_wait_seconds(20.02) == pytest.approx(20.0)


def test_short_jobs_are_bounded_by_number_and_running_ones_count() -> None:
    queue = JobQueue[str](2, BOUNDS._replace(jobs=5))
    add(queue, "first")
    queue.begin_job(1, 0.0)
    assert fill(queue, SHORT, 10) == 4
    queue.end_job(1, 0.01)
    assert add(queue, "next")


def test_what_waits_is_bounded_by_its_bytes() -> None:
    queue = JobQueue[str](2, BOUNDS._replace(size=1000))
    assert add(queue, "large", size=900)
    assert not add(queue, "other", size=200)
    assert add(queue, "small", size=100)
    queue.release("large")
    assert add(queue, "other", size=200)


def test_jobs_begin_in_the_order_in_which_they_were_ready(queue: JobQueue[str]) -> None:
    for caller in ("slow to read", "quick"):
        add(queue, caller, is_ready=False)
    assert queue.begin_job(1, 0.0) is None
    for caller in ("quick", "slow to read"):
        add(queue, caller)
    assert [queue.begin_job(engine, 0.0) for engine in (1, 2, 3)] == ["quick", "slow to read", None]


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
    add(queue, "first", LONG)
    add(queue, "second", LONG)
    add(queue, "in time", LONG, deadline=5.3)
    add(queue, "in vain", LONG, deadline=5.1)
    assert queue.find_overdue(0.0) == [("in vain", 2.6)]


def test_the_guess_grows_with_the_points_and_kinds_are_octaves_of_them() -> None:
    job = Job("x:y", "backtest", seconds=0.1, seconds_per_point=5e-5)
    assert job.cost(50_000).seconds == pytest.approx(2.6)
    assert job.cost(600).kind == job.cost(1000).kind != job.cost(1100).kind
    assert job.cost(600, "quick").kind != job.cost(600).kind


YIELDING = Cost("reading", 0.02, is_low_priority=True)


def test_jobs_that_yield_begin_behind_those_that_came_later(queue: JobQueue[str]) -> None:
    for caller, cost in (("table", YIELDING), ("first", SHORT), ("second", SHORT)):
        add(queue, caller, cost)
    assert [queue.begin_job(engine, 0.0) for engine in (1, 2, 3)] == ["first", "second", "table"]


def test_a_flood_of_jobs_that_yield_refuses_none_of_the_others(queue: JobQueue[str]) -> None:
    long = Cost("long reading", 2.0, is_low_priority=True)
    assert fill(queue, long, 300) < 300
    assert queue.admit("a forecast", AdmissionRequest(SHORT, 1, NEVER, True), 0.0) == (True, 0.0, 0)
    small = JobQueue[str](2, BOUNDS)
    assert fill(small, YIELDING, 300) == 64  # a quarter of the places
    assert fill(small, SHORT, 300) == 258 - 64


def test_where_few_may_wait_a_batch_has_its_place_and_one_for_its_part() -> None:
    tiny = JobQueue[str](1, QueueBounds(5.0, 3, 1000))
    assert tiny.admit("a batch", AdmissionRequest(YIELDING, 1, NEVER, False), 0.0).may_wait
    assert tiny.admit("its part", AdmissionRequest(YIELDING, 0, NEVER, True), 0.0).may_wait
    assert not tiny.admit("another", AdmissionRequest(YIELDING, 1, NEVER, False), 0.0).may_wait
    assert tiny.admit("a forecast", AdmissionRequest(SHORT, 1, NEVER, True), 0.0).may_wait


A, B, C = "account:1", "account:2", "account:3"
VISITOR, OTHER_VISITOR = "address:192.0.2.1", "address:192.0.2.2"
HEAVY = Cost("heavy", 0.5)


def add_for(
    queue: JobQueue[str],
    tenant: str,
    number: int,
    cost: Cost = HEAVY,
    *,
    size: int = 1,
    is_ready: bool = True,
    first: int = 0,
) -> int:
    """How many of a tenant's jobs may wait; they are numbered from ``first`` on."""
    return sum(
        queue.admit(
            f"{tenant} {n}", AdmissionRequest(cost, size, NEVER, is_ready, tenant), 0.0
        ).may_wait
        for n in range(first, first + number)
    )


def served(queue: JobQueue[str], number: int, seconds: float = 0.5) -> list[str]:
    """Whose the next jobs of one engine are, each of which takes so long."""
    tenants = []
    for n in range(number):
        caller = queue.begin_job(1, n * seconds)
        queue.end_job(1, (n + 1) * seconds)
        tenants.append(str(caller).split()[0])
    return tenants


def test_tenants_take_turns_whoever_came_first(queue: JobQueue[str]) -> None:
    add_for(queue, A, 12)
    add_for(queue, B, 3)
    add_for(queue, C, 3)
    assert sorted(served(queue, 3)) == [A, B, C]
    assert sorted(served(queue, 3)) == [A, B, C]


def test_the_small_job_of_another_does_not_wait_for_a_long_queue(queue: JobQueue[str]) -> None:
    assert add_for(queue, A, 50) == 22  # those that begin within 5 s
    for engine in (1, 2):
        queue.begin_job(engine, 0.0)
    verdict = queue.admit("small", AdmissionRequest(SHORT, 1, NEVER, True, B), 0.0)
    assert verdict == (True, 0.5, 0)
    assert queue.admit("one more", AdmissionRequest(HEAVY, 1, NEVER, True, A), 0.0).seconds > 5
    queue.end_job(1, 0.5)
    assert queue.begin_job(1, 0.5) == "small"


def test_who_has_taken_less_is_first_though_its_jobs_are_many(queue: JobQueue[str]) -> None:
    """Seconds are shared, not jobs: five of 0.1 s are one of 0.5 s."""
    run(queue, Cost("quick", 0.1), 0.1, times=40)
    add_for(queue, A, 4)
    add_for(queue, B, 20, Cost("quick", 0.1))
    taken = {A: 0.0, B: 0.0}
    now = 0.0
    for _ in range(18):
        caller = queue.begin_job(1, now)
        tenant = str(caller).split()[0]
        now += 0.5 if tenant == A else 0.1
        queue.end_job(1, now)
        taken[tenant] += 0.5 if tenant == A else 0.1
    assert abs(taken[A] - taken[B]) <= 0.6


def test_who_comes_back_has_saved_nothing_up(queue: JobQueue[str]) -> None:
    add_for(queue, A, 15)
    served(queue, 10)
    add_for(queue, B, 10)
    assert served(queue, 6).count(A) >= 2


def test_a_tenant_alone_may_have_all_places_and_all_engines(queue: JobQueue[str]) -> None:
    assert add_for(queue, A, 300, SHORT) == 258
    assert all(queue.begin_job(engine, 0.0) for engine in (1, 2))


def test_where_all_places_are_taken_who_has_the_most_gives_one_up(queue: JobQueue[str]) -> None:
    add_for(queue, A, 258, SHORT)
    assert add_for(queue, B, 1, SHORT) == 1
    [(caller, seconds)] = queue.pop_displaced(0.0)
    assert caller == "account:1 257", "the last one of those that wait"
    assert seconds > 2.5, "as long as a new one of its own would wait"
    assert queue.pop_displaced(0.0) == []
    assert add_for(queue, B, 200, SHORT, first=1) == 128, "up to as many as the other has"
    assert len(queue) == 258
    assert add_for(queue, A, 1, SHORT, first=258) == 0


def test_bytes_are_given_up_as_places_are(queue: JobQueue[str]) -> None:
    assert add_for(queue, A, 10, SHORT, size=100) == 10
    assert add_for(queue, B, 1, SHORT, size=150) == 1
    assert len(queue.pop_displaced(0.0)) == 2
    assert add_for(queue, B, 1, SHORT, size=800, first=1) == 0


def test_a_place_that_was_given_up_before_its_job_was_ready_is_asked_for_again(
    queue: JobQueue[str],
) -> None:
    add_for(queue, A, 258, SHORT, is_ready=False)
    assert add_for(queue, B, 1, SHORT) == 1
    assert queue.pop_displaced(0.0) == [], "nothing is sent to who still reads its request"
    assert not queue.admit(
        "account:1 257", AdmissionRequest(SHORT, 1, NEVER, True, A), 0.0
    ).may_wait
    assert queue.admit("account:1 0", AdmissionRequest(SHORT, 1, NEVER, True, A), 0.0).may_wait


def test_the_only_job_of_a_tenant_waits_for_long_ones_of_others(queue: JobQueue[str]) -> None:
    """Others alone are why it has to wait, longer than the bound but not far longer."""
    add_for(queue, A, 2, Cost("slow", 8.0))
    for engine in (1, 2):
        queue.begin_job(engine, 0.0)
    assert add_for(queue, A, 1, SHORT, first=2) == 0
    assert add_for(queue, B, 2, SHORT) == 1


def test_jobs_without_a_key_never_have_the_last_engine(queue: JobQueue[str]) -> None:
    for visitor in (VISITOR, OTHER_VISITOR):
        add_for(queue, visitor, 2, YIELDING)
    assert queue.begin_job(1, 0.0) is not None
    assert queue.begin_job(2, 0.0) is None
    add_for(queue, A, 1)
    assert queue.begin_job(2, 0.0) is not None
    queue.end_job(1, 1.0)
    assert queue.begin_job(1, 1.0) is not None, "as long as one engine is left"


def test_no_job_with_a_key_waits_for_one_without(queue: JobQueue[str]) -> None:
    slow = Cost("slow reading", 2.0, is_low_priority=True)
    for number in range(20):
        add_for(queue, f"address:{number}", 1, slow)
    queue.begin_job(1, 0.0)
    assert queue.admit("a forecast", AdmissionRequest(SHORT, 1, NEVER, True, A), 0.0) == (
        True,
        0.0,
        0,
    )
    assert queue.admit("a reading", AdmissionRequest(slow, 1, NEVER, True, A), 0.0).seconds < 0.1
    assert queue.expected_wait_seconds(0.0) < 2.1


def test_a_job_without_a_key_is_told_when_one_of_its_engines_is_free(
    queue: JobQueue[str],
) -> None:
    slow = Cost("slow reading", 2.0, is_low_priority=True)
    add_for(queue, VISITOR, 1, slow)
    queue.begin_job(1, 0.0)
    assert (
        queue.admit("next", AdmissionRequest(slow, 1, NEVER, True, OTHER_VISITOR), 0.0).seconds
        == 2.0
    )
    add_for(queue, A, 1, Cost("long", 4.0))
    queue.begin_job(2, 0.0)
    assert queue.admit("last", AdmissionRequest(slow, 1, NEVER, True, VISITOR), 0.0).seconds == 4.0


def test_odd_jobs_without_a_key_say_nothing_about_those_with_one(queue: JobQueue[str]) -> None:
    for _ in range(40):
        add_for(queue, VISITOR, 1, YIELDING)
        queue.begin_job(1, 0.0)
        queue.end_job(1, 30.0)
    assert queue.admit("with", AdmissionRequest(YIELDING, 1, NEVER, True, A), 0.0).may_wait
    assert add_for(queue, A, 20, YIELDING) == 20


def test_calls_of_many_jobs_leave_places_for_such_calls_of_others(queue: JobQueue[str]) -> None:
    assert add_for(queue, A, 300, YIELDING, is_ready=False) == 64
    assert add_for(queue, B, 300, YIELDING, is_ready=False) == 32
    assert add_for(queue, C, 300, SHORT) == 258 - 96


@given(
    engines=st.integers(1, 4),
    steps=st.lists(
        st.tuples(
            st.sampled_from([A, B, C, VISITOR, OTHER_VISITOR]),
            st.sampled_from([SHORT, HEAVY, YIELDING]),
            st.integers(0, 400),
            st.booleans(),
            st.floats(0, 1),
        ),
        max_size=80,
    ),
)
def test_bounds_hold_engines_are_used_and_everything_that_was_admitted_ends(
    engines: int, steps: list[tuple[str, Cost, int, bool, float]]
) -> None:
    queue = JobQueue[str](engines, QueueBounds(5.0, 12, 1000))
    now, tenants, sizes = 0.0, {}, {}
    waiting: set[str] = set()
    running: dict[int, str] = {}

    def hand_out() -> None:
        for engine in set(range(engines)) - running.keys():
            if (caller := queue.begin_job(engine, now)) is not None:
                waiting.remove(caller)
                running[engine] = caller
        visitors = [caller for caller in running.values() if tenants[caller].startswith("address")]
        assert len(visitors) <= max(1, engines - 1)
        with_key = [caller for caller in waiting if tenants[caller].startswith("account")]
        assert not with_key or len(running) == engines

    def end_one() -> None:
        engine = min(running)
        queue.end_job(engine, now)
        del running[engine]

    for number, (tenant, cost, size, ends, seconds) in enumerate(steps):
        caller = f"{number}"
        tenants[caller], sizes[caller] = tenant, size
        if queue.admit(caller, AdmissionRequest(cost, size, NEVER, True, tenant), now).may_wait:
            waiting.add(caller)
        waiting -= {gone for gone, _ in queue.pop_displaced(now)}
        held = [*waiting, *running.values()]
        assert len(queue) == len(held) <= 12
        assert sum(sizes[one] for one in held) <= 1000
        hand_out()
        now += seconds
        if ends and running:
            end_one()
            hand_out()
    for _ in range(len(queue)):
        now += 1.0
        end_one()
        hand_out()
    assert not waiting
    assert not running


@given(st.lists(st.floats(0.01, 1.0), min_size=2, max_size=5), st.integers(1, 3))
def test_tenants_that_always_have_jobs_get_the_same_seconds_of_engines(
    lengths: list[float], engines: int
) -> None:
    """However long the jobs of each are, and nobody's wait for ever."""
    queue = JobQueue[str](engines, QueueBounds(1e6, 10_000, 10_000))
    names = [f"account:{n}" for n in range(len(lengths))]
    taken = dict.fromkeys(names, 0.0)
    ends: dict[int, tuple[float, str]] = {}
    number = itertools.count()

    def ask(name: str, now: float) -> None:
        cost = Cost(name, lengths[names.index(name)])
        queue.admit(f"{name} {next(number)}", AdmissionRequest(cost, 1, NEVER, True, name), now)

    for name in names:
        for _ in range(2 * engines):
            ask(name, 0.0)
    now = 0.0
    for _ in range(600):
        for engine in set(range(engines)) - ends.keys():
            name = str(queue.begin_job(engine, now)).split()[0]
            ends[engine] = now + lengths[names.index(name)], name
            ask(name, now)
        engine = min(ends, key=lambda one: ends[one][0])
        now, name = ends.pop(engine)
        queue.end_job(engine, now)
        taken[name] += lengths[names.index(name)]
    # A tenant cannot have more engines than it has jobs at a time.
    assert max(taken.values()) - min(taken.values()) <= 2 * (engines + 1) * max(lengths) + 1e-6
