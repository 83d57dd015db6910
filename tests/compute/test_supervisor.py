"""The supervisor of the engines: slots in its queue, rejections, and what it holds open."""

import errno
import math
import os
import signal
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from app.compute import supervisor
from app.compute.errors import EngineBusyError
from app.compute.jobs import Cost
from tests.compute.pools import (
    BOUNDS,
    MISBEHAVE,
    ConcurrentCallers,
    Start,
    open_all,
    outcome_of,
    supervisor_of,
)
from tests.support.services import children, wait_until

ENGINE_NICENESS = 5


def test_more_jobs_than_there_are_slots_are_rejected(start: Start, gate: Path) -> None:
    client = start(bounds=BOUNDS._replace(max_jobs=3)).client
    callers = ConcurrentCallers(client, 12, gate)
    wait_until(lambda: len(callers.outcomes) == 9, "the rejections")
    assert callers.outcomes == ["busy"] * 9
    wait_until(lambda: open_all(gate, callers), "the others")
    assert callers.outcomes[9:] == [gate] * 3, "one was computed while two waited"


def test_a_job_that_would_wait_too_long_is_rejected_with_the_expected_wait(
    start: Start, gate: Path
) -> None:
    client = start(bounds=BOUNDS._replace(max_wait_seconds=5.0)).client
    running = ConcurrentCallers(client, 1, gate)
    long = Cost("long", 7.0)
    slot = client.acquire_slot(long, 1)
    with pytest.raises(EngineBusyError) as rejection:
        client.run(MISBEHAVE)
    assert 6.5 < rejection.value.wait_seconds < 8
    assert client.expected_wait_seconds() == pytest.approx(rejection.value.wait_seconds, abs=1)
    slot.release()
    waiting = ConcurrentCallers(client, 1)
    wait_until(lambda: open_all(gate, running), "the first job")
    assert waiting.wait() == ["good"]


@pytest.mark.timing
@pytest.mark.alone  # other tests run at a niceness of their own, which engines would keep
def test_engines_leave_the_cpus_to_web_workers_first(start: Start) -> None:
    pool = start()
    pool.client.run(MISBEHAVE)
    (engine,) = children(supervisor_of(pool))
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, engine) == max(own, ENGINE_NICENESS)


def test_a_sandbox_that_forbids_priorities_does_not_keep_engines_from_starting(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "setpriority", Mock(side_effect=PermissionError))
    pool = start()
    assert pool.client.run(MISBEHAVE) == "good"
    (engine,) = children(supervisor_of(pool))
    assert os.getpriority(os.PRIO_PROCESS, engine) == os.getpriority(os.PRIO_PROCESS, 0)


def test_the_slots_of_a_killed_process_are_released(start: Start) -> None:
    client = start(bounds=BOUNDS._replace(max_jobs=2)).client
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        _slots = [client.acquire_slot(MISBEHAVE.cost(0), 1) for _ in range(2)]
        os.write(theirs, b"!")
        signal.pause()
    os.read(ours, 1)
    assert outcome_of(client) == "busy"
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    wait_until(lambda: outcome_of(client) == "good", "free slots")


def test_a_slot_that_was_acquired_early_runs_a_job_and_ends_with_it(start: Start) -> None:
    client = start(bounds=BOUNDS._replace(max_jobs=1)).client
    slot = client.acquire_slot(MISBEHAVE.cost(0), 1)
    assert outcome_of(client) == "busy"
    assert slot.run(MISBEHAVE, "good", cost=MISBEHAVE.cost(0)) == "good"
    wait_until(lambda: outcome_of(client) == "good", "a free slot")


def test_a_job_that_waits_too_long_is_rejected_before_its_caller_gives_up(start: Start) -> None:
    """The one engine is stuck until the time limit of its job."""
    client = start(timeout_seconds=6.0).client
    stuck = ConcurrentCallers(client, 1, "stuck")
    wait_until(
        lambda: (client.expected_wait_seconds() or 0) > 0.5, "a job that takes longer than expected"
    )
    assert ConcurrentCallers(client, 2).wait() == ["busy"] * 2
    assert stuck.wait() == ["failed"]


def test_rejections_beyond_a_rate_are_held_while_there_are_slots(
    start: Start, monkeypatch: pytest.MonkeyPatch, gate: Path
) -> None:
    monkeypatch.setattr("app.compute.supervisor.REJECTION_BURST", 2)
    monkeypatch.setattr("app.compute.supervisor.REJECTIONS_PER_SECOND", 4)
    client = start(bounds=BOUNDS._replace(max_wait_seconds=0.0, max_jobs=6)).client
    running = ConcurrentCallers(client, 1, gate)
    wait_until(client.expected_wait_seconds, "a job that runs")
    started = time.monotonic()
    assert ConcurrentCallers(client, 2).wait() == ["busy"] * 2
    burst = time.monotonic() - started
    assert ConcurrentCallers(client, 4).wait() == ["busy"] * 4
    assert time.monotonic() - started > 0.7 > burst, "two without a pause, then four a second"
    started = time.monotonic()
    rejected = ConcurrentCallers(client, 30)
    wait_until(lambda: len(rejected.outcomes) >= 26, "those for whom there is no slot")
    assert time.monotonic() - started < 26 / 4
    wait_until(lambda: open_all(gate, running), "the first job")
    rejected.wait()


def test_a_supervisor_keeps_nothing_open_that_its_parent_had(start: Start, tmp_path: Path) -> None:
    with (tmp_path / "file").open("w"):
        pool = start()
        pool.client.run(MISBEHAVE)
        links = Path(f"/proc/{supervisor_of(pool)}/fd").iterdir()
        opened = sorted(int(link.name) for link in links)
    assert opened[:3] == [0, 1, 2]
    assert len(opened) <= 6 + 1  # the socket, what watches it, the link to the engine, a caller


def test_a_lack_of_file_descriptors_is_logged_and_does_not_keep_a_core_busy(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Listener:
        def accept(self) -> None:
            raise OSError(errno.EMFILE, "Too many open files")

    pauses: list[float] = []
    monkeypatch.setattr("app.compute.supervisor.time.sleep", pauses.append)
    supervisor._Supervisor(Listener(), supervisor.SupervisorSettings(1, math.inf, BOUNDS))._accept()
    assert pauses == [supervisor.RESTART_PAUSE_SECONDS]
    assert "Too many open files" in caplog.text
