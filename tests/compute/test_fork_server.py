"""The fork server: it loads the libraries once, and replaces what was killed."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.compute.errors import EngineFailedError, EngineUnavailableError
from app.compute.pool import EnginePool
from tests.compute.pools import (
    BOUNDS,
    MISBEHAVE,
    ConcurrentCallers,
    Start,
    open_all,
    outcome_of,
    supervisor_of,
)
from tests.support.server import ROOT
from tests.support.services import children, wait_until


def test_a_slot_is_kept_through_the_end_of_all_engine_processes(start: Start) -> None:
    pool = start()
    slot = pool.client.acquire_slot(MISBEHAVE.cost(0), 1)
    os.kill(pool._fork_server_pid, signal.SIGKILL)
    os.waitpid(pool._fork_server_pid, 0)
    assert pool.client.expected_wait_seconds() is None
    other_slot = pool.client.acquire_slot(MISBEHAVE.cost(0), 1)
    pool.ensure_running()
    for waiting in (slot, other_slot):
        assert waiting.run(MISBEHAVE, "good", cost=MISBEHAVE.cost(0)) == "good"


@pytest.mark.parametrize("is_reaped_by_gunicorn", [False, True])
def test_the_id_of_an_ended_fork_server_is_forgotten(
    start: Start, monkeypatch: pytest.MonkeyPatch, *, is_reaped_by_gunicorn: bool
) -> None:
    """The system may give it to any other process, which must not be taken for the fork server."""
    pool = start()
    pid = pool._fork_server_pid
    os.kill(pid, signal.SIGKILL)
    if is_reaped_by_gunicorn:
        os.waitpid(pid, 0)
    wait_until(lambda: not pool.is_running(), "the end of the fork server")
    killed: list[int] = []
    monkeypatch.setattr("app.compute.pool.os.kill", lambda pid, _signal: killed.append(pid))
    monkeypatch.setattr("app.compute.pool.os.waitpid", lambda *_: (0, 0))
    assert not pool.is_running()
    pool.stop()
    assert not killed


def test_engines_end_with_the_pool(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.compute.client.SUPERVISOR_RESTART_SECONDS", 0.2)
    pool = start()
    pool.client.run(MISBEHAVE)
    (engine,) = children(supervisor_of(pool))
    pool.stop()
    with pytest.raises(EngineFailedError, match="no engine process can be reached"):
        pool.client.run(MISBEHAVE)
    wait_until(lambda: not Path(f"/proc/{engine}").exists(), "the end of the engine")
    pool.ensure_running()
    assert not pool.is_running()


def test_jobs_wait_while_the_libraries_are_loaded(start: Start, gate: Path) -> None:
    client = start(load=gate.read_bytes).client
    callers = ConcurrentCallers(client, 3)
    assert not callers.outcomes
    wait_until(lambda: open_all(gate, callers), "the end of the loading")
    assert callers.outcomes == ["good"] * 3


def test_the_wait_is_unknown_while_the_libraries_are_loaded(
    start: Start, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.compute.client.SUPERVISOR_RESTART_SECONDS", 0.2)
    assert start(load=gate.read_bytes).client.expected_wait_seconds() is None


def test_a_killed_supervisor_is_replaced_without_loading_the_libraries_again(
    start: Start, tmp_path: Path
) -> None:
    loads = tmp_path / "loads"

    def load() -> None:
        with loads.open("a") as lines:
            lines.write("loaded\n")

    pool = start(load=load)
    first = supervisor_of(pool)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: supervisor_of(pool) != first, "another supervisor")
    assert pool.client.run(MISBEHAVE) == "good"
    assert loads.read_text() == "loaded\n"


def is_computing(supervisor: int) -> bool:
    """Return whether an engine of a supervisor does anything."""
    stats = (Path(f"/proc/{engine}/stat").read_text().split() for engine in children(supervisor))
    return any(stat[2] == "R" for stat in stats)


def test_a_killed_supervisor_fails_no_job(start: Start, tmp_path: Path) -> None:
    """Not the one that was begun, nor those in the queue, nor those that come meanwhile."""
    pool, runs = start(), tmp_path / "runs"
    first = supervisor_of(pool)
    outcomes: list[object] = []

    def submit_in_thread(*how: str) -> threading.Thread:
        thread = threading.Thread(target=lambda: outcomes.append(outcome_of(pool.client, *how)))
        thread.start()
        return thread

    threads = [submit_in_thread("stuck once", str(runs))]
    wait_until(lambda: runs.exists() and is_computing(first), "the job")
    threads += [submit_in_thread() for _ in range(2)]
    os.kill(first, signal.SIGKILL)
    threads += [submit_in_thread() for _ in range(2)]
    for thread in threads:
        thread.join()
    assert outcomes == ["good"] * 5
    assert supervisor_of(pool) != first


def test_missing_engine_processes_are_distinguished_from_failed_jobs(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.compute.client.SUPERVISOR_RESTART_SECONDS", 0.2)
    pool = start()
    os.kill(pool._fork_server_pid, signal.SIGKILL)
    with pytest.raises(EngineUnavailableError):
        pool.client.run(MISBEHAVE)


def test_no_socket_is_left_behind_when_the_parent_is_killed(tmp_path: Path) -> None:
    script = f"""
import signal, sys
sys.path.insert(0, {str(ROOT)!r})
from app.compute.pool import EnginePool
from app.compute.capacity import QueueBounds
pool = EnginePool(
    processes=1, bounds=QueueBounds(5, 1, 1), timeout_seconds=5, memory_mib=300, load=lambda: None
)
pool.ensure_running()
print(pool.client.address, flush=True)
signal.pause()
"""
    command = [sys.executable, "-c", script]
    environ = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        address = Path(parent.stdout.readline().strip())
        assert address.exists()
        parent.kill()
    wait_until(lambda: not address.parent.exists(), "the end of the socket")


def test_a_signal_while_the_fork_server_is_looked_for_starts_no_second_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = EnginePool(
        processes=1, bounds=BOUNDS, timeout_seconds=20.0, memory_mib=300, load=lambda: None
    )
    started = []
    # The signal's handler calls the same again, in the midst of it.
    monkeypatch.setattr(pool, "is_running", lambda: bool(pool.ensure_running()))
    monkeypatch.setattr(pool, "_start", lambda: started.append(1))
    pool.ensure_running()
    assert started == [1]
