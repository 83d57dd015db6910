"""Engine processes: a job in bounded time, whatever native code does."""

import contextlib
import io
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from python_calamine import CalamineWorkbook

from app.api.forecast.routes import FORECAST_JOB
from app.compute.capacity import QueueBounds
from app.compute.jobs import Cost, Job
from app.compute.pool import (
    EngineBusyError,
    EngineClient,
    EngineFailedError,
    EngineMemoryError,
    EnginePool,
    EngineUnavailableError,
)
from app.compute.process_memory import resident_mebibytes
from app.forecasting.forecast import forecast
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.series import Series
from tests.support.server import ROOT
from tests.support.services import children, wait_until
from tests.tables.tables import workbook

Start = Callable[..., EnginePool]

VALUES = np.arange(20.0)
DAYS = Series(
    VALUES, fit_calendar(np.datetime64("2024-01-01", "s") + 86_400 * np.arange(20), Frequency.DAILY)
)


BEHAVE, ALLOCATE = (Job(f"{__name__}:{name}", "result") for name in ("behave", "allocate"))
OUT_OF_MEMORY = ["python list", "numpy array", "result", "error of its own", "abort", "fault"]
BOUNDS = QueueBounds(seconds=60.0, jobs=9, size=1000)
RETAINED: list[object] = []


def behave(how: str | Path = "good", file: str = "/dev/null") -> object:
    """A job that misbehaves as it is told, and leaves a line in ``file``."""
    with Path(file).open("a+") as lines:
        print(file=lines)
        lines.seek(0)
        if how == "stuck once":
            how = "good" if len(lines.readlines()) > 1 else "stuck"
    if how == "stuck":  # in native code: it takes years and lets no Python signal handler run
        re.match(r"(a+)+$", "a" * 60 + "b")
    if how == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "raise":
        raise ZeroDivisionError
    if isinstance(how, Path):  # a named pipe: until somebody opens it for writing
        how.read_bytes()
    return how


def allocate(how: str) -> object:
    """A job that needs more memory than it may have, or keeps what it had."""
    held: list[object] = RETAINED if how == "retain" else []
    match how:
        case "numpy array":
            return np.ones((2**30, 8)).sum()
        case "result":
            return np.ones(150 * 2**17)  # fits, but not twice: it is pickled
        case "error of its own":  # as pandas has one for it
            try:
                allocate("python list")
            except MemoryError:
                raise ValueError from None
        case "abort":  # as Rust does where an allocation fails
            os.abort()
        case "fault":  # as C does where it does not look whether an allocation failed
            try:
                allocate("python list")
            except MemoryError:
                os.kill(os.getpid(), signal.SIGSEGV)
        case "fault without memory":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "retain":
            held.append(np.ones(40 * 2**17))
        case _:
            while True:
                held.append(bytes(10_000))
    return how


def supervisor_of(pool: EnginePool) -> int:
    """The child of a pool's fork server, once there is one."""
    wait_until(lambda: bool(children(pool._fork_server_pid)), "the supervisor")
    return children(pool._fork_server_pid)[0]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    # Handlers of pytest write to files that forked processes close, and whose numbers they reuse.
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.NullHandler()])
    pools = []

    def start(**options: Any) -> EnginePool:
        settings = {"processes": 1, "bounds": BOUNDS, "timeout_seconds": 20.0} | options
        pools.append(EnginePool(**settings))
        pools[-1].ensure_running()
        return pools[-1]

    yield start
    for pool in pools:
        pool.stop()


def test_a_pooled_forecast_equals_the_direct_one(start: Start) -> None:
    pooled = start().client.run(FORECAST_JOB, DAYS, 5, 0.9, "forecast-model-2")
    direct = forecast(DAYS, 5, 0.9, "forecast-model-2")
    assert pooled.timestamps == direct.timestamps
    assert np.array_equal(pooled.median, direct.median)


@pytest.mark.parametrize("value", ["ZeroDivisionError in the engine", None, False, (False, "no")])
def test_whatever_a_job_returns_is_its_value_and_no_failure(start: Start, value: object) -> None:
    assert start().client.run(BEHAVE, value) == value


def test_a_function_that_does_not_exist_is_a_failure(start: Start) -> None:
    with pytest.raises(EngineFailedError, match="ModuleNotFoundError"):
        start().client.run(Job("none:none", "result"))


