"""Calls for thousands of results: parts, time limits, clients that leave, engines that fail."""

import dataclasses
import socket
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from flask import Flask

from app.api.computing import batch_parts, batches
from app.api.computing.batches import OutOfTimeError, run_batch_job
from app.api.errors.api_error import ApiError
from app.api.request_state import JobDetails, request_state
from app.compute.errors import (
    EngineBusyError,
    EngineFailedError,
    EngineMemoryError,
    EngineUnavailableError,
)
from app.compute.jobs import ENGINE_EXTENSION, Cost, InProcessEngine, Job
from app.identity.accounts.authentication import KeyHolder

JOB = Job("a:function", noun="forecast", is_low_priority=True)
ITEMS = 1_000
Respond = Callable[[int, int], Any]


class Recorder:
    """An engine that records its parts; each item takes ``pace`` seconds."""

    def __init__(self, pace: float = 0.01, fail: Exception | None = None, fails: int = 0) -> None:
        self.parts: list[tuple[int, int]] = []
        self.costs: list[Cost] = []
        self.limits: list[float] = []
        self.tenants: set[str] = set()
        self.at_once = self.most_at_once = 0
        self._pace, self._fail, self._fails = pace, fail, fails
        self._lock = threading.Lock()

    def run(
        self, _job: Job, first: int, last: int, *, cost: Cost, timeout_seconds: float, tenant: str
    ) -> Any:
        with self._lock:
            self.tenants.add(tenant)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.costs.append(cost)
            self.limits.append(timeout_seconds)
        try:
            if self._fail is not None and self._fails > 0:
                self._fails -= 1
                raise self._fail
            self.parts.append((first, last))
            return (last - first) * self._pace, list(range(first, last))
        finally:
            with self._lock:
                self.at_once -= 1


