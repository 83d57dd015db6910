"""Engine processes: a forecast in bounded time, whatever native code does."""

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

from app.engine.pool import EngineBusyError, EngineFailedError, EnginePool
from app.forecasting.calendar.fit import fit_calendar
from app.forecasting.calendar.frequency import Frequency
from app.forecasting.forecast import forecast
from app.forecasting.series import Forecast, Series
from tests.support.server import ROOT
from tests.support.services import children, wait_until

Start = Callable[..., EnginePool]

VALUES = np.arange(20.0)
DAYS = Series(
    VALUES, fit_calendar(np.datetime64("2024-01-01", "s") + 86_400 * np.arange(20), Frequency.DAILY)
)


def stuck_in_native_code() -> None:
    """A regular expression that takes years and lets no Python signal handler run."""
    re.match(r"(a+)+$", "a" * 60 + "b")


def compute(series: Series, horizon: int, confidence: float, model_id: str) -> Forecast:
    """An engine whose model id says how it misbehaves."""
    if model_id == "stuck":
        stuck_in_native_code()
    if model_id == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if model_id == "raise":
        raise ZeroDivisionError
    return forecast(series, horizon, confidence, "forecast-model-2")


@pytest.fixture
def start() -> Iterator[Start]:
    pools = []

    def start(**options: float) -> EnginePool:
        settings = {"processes": 1, "queue": 8, "timeout_seconds": 20.0} | options
        pools.append(EnginePool(compute, **settings))
        pools[-1].ensure_running()
        return pools[-1]

    yield start
    for pool in pools:
        pool.stop()


def test_a_pooled_forecast_equals_the_direct_one(start: Start) -> None:
    pooled = start().client(DAYS, 5, 0.9, "forecast-model-2")
    direct = forecast(DAYS, 5, 0.9, "forecast-model-2")
    assert pooled.timestamps == direct.timestamps
    assert np.array_equal(pooled.median, direct.median)


@pytest.mark.parametrize("misbehaviour", ["stuck", "crash", "raise"])
def test_the_engine_serves_on_after_a_job_that_hangs_crashes_or_raises(
    start: Start, misbehaviour: str
) -> None:
    client = start(timeout_seconds=1.0).client
    with pytest.raises(EngineFailedError):
        client(DAYS, 5, 0.9, misbehaviour)
    for _attempt in range(20):  # a new process needs a moment
        try:
            assert len(client(DAYS, 5, 0.9, "good").median) == 5
            return
        except EngineFailedError:
            continue
    pytest.fail("no engine came back")


def test_more_jobs_than_the_queue_holds_are_refused_at_once(start: Start) -> None:
    client = start(queue=1, timeout_seconds=3.0).client
    outcomes: list[str] = []

    def ask() -> None:
        try:
            client(DAYS, 5, 0.9, "stuck")
        except EngineBusyError:
            outcomes.append("busy")
        except EngineFailedError:
            outcomes.append("failed")

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
        assert len(pool.client(DAYS, 5, 0.9, "good").median) == 5
    wait_until(lambda: bool(set(children(pool._supervisor_pid)) - seen), "another engine")


def test_engines_end_with_the_pool(start: Start) -> None:
    pool = start()
    pool.client(DAYS, 5, 0.9, "good")
    pool.stop()
    with pytest.raises(EngineFailedError):
        pool.client(DAYS, 5, 0.9, "good")


def test_a_killed_supervisor_is_told_of_and_replaced_at_the_same_address(start: Start) -> None:
    told: list[bool] = []
    pool = start(on_gone=lambda: told.append(True))
    os.kill(pool._supervisor_pid, signal.SIGKILL)
    os.waitpid(pool._supervisor_pid, 0)
    for _attempt in range(100):  # its engines end a moment after it
        try:
            pool.client(DAYS, 5, 0.9, "good")
        except EngineFailedError:
            if told:
                break
    assert told
    pool.ensure_running()
    assert len(pool.client(DAYS, 5, 0.9, "good").median) == 5


def test_no_socket_is_left_behind_when_the_parent_is_killed(tmp_path: Path) -> None:
    script = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from tests.engine.test_pool import EnginePool, compute
pool = EnginePool(compute, processes=1, queue=1, timeout_seconds=5)
pool.ensure_running()
print(pool.client.address, flush=True)
time.sleep(60)
"""
    command = [sys.executable, "-c", script]
    environ = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        address = Path(parent.stdout.readline().strip())
        assert address.exists()
        parent.kill()
    wait_until(lambda: not address.parent.exists(), "the end of the socket")