MISBEHAVIOURS = {
    "stuck": "no result within 1 s|the engine process ended",
    "crash": "the engine process ended",
    "raise": "ZeroDivisionError in the engine",
}


@pytest.mark.parametrize("how", MISBEHAVIOURS)
def test_the_engine_serves_on_after_a_job_that_hangs_crashes_or_raises(
    start: Start, how: str
) -> None:
    client = start(timeout_seconds=1.0).client
    with pytest.raises(EngineFailedError, match=MISBEHAVIOURS[how]):
        client.run(BEHAVE, how)
    wait_until(lambda: outcome_of(client) == "good", "another engine")


def outcome_of(client: EngineClient, *how: str | Path) -> object:
    """What became of a job."""
    try:
        return client.run(BEHAVE, *how)
    except EngineBusyError:
        return "busy"
    except EngineFailedError:
        return "failed"


class Asking:
    """Callers at the same time, each in a thread, and what became of their jobs."""

    def __init__(self, client: EngineClient, number: int, how: str | Path = "good") -> None:
        self.outcomes: list[object] = []

        def ask() -> None:
            self.outcomes.append(outcome_of(client, how))

        self.threads = [threading.Thread(target=ask) for _ in range(number)]
        for thread in self.threads:
            thread.start()

    def wait(self) -> list[object]:
        for thread in self.threads:
            thread.join()
        return self.outcomes


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A job for each reader of it waits; opening it lets all go on."""
    os.mkfifo(tmp_path / "gate")
    return tmp_path / "gate"


def test_more_jobs_than_there_are_places_are_refused_at_once(start: Start, gate: Path) -> None:
    client = start(bounds=BOUNDS._replace(jobs=3)).client
    asking = Asking(client, 12, gate)
    wait_until(lambda: len(asking.outcomes) == 9, "the refusals")
    assert asking.outcomes == ["busy"] * 9
    wait_until(lambda: open_all(gate, asking), "the others")
    assert asking.outcomes[9:] == [gate] * 3, "one was computed while two waited"


def open_all(gate: Path, asking: Asking) -> bool:
    """Let whoever waits at the gate go on; true when nobody is left."""
    with contextlib.suppress(OSError):  # nobody reads
        os.close(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
    return not any(thread.is_alive() for thread in asking.threads)


def test_a_job_that_would_wait_too_long_is_refused_and_told_how_long(
    start: Start, gate: Path
) -> None:
    client = start(bounds=BOUNDS._replace(seconds=5.0)).client
    running = Asking(client, 1, gate)
    long = Cost("long", 7.0)
    place = client.acquire_slot(long, 1)
    with pytest.raises(EngineBusyError) as refusal:
        client.run(BEHAVE)
    assert 6.5 < refusal.value.seconds < 8
    assert client.expected_wait_seconds() == pytest.approx(refusal.value.seconds, abs=1)
    place.release()
    waiting = Asking(client, 1)
    wait_until(lambda: open_all(gate, running), "the first job")
    assert waiting.wait() == ["good"]


def test_the_places_of_a_killed_process_are_free(start: Start) -> None:
    client = start(bounds=BOUNDS._replace(jobs=2)).client
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        _places = [client.acquire_slot(BEHAVE.cost(0), 1) for _ in range(2)]
        os.write(theirs, b"!")
        signal.pause()
    os.read(ours, 1)
    assert outcome_of(client) == "busy"
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    wait_until(lambda: outcome_of(client) == "good", "free places")


def test_a_place_that_was_taken_early_runs_a_job_and_ends_with_it(start: Start) -> None:
    client = start(bounds=BOUNDS._replace(jobs=1)).client
    place = client.acquire_slot(BEHAVE.cost(0), 1)
    assert outcome_of(client) == "busy"
    assert place.run(BEHAVE, "good", cost=BEHAVE.cost(0)) == "good"
    wait_until(lambda: outcome_of(client) == "good", "a free place")


def test_a_place_is_kept_through_the_end_of_all_engine_processes(start: Start) -> None:
    pool = start()
    place = pool.client.acquire_slot(BEHAVE.cost(0), 1)
    os.kill(pool._fork_server_pid, signal.SIGKILL)
    os.waitpid(pool._fork_server_pid, 0)
    assert pool.client.expected_wait_seconds() is None
    beside = pool.client.acquire_slot(BEHAVE.cost(0), 1)
    pool.ensure_running()
    for one in (place, beside):
        assert one.run(BEHAVE, "good", cost=BEHAVE.cost(0)) == "good"


def test_what_waits_in_vain_is_refused_before_its_caller_gives_up(start: Start) -> None:
    """The one engine is stuck until the time limit of its job."""
    client = start(timeout_seconds=3.0).client
    stuck = Asking(client, 1, "stuck")
    wait_until(
        lambda: (client.expected_wait_seconds() or 0) > 0.5, "a job that takes longer than expected"
    )
    assert Asking(client, 2).wait() == ["busy"] * 2
    assert stuck.wait() == ["failed"]


def test_refusals_beyond_a_rate_are_held_while_there_are_places(
    start: Start, monkeypatch: pytest.MonkeyPatch, gate: Path
) -> None:
    monkeypatch.setattr("app.compute.supervisor.REFUSAL_BURST", 2)
    monkeypatch.setattr("app.compute.supervisor.REFUSALS_PER_SECOND", 4)
    client = start(bounds=BOUNDS._replace(seconds=0.0, jobs=6)).client
    running = Asking(client, 1, gate)
    wait_until(client.expected_wait_seconds, "a job that runs")
    started = time.monotonic()
    assert Asking(client, 2).wait() == ["busy"] * 2
    at_once = time.monotonic() - started
    assert Asking(client, 4).wait() == ["busy"] * 4
    assert time.monotonic() - started > 0.7 > at_once, "two at once, then four a second"
    started = time.monotonic()
    refused = Asking(client, 30)
    wait_until(lambda: len(refused.outcomes) >= 26, "those for whom there is no place")
    assert time.monotonic() - started < 26 / 4
    wait_until(lambda: open_all(gate, running), "the first job")
    refused.wait()


def test_an_engine_that_retains_memory_is_replaced_and_no_job_is_lost(start: Start) -> None:
    pool = start(memory_mb=resident_mebibytes() + 100)
    seen: set[int] = set()
    # Of 40 MiB each: all would not fit, whatever this process shares with the engines.
    for _job in range(30):
        seen.update(children(supervisor_of(pool)))
        assert pool.client.run(ALLOCATE, "retain") == "retain"
    wait_until(lambda: len(seen | set(children(supervisor_of(pool)))) > 2, "other engines")


@pytest.mark.parametrize(
    "how", ["python list", "numpy array", "result", "error of its own", "abort"]
)
def test_a_job_that_meets_the_bound_of_memory_fails_alone(
    start: Start, gate: Path, how: str
) -> None:
    """The job on the other engine and the next one on this engine are computed."""
    limit = resident_mebibytes() + 100
    client = start(processes=2, memory_mb=limit).client
    beside = Asking(client, 1, gate)
    started = time.monotonic()
    for _job in range(5):
        with pytest.raises(EngineMemoryError) as failure:
            client.run(ALLOCATE, how)
        assert failure.value.memory_mb == limit
        assert client.run(BEHAVE) == "good"
    assert time.monotonic() - started < 10, "engines are replaced without a pause"
    wait_until(lambda: open_all(gate, beside), "the job beside them")
    assert beside.wait() == [gate]


def test_an_abort_without_a_bound_of_memory_is_a_failure_of_the_engine(start: Start) -> None:
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        start().client.run(ALLOCATE, "abort")
    assert not isinstance(failure.value, EngineMemoryError)


def test_a_fault_of_native_code_that_held_little_is_a_failure_of_the_engine(start: Start) -> None:
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        start(memory_mb=resident_mebibytes() + 100).client.run(ALLOCATE, "fault without memory")
    assert not isinstance(failure.value, EngineMemoryError)


def test_a_native_library_that_cannot_allocate_ends_as_a_lack_of_memory(
    start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    client = start(memory_mb=resident_mebibytes() + 60).client
    book = workbook({"a": [["x" * 2**20]] * 120})
    with pytest.raises(EngineMemoryError):
        client.run(Job(f"{__name__}:read_workbook", "reading"), book)
    assert "backtrace:" not in capfd.readouterr().err


def read_workbook(content: bytes) -> int:
    """Read a workbook by calamine, which is Rust."""
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0)
    return len(sheet.to_python())


def test_engines_end_with_the_pool(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.compute.pool.RESTART_SECONDS", 0.2)
    pool = start()
    pool.client.run(BEHAVE)
    (engine,) = children(supervisor_of(pool))
    pool.stop()
    with pytest.raises(EngineFailedError, match="no engine process can be reached"):
        pool.client.run(BEHAVE)
    wait_until(lambda: not Path(f"/proc/{engine}").exists(), "the end of the engine")
    pool.ensure_running()
    assert not pool.is_running()


def test_jobs_wait_while_the_libraries_are_loaded(start: Start, gate: Path) -> None:
    client = start(load=gate.read_bytes).client
    asking = Asking(client, 3)
    assert not asking.outcomes
    wait_until(lambda: open_all(gate, asking), "the end of the loading")
    assert asking.outcomes == ["good"] * 3


def test_nothing_is_said_of_the_wait_while_the_libraries_are_loaded(
    start: Start, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.compute.pool.RESTART_SECONDS", 0.2)
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
    assert pool.client.run(BEHAVE) == "good"
    assert loads.read_text() == "loaded\n"


def is_computing(supervisor: int) -> bool:
    """Whether an engine of a supervisor does anything."""
    stats = (Path(f"/proc/{engine}/stat").read_text().split() for engine in children(supervisor))
    return any(stat[2] == "R" for stat in stats)


def test_a_killed_supervisor_fails_no_job(start: Start, tmp_path: Path) -> None:
    """Not the one that was begun, nor those in the queue, nor those that come meanwhile."""
    pool, runs = start(), tmp_path / "runs"
    first = supervisor_of(pool)
    outcomes: list[object] = []

    def ask(*how: str) -> threading.Thread:
        thread = threading.Thread(target=lambda: outcomes.append(outcome_of(pool.client, *how)))
        thread.start()
        return thread

    threads = [ask("stuck once", str(runs))]
    wait_until(lambda: runs.exists() and is_computing(first), "the job")
    threads += [ask() for _ in range(2)]
    os.kill(first, signal.SIGKILL)
    threads += [ask() for _ in range(2)]
    for thread in threads:
        thread.join()
    assert outcomes == ["good"] * 5
    assert supervisor_of(pool) != first


def test_engine_processes_that_are_not_replaced_are_told_from_a_job_that_failed(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.compute.pool.RESTART_SECONDS", 0.2)
    pool = start()
    os.kill(pool._fork_server_pid, signal.SIGKILL)
    with pytest.raises(EngineUnavailableError):
        pool.client.run(BEHAVE)


def test_a_job_whose_engine_ends_is_not_repeated(start: Start, tmp_path: Path) -> None:
    pool, runs = start(), tmp_path / "runs"
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        pool.client.run(BEHAVE, "crash", str(runs))
    assert not isinstance(failure.value, EngineUnavailableError)
    assert runs.read_text() == "\n"


def test_a_supervisor_keeps_nothing_open_that_its_parent_had(start: Start, tmp_path: Path) -> None:
    with (tmp_path / "file").open("w"):
        pool = start()
        pool.client.run(BEHAVE)
        links = Path(f"/proc/{supervisor_of(pool)}/fd").iterdir()
        opened = sorted(int(link.name) for link in links)
    assert opened[:3] == [0, 1, 2]
    assert len(opened) <= 6 + 1  # the socket, what watches it, the link to the engine, a caller


def test_no_socket_is_left_behind_when_the_parent_is_killed(tmp_path: Path) -> None:
    script = f"""
import signal, sys
sys.path.insert(0, {str(ROOT)!r})
from app.compute.pool import EnginePool
from app.compute.capacity import QueueBounds
pool = EnginePool(processes=1, bounds=QueueBounds(5, 1, 1), timeout_seconds=5)
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
    pool = EnginePool(processes=1, bounds=BOUNDS, timeout_seconds=20.0)
    started = []
    # The signal's handler calls the same again, in the midst of it.
    monkeypatch.setattr(pool, "is_running", lambda: bool(pool.ensure_running()))
    monkeypatch.setattr(pool, "_start", lambda: started.append(1))
    pool.ensure_running()
    assert started == [1]