@pytest.fixture
def run(shared_app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a batch of ``ITEMS`` items as a request does; each is guessed to take 0.01 s."""

    def call(
        engine: Any, seconds: float = 50.0, link: socket.socket | None = None, engines: int = 2
    ) -> Any:
        monkeypatch.setitem(shared_app.extensions, ENGINE_EXTENSION, engine)
        settings = dataclasses.replace(shared_app.config["SETTINGS"], web_concurrency=engines)
        monkeypatch.setitem(shared_app.config, "SETTINGS", settings)
        environ = {} if link is None else {"gunicorn.socket": link}
        with shared_app.test_request_context("/", environ_overrides=environ):
            details = JobDetails("a model", ITEMS, series_count=ITEMS)
            request_state().caller = cast(KeyHolder, SimpleNamespace(account_id=7))
            guesses = np.full(ITEMS, 0.01)
            result = run_batch_job(
                JOB, lambda first, last: (first, last), guesses, seconds, details
            )
            assert request_state().job_details is details
            return [item for part in result for item in part]

    return call


def test_every_item_is_computed_once_and_results_are_in_order(run: Callable[..., Any]) -> None:
    engine = Recorder()
    assert run(engine) == list(range(ITEMS))
    assert engine.most_at_once <= 2


@pytest.mark.parametrize("pace", [0.001, 0.01, 0.1])
def test_parts_take_half_a_second_however_wrong_the_guess_was(
    run: Callable[..., Any], pace: float
) -> None:
    engine = Recorder(pace)
    run(engine)
    lengths = [(last - first) * pace for first, last in engine.parts]
    small = batch_parts.SMALL_PARTS
    assert max(lengths[:2]) <= 10 * batch_parts.SMALL_PART_SECONDS + pace
    assert max(lengths[2:small]) <= 3 * batch_parts.SMALL_PART_SECONDS + pace
    assert max(lengths) <= 2.5 * batch_parts.PART_SECONDS
    whole = [length for length in lengths[small:] if length > 0.2]
    assert not whole or 0.2 < np.mean(whole) < 0.6
    assert len(lengths) <= 2 * small + ITEMS * pace / 0.2


def test_batch_parts_wait_for_all_other_jobs(run: Callable[..., Any]) -> None:
    engine = Recorder()
    run(engine)
    assert all(cost.is_low_priority for cost in engine.costs)
    assert {cost.kind for cost in engine.costs} == {"forecast-batch"}
    assert engine.tenants == {"account:7"}


def test_no_part_gets_more_time_than_the_call_has_left(run: Callable[..., Any]) -> None:
    engine = Recorder()
    run(engine, seconds=7.0)
    assert all(0 < limit <= 7.0 for limit in engine.limits)


class Clocked(Recorder):
    """A recorder whose clock advances by the time of the parts.

    ``slowness`` says by the seconds on the clock how many times longer the parts take.
    """

    def __init__(self, pace: float, slowness: Callable[[float], float] = lambda _now: 1.0) -> None:
        super().__init__(pace)
        self.now = 0.0
        self._slowness = slowness

    def run(self, job: Job, first: int, last: int, **options: Any) -> Any:
        taken, result = super().run(job, first, last, **options)
        with self._lock:
            self.now += taken * self._slowness(self.now)
        return taken, result


class Stalled(Clocked):
    """An engine that is busy once ``items`` are computed; rejections take a second."""

    def __init__(self, pace: float, items: int) -> None:
        super().__init__(pace)
        self._items = items

    def run(self, job: Job, first: int, last: int, **options: Any) -> Any:
        if sum(end - begin for begin, end in self.parts) + last - first > self._items:
            with self._lock:
                self.now += 1.0
            raise EngineBusyError(0.0)
        return super().run(job, first, last, **options)


@pytest.fixture
def run_by_clock(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Clocked], Any]:
    """Run a batch in at most 50 s of the engine's clock, its parts one after the other."""

    def call(engine: Clocked) -> Any:
        clock = SimpleNamespace(monotonic=lambda: engine.now, perf_counter=time.perf_counter)
        monkeypatch.setattr(batches, "time", clock)
        return run(engine, seconds=50.0, engines=1)

    return call


def test_a_call_whose_time_is_over_says_how_much_was_computed(
    run_by_clock: Callable[[Clocked], Any],
) -> None:
    engine = Stalled(0.045, items=900)
    with pytest.raises(OutOfTimeError) as raised:
        run_by_clock(engine)
    computed = sum(last - first for first, last in engine.parts)
    assert 49.0 <= engine.now < 55.0
    assert 850 < computed <= 900
    assert raised.value.fraction == pytest.approx(computed / ITEMS)
    assert str(raised.value) == f"about {100 * computed / ITEMS:.0f} % can be computed in 50 s"


@pytest.mark.parametrize("needed_seconds", [60.0, 65.0, 80.0, 120.0, 500.0, 5_000.0])
def test_a_call_that_cannot_be_done_in_time_is_rejected_by_its_first_parts(
    run_by_clock: Callable[[Clocked], Any], needed_seconds: float
) -> None:
    engine = Clocked(needed_seconds / ITEMS)
    with pytest.raises(OutOfTimeError) as raised:
        run_by_clock(engine)
    item_seconds = needed_seconds / ITEMS
    first_part_seconds = batch_parts.SMALL_PART_SECONDS / 0.01 * item_seconds
    assert engine.now <= 1.0 + 3 * first_part_seconds + 10 * item_seconds
    assert raised.value.fraction == pytest.approx(50 / needed_seconds, rel=0.1)


def test_a_call_slowed_by_others_for_long_is_rejected_before_half_of_its_time(
    run_by_clock: Callable[[Clocked], Any],
) -> None:
    """The parts take 40 s of a core: only the clock shows that they do not fit."""
    engine = Clocked(40 / ITEMS, lambda _now: 2.0)
    with pytest.raises(OutOfTimeError) as raised:
        run_by_clock(engine)
    assert 5.0 < engine.now < 25.0
    assert raised.value.fraction == pytest.approx(50 / 80, rel=0.05)


def test_a_call_that_fits_is_not_rejected_while_others_share_the_engines(
    run_by_clock: Callable[[Clocked], Any],
) -> None:
    """At the pace of the first 10 s it would take 80 s, at the later pace 40 s."""
    engine = Clocked(40 / ITEMS, lambda now: 2.0 if now < 10.0 else 1.0)
    assert run_by_clock(engine) == list(range(ITEMS))
    assert 40.0 < engine.now < 50.0


def test_a_first_part_that_waited_long_says_nothing_about_the_pace(
    run_by_clock: Callable[[Clocked], Any],
) -> None:
    engine = Clocked(40 / ITEMS, lambda now: 20.0 if now == 0.0 else 1.0)
    assert run_by_clock(engine) == list(range(ITEMS))
    assert 45.0 < engine.now < 50.0


def test_a_part_that_is_rejected_is_sent_again(run: Callable[..., Any]) -> None:
    engine = Recorder(fail=EngineBusyError(0.001), fails=5)
    assert run(engine) == list(range(ITEMS))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (EngineFailedError("ended"), 500),
        (EngineMemoryError(400.0), 422),
        (EngineUnavailableError("away"), 503),
    ],
)
def test_an_engine_that_fails_ends_the_call_and_its_other_parts(
    run: Callable[..., Any], error: Exception, status: int
) -> None:
    engine = Recorder(fail=error, fails=1)
    with pytest.raises(ApiError) as raised:
        run(engine)
    assert raised.value.status == status
    assert len(engine.parts) < 20


def test_a_client_that_leaves_ends_the_call_after_the_parts_under_way(
    run: Callable[..., Any],
) -> None:
    ours, theirs = socket.socketpair()
    engine = Recorder()
    original = engine.run

    def leave_after_three(*arguments: Any, **options: Any) -> Any:
        if len(engine.parts) == 3:
            theirs.close()
        return original(*arguments, **options)

    engine.run = leave_after_three  # type: ignore[method-assign]
    with ours, pytest.raises(ApiError) as raised:
        run(engine, link=ours)
    assert raised.value.status == 499
    assert len(engine.parts) <= 5


def test_a_client_that_sends_its_next_request_early_is_still_there(run: Callable[..., Any]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"GET / HTTP/1.1\r\n")
        assert run(Recorder(), link=ours) == list(range(ITEMS))
        assert ours.recv(3) == b"GET"


def test_an_engine_in_this_process_computes_a_batch(run: Callable[..., Any]) -> None:
    engine = InProcessEngine(
        lambda _job, first, last: (0.01 * (last - first), list(range(first, last)))
    )
    started = time.monotonic()
    assert run(engine) == list(range(ITEMS))
    assert time.monotonic() - started < 5


def test_a_busy_engine_that_does_not_know_its_wait_is_not_asked_in_a_loop(run) -> None:
    engine = Recorder(fail=EngineBusyError(0.0), fails=1_000_000)
    with pytest.raises((ApiError, OutOfTimeError)):
        run(engine, seconds=batches.MIN_REMAINING_SECONDS + 0.3)
    assert 0 < len(engine.costs) < 50
