"""Whose job is next: tenants get the same seconds of engines, whoever came first."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from app.compute.capacity import QueueBounds
from app.compute.jobs import Cost
from app.compute.queue import JobQueue
from tests.compute.queues import (
    ANN,
    ANONYMOUS,
    BEN,
    CAL,
    HEAVY,
    LOW_PRIORITY,
    OTHER_ANONYMOUS,
    SHORT,
    add_jobs_of,
    admission,
    admit,
    run_jobs,
)


def begin_next_jobs(queue: JobQueue[str], number: int, seconds: float = 0.5) -> list[str]:
    """Return whose the next jobs of one engine are, each of which takes ``seconds``."""
    tenants = []
    for n in range(number):
        caller = queue.begin_job(1, n * seconds)
        queue.end_job(1, (n + 1) * seconds)
        tenants.append(str(caller).split()[0])
    return tenants


def test_tenants_take_turns_whoever_came_first(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANN, 12)
    add_jobs_of(queue, BEN, 3)
    add_jobs_of(queue, CAL, 3)
    assert sorted(begin_next_jobs(queue, 3)) == [ANN, BEN, CAL]
    assert sorted(begin_next_jobs(queue, 3)) == [ANN, BEN, CAL]


def test_the_small_job_of_another_does_not_wait_for_a_long_queue(queue: JobQueue[str]) -> None:
    assert add_jobs_of(queue, ANN, 50) == 22  # those that begin within 5 s
    for engine in (1, 2):
        queue.begin_job(engine, 0.0)
    assert admit(queue, "small", SHORT, tenant=BEN) == (True, 0.5, 0)
    assert admit(queue, "one more", HEAVY, tenant=ANN).wait_seconds > 5
    queue.end_job(1, 0.5)
    assert queue.begin_job(1, 0.5) == "small"


def test_the_tenant_that_used_less_time_is_first_even_with_more_jobs(queue: JobQueue[str]) -> None:
    """Seconds are shared, not jobs: five of 0.1 s are one of 0.5 s."""
    run_jobs(queue, Cost("quick", 0.1), 0.1, times=40)
    add_jobs_of(queue, ANN, 4)
    add_jobs_of(queue, BEN, 20, Cost("quick", 0.1))
    taken = {ANN: 0.0, BEN: 0.0}
    now = 0.0
    for _ in range(18):
        caller = queue.begin_job(1, now)
        tenant = str(caller).split()[0]
        now += 0.5 if tenant == ANN else 0.1
        queue.end_job(1, now)
        taken[tenant] += 0.5 if tenant == ANN else 0.1
    assert abs(taken[ANN] - taken[BEN]) <= 0.6


def test_an_idle_tenant_gains_no_credit(queue: JobQueue[str]) -> None:
    add_jobs_of(queue, ANN, 15)
    begin_next_jobs(queue, 10)
    add_jobs_of(queue, BEN, 10)
    assert begin_next_jobs(queue, 6).count(ANN) >= 2


def test_the_only_job_of_a_tenant_waits_for_long_ones_of_others(queue: JobQueue[str]) -> None:
    """It waits only because of other tenants: longer than the bound, but not far longer."""
    add_jobs_of(queue, ANN, 2, Cost("slow", 8.0))
    for engine in (1, 2):
        queue.begin_job(engine, 0.0)
    assert add_jobs_of(queue, ANN, 1, SHORT, first=2) == 0
    assert add_jobs_of(queue, BEN, 2, SHORT) == 1


def test_jobs_without_a_key_never_have_the_last_engine(queue: JobQueue[str]) -> None:
    for visitor in (ANONYMOUS, OTHER_ANONYMOUS):
        add_jobs_of(queue, visitor, 2, LOW_PRIORITY)
    assert queue.begin_job(1, 0.0) is not None
    assert queue.begin_job(2, 0.0) is None
    add_jobs_of(queue, ANN, 1)
    assert queue.begin_job(2, 0.0) is not None
    queue.end_job(1, 1.0)
    assert queue.begin_job(1, 1.0) is not None, "as long as one engine is left"


def test_no_job_with_a_key_waits_for_one_without(queue: JobQueue[str]) -> None:
    slow = Cost("slow reading", 2.0, is_low_priority=True)
    for number in range(20):
        add_jobs_of(queue, f"address:{number}", 1, slow)
    queue.begin_job(1, 0.0)
    assert admit(queue, "a forecast", SHORT, tenant=ANN) == (True, 0.0, 0)
    assert admit(queue, "a reading", slow, tenant=ANN).wait_seconds < 0.1
    assert queue.expected_wait_seconds(0.0) < 2.1


def test_an_anonymous_job_waits_for_an_engine_of_anonymous_jobs(queue: JobQueue[str]) -> None:
    slow = Cost("slow reading", 2.0, is_low_priority=True)
    add_jobs_of(queue, ANONYMOUS, 1, slow)
    queue.begin_job(1, 0.0)
    assert admit(queue, "next", slow, tenant=OTHER_ANONYMOUS).wait_seconds == 2.0
    add_jobs_of(queue, ANN, 1, Cost("long", 4.0))
    queue.begin_job(2, 0.0)
    assert admit(queue, "last", slow, tenant=ANONYMOUS).wait_seconds == 4.0


@given(
    engines=st.integers(1, 4),
    steps=st.lists(
        st.tuples(
            st.sampled_from([ANN, BEN, CAL, ANONYMOUS, OTHER_ANONYMOUS]),
            st.sampled_from([SHORT, HEAVY, LOW_PRIORITY]),
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
        decision, evicted = admission(queue, caller, cost, size=size, tenant=tenant, now=now)
        if decision.may_wait:
            waiting.add(caller)
        waiting -= {gone for gone, _ in evicted}
        held = [*waiting, *running.values()]
        assert len(queue) == len(held) <= 12
        assert sum(sizes[caller] for caller in held) <= 1000
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
    """However long the jobs of each are; and none waits for ever."""
    queue = JobQueue[str](engines, QueueBounds(1e6, 10_000, 10_000))
    names = [f"account:{n}" for n in range(len(lengths))]
    taken = dict.fromkeys(names, 0.0)
    ends: dict[int, tuple[float, str]] = {}
    number = itertools.count()

    def add_job(name: str, now: float) -> None:
        cost = Cost(name, lengths[names.index(name)])
        admit(queue, f"{name} {next(number)}", cost, tenant=name, now=now)

    for name in names:
        for _ in range(2 * engines):
            add_job(name, 0.0)
    now = 0.0
    for _ in range(600):
        for engine in set(range(engines)) - ends.keys():
            name = str(queue.begin_job(engine, now)).split()[0]
            ends[engine] = now + lengths[names.index(name)], name
            add_job(name, now)
        engine = min(ends, key=lambda engine: ends[engine][0])
        now, name = ends.pop(engine)
        queue.end_job(engine, now)
        taken[name] += lengths[names.index(name)]
    # A tenant cannot have more engines than it has jobs at a time.
    assert max(taken.values()) - min(taken.values()) <= 2 * (engines + 1) * max(lengths) + 1e-6
