"""Engine processes: a job in bounded time, whatever native code does."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from app.api.forecast.routes import FORECAST_JOB
from app.engine.jobs import Job
from app.engine.pool import (
    EngineAwayError,
    EngineBusyError,
    EngineClient,
    EngineFailedError,
    EnginePool,
)
from app.forecasting.calendar.fit import fit_calendar
from app.forecasting.calendar.frequency import Frequency
from app.forecasting.forecast import forecast
from app.forecasting.series import Series
from tests.support.server import ROOT
from tests.support.services import children, wait_until

Start = Callable[..., EnginePool]

VALUES = np.arange(20.0)
DAYS = Series(
    VALUES, fit_calendar(np.datetime64("2024-01-01", "s") + 86_400 * np.arange(20), Frequency.DAILY)
)


BEHAVE = Job(f"{__name__}:behave", "result")


def behave(how: str = "good", file: str = "/dev/null") -> object:
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
    return how


@pytest.fixture
def start() -> Iterator[Start]:
    pools = []

    def start(**options: float) -> EnginePool:
        settings = {"processes": 1, "queue": 8, "timeout_seconds": 20.0} | options
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


def outcome_of(client: EngineClient, *how: str) -> object:
    """What became of a job."""
    try:
        return client.run(BEHAVE, *how)
    except EngineBusyError:
        return "busy"
    except EngineFailedError:
        return "failed"


def test_more_jobs_than_the_queue_holds_are_refused_at_once(start: Start) -> None:
    client = start(queue=1, timeout_seconds=3.0).client
    outcomes: list[object] = []

    def ask() -> None:
        outcomes.append(outcome_of(client, "stuck"))

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 12
    assert 12 - 4 <= outcomes.count("busy") < 12, "one computes, two wait, the rest is refused"


def test_an_engine_over_its_memory_is_replaced_after_each_job_and_none_is_lost(
    start: Start,
) -> None:
    pool = start(memory_mb=1.0)
    seen = set()
    for _job in range(5):
        seen.update(children(pool._supervisor_pid))
        assert pool.client.run(BEHAVE) == "good"
    wait_until(lambda: bool(set(children(pool._supervisor_pid)) - seen), "another engine")


def test_engines_end_with_the_pool(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.engine.pool.RESTART_SECONDS", 0.2)
    pool = start()
    pool.client.run(BEHAVE)
    (engine,) = children(pool._supervisor_pid)
    pool.stop()
    with pytest.raises(EngineFailedError, match="no engine process can be reached"):
        pool.client.run(BEHAVE)
    wait_until(lambda: not Path(f"/proc/{engine}").exists(), "the end of the engine")
    pool.ensure_running()
    assert not pool._is_running()


def is_computing(supervisor: int) -> bool:
    """Whether an engine of a supervisor does anything."""
    stats = (Path(f"/proc/{engine}/stat").read_text().split() for engine in children(supervisor))
    return any(stat[2] == "R" for stat in stats)


def test_a_killed_supervisor_fails_no_job(start: Start, tmp_path: Path) -> None:
    """Not the one that was begun, nor those in the queue, nor those that come meanwhile."""
    pool, runs = start(), tmp_path / "runs"
    first = pool._supervisor_pid
    outcomes: list[object] = []

    def ask(*how: str) -> threading.Thread:
        thread = threading.Thread(target=lambda: outcomes.append(outcome_of(pool.client, *how)))
        thread.start()
        return thread

    threads = [ask("stuck once", str(runs))]
    wait_until(lambda: runs.exists() and is_computing(first), "the job")
    threads += [ask() for _ in range(2)]
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    threads += [ask() for _ in range(2)]
    pool.ensure_running()
    for thread in threads:
        thread.join()
    assert outcomes == ["good"] * 5
    assert pool._supervisor_pid != first


def test_a_supervisor_that_is_not_replaced_is_told_from_a_job_that_failed(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.engine.pool.RESTART_SECONDS", 0.2)
    pool = start()
    os.kill(pool._supervisor_pid, signal.SIGKILL)
    with pytest.raises(EngineAwayError):
        pool.client.run(BEHAVE)


def test_a_job_whose_engine_ends_is_not_repeated(start: Start, tmp_path: Path) -> None:
    pool, runs = start(), tmp_path / "runs"
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        pool.client.run(BEHAVE, "crash", str(runs))
    assert not isinstance(failure.value, EngineAwayError)
    assert runs.read_text() == "\n"


def test_a_supervisor_keeps_nothing_open_that_its_parent_had(start: Start, tmp_path: Path) -> None:
    with (tmp_path / "file").open("w"):
        pool = start()
        pool.client.run(BEHAVE)
        links = Path(f"/proc/{pool._supervisor_pid}/fd").iterdir()
        opened = sorted(int(link.name) for link in links)
    assert opened[:3] == [0, 1, 2]
    assert len(opened) == 4  # the socket


def test_no_socket_is_left_behind_when_the_parent_is_killed(tmp_path: Path) -> None:
    script = f"""
import signal, sys
sys.path.insert(0, {str(ROOT)!r})
from app.engine.pool import EnginePool
pool = EnginePool(processes=1, queue=1, timeout_seconds=5)
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


def test_a_signal_while_the_supervisor_is_looked_for_starts_no_second_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = EnginePool(processes=1, queue=8, timeout_seconds=20.0)
    started = []
    # The signal's handler calls the same again, in the midst of it.
    monkeypatch.setattr(pool, "_is_running", lambda: bool(pool.ensure_running()))
    monkeypatch.setattr(pool, "_start", lambda: started.append(1))
    pool.ensure_running()
    assert started == [1]
