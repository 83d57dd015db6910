"""Calls of thousands of results: their parts, their time, clients that leave, engines that fail."""

import socket
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flask import Flask, g

from app.api import batches
from app.api.batches import OutOfTimeError, run_batch
from app.api.errors import ApiError
from app.engine.jobs import EXTENSION, Cost, InProcess, Job
from app.engine.pool import EngineAwayError, EngineBusyError, EngineFailedError, EngineMemoryError
from app.observability.requests import Work

JOB = Job("a:function", noun="forecast", yields=True)
ITEMS = 1_000
Answer = Callable[[int, int], Any]


class Recorder:
    """An engine that notes the parts it is sent; each of their items takes ``pace`` seconds."""

    def __init__(self, pace: float = 0.01, fail: Exception | None = None, fails: int = 0) -> None:
        self.parts: list[tuple[int, int]] = []
        self.costs: list[Cost] = []
        self.limits: list[float] = []
        self.tenants: set[str] = set()
        self.at_once = self.most_at_once = 0
        self._pace, self._fail, self._fails = pace, fail, fails
        self._lock = threading.Lock()

    def run(
        self, _job: Job, first: int, last: int, *, cost: Cost, seconds: float, tenant: str
    ) -> Any:
        with self._lock:
            self.tenants.add(tenant)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.costs.append(cost)
            self.limits.append(seconds)
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
    """Runs a batch of ``ITEMS`` items, each guessed to take 0.01 s, as a request would."""

    def call(engine: Any, seconds: float = 50.0, link: socket.socket | None = None) -> Any:
        monkeypatch.setitem(shared_app.extensions, EXTENSION, engine)
        monkeypatch.setitem(shared_app.config, "ENGINE_PROCESSES", 2)
        environ = {} if link is None else {"gunicorn.socket": link}
        with shared_app.test_request_context("/", environ_overrides=environ):
            work = Work("a model", ITEMS, series=ITEMS)
            g.caller = SimpleNamespace(account_id=7)
            guesses = np.full(ITEMS, 0.01)
            found = run_batch(JOB, lambda first, last: (first, last), guesses, seconds, work)
            assert g.work is work
            return [item for part in found for item in part]

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
    assert max(lengths[:2]) <= 10 * batches.FIRST_SECONDS + pace
    assert max(lengths) <= 2.5 * batches.PART_SECONDS
    settled = lengths[6:-2]
    assert not settled or 0.2 < np.mean(settled) < 0.6


def test_parts_yield_to_everything_else(run: Callable[..., Any]) -> None:
    engine = Recorder()
    run(engine)
    assert all(cost.yields for cost in engine.costs)
    assert {cost.kind for cost in engine.costs} == {"forecast-batch"}
    assert engine.tenants == {"account:7"}


def test_no_part_gets_more_time_than_the_call_has_left(run: Callable[..., Any]) -> None:
    engine = Recorder()
    run(engine, seconds=7.0)
    assert all(0 < limit <= 7.0 for limit in engine.limits)


def test_a_call_whose_time_is_over_says_how_much_was_computed(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Recorder()
    clock = iter(np.arange(0.0, 1e6, 1.0))  # a second at each look
    monkeypatch.setattr(batches.time, "monotonic", lambda: next(clock))
    with pytest.raises(OutOfTimeError) as raised:
        run(engine, seconds=10.0)
    computed = sum(last - first for first, last in engine.parts)
    assert 0 < computed < ITEMS
    assert raised.value.share == pytest.approx(computed / ITEMS)
    assert str(raised.value) == f"{100 * computed / ITEMS:.0f} % was computed in time"


def test_a_part_that_is_refused_is_sent_again(run: Callable[..., Any]) -> None:
    engine = Recorder(fail=EngineBusyError(0.001), fails=5)
    assert run(engine) == list(range(ITEMS))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (EngineFailedError("ended"), 500),
        (EngineMemoryError(400.0), 422),
        (EngineAwayError("away"), 503),
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


def test_a_client_that_sends_its_next_request_early_is_still_there(
    run: Callable[..., Any],
) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"GET / HTTP/1.1\r\n")
        assert run(Recorder(), link=ours) == list(range(ITEMS))
        assert ours.recv(3) == b"GET"


def test_an_engine_in_this_process_computes_a_batch(run: Callable[..., Any]) -> None:
    engine = InProcess(lambda _job, first, last: (0.01 * (last - first), list(range(first, last))))
    started = time.monotonic()
    assert run(engine) == list(range(ITEMS))
    assert time.monotonic() - started < 5
