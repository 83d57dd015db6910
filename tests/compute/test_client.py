"""Engine processes: a job in bounded time, whatever native code does."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.api.forecast.routes import FORECAST_JOB
from app.compute import client as engine_client
from app.compute.client import EngineClient
from app.compute.errors import (
    CallerTimeoutError,
    EngineBusyError,
    EngineFailedError,
    EngineUnavailableError,
)
from app.compute.jobs import Job
from app.compute.queue import AdmissionRequest
from app.forecasting.forecast import forecast
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.series import Series
from tests.compute.pools import MISBEHAVE, ConcurrentCallers, Start, open_all, outcome_of
from tests.support.services import wait_until

MISBEHAVIOURS = {
    "stuck": "no result within 2 s",
    "crash": "the engine process ended",
    "raise": "ZeroDivisionError in the engine",
}
DAYS = Series(
    np.arange(20.0),
    fit_calendar(np.datetime64("2024-01-01", "s") + 86_400 * np.arange(20), Frequency.DAILY),
)


def test_a_pooled_forecast_equals_the_direct_one(start: Start) -> None:
    pooled = start().client.run(FORECAST_JOB, DAYS, 5, 0.9, "forecast-model-2")
    direct = forecast(DAYS, 5, 0.9, "forecast-model-2")
    assert pooled.timestamps == direct.timestamps
    assert np.array_equal(pooled.median, direct.median)


@pytest.mark.parametrize("value", ["ZeroDivisionError in the engine", None, False, (False, "no")])
def test_any_value_that_a_job_returns_is_its_result(start: Start, value: object) -> None:
    assert start().client.run(MISBEHAVE, value) == value


def test_a_timed_job_comes_with_the_core_seconds_of_its_function(start: Start) -> None:
    seconds, result = start().client.run(replace(MISBEHAVE, is_timed=True), "result")
    assert result == "result"
    assert 0 < seconds < 2


def test_a_function_that_does_not_exist_is_a_failure(start: Start) -> None:
    with pytest.raises(EngineFailedError, match="ModuleNotFoundError"):
        start().client.run(Job("none:none", "result"))


@pytest.mark.parametrize("how", MISBEHAVIOURS)
def test_the_engine_serves_on_after_a_job_that_hangs_crashes_or_raises(
    start: Start, how: str
) -> None:
    client = start(timeout_seconds=2.0).client
    outcome_of(client)  # with an engine that is ready
    with pytest.raises(EngineFailedError, match=MISBEHAVIOURS[how]):
        client.run(MISBEHAVE, how)
    wait_until(lambda: outcome_of(client) == "good", "another engine")


def test_a_job_whose_engine_ends_is_not_repeated(start: Start, tmp_path: Path) -> None:
    engines, runs = start(), tmp_path / "runs"
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        engines.client.run(MISBEHAVE, "crash", str(runs))
    assert not isinstance(failure.value, EngineUnavailableError)
    assert runs.read_text() == "\n"


def test_a_supervisor_whose_id_belongs_to_another_user_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def deny(*_arguments: int) -> None:
        raise PermissionError

    monkeypatch.setattr("app.compute.client.os.kill", deny)
    assert engine_client._has_ended(1)


def test_a_job_past_its_callers_time_limit_is_distinguished_from_a_failure(start: Start) -> None:
    client = start().client
    outcome_of(client)
    with pytest.raises(CallerTimeoutError, match=r"no result within 1\.5 s"):
        client.run(MISBEHAVE, "stuck", timeout_seconds=1.5)
    with pytest.raises(EngineFailedError) as failure:
        client.run(MISBEHAVE, "crash", timeout_seconds=30.0)
    assert not isinstance(failure.value, CallerTimeoutError)


def test_a_job_that_timed_out_while_queued_may_be_sent_again(
    start: Start, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.compute.client.MIN_WAIT_SECONDS", 0.5)
    client = start().client
    other = ConcurrentCallers(client, 1, gate)
    wait_until(lambda: (client.expected_wait_seconds() or 0) > 0, "the job of somebody else")
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(client.run, MISBEHAVE, "stuck", timeout_seconds=3.0)
        wait_until(lambda: (client.expected_wait_seconds() or 0) > 1, "a second of waiting")
        wait_until(lambda: open_all(gate, other), "the end of the other job")
        with pytest.raises(EngineBusyError):
            waiting.result()


def test_without_an_expected_wait_while_a_supervisor_ends_nothing_is_raised(tmp_path: Path) -> None:
    """It accepted the connection, and ended before it sent the number: metrics leave it out."""
    address = str(tmp_path / "engine")
    with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor(1) as thread:
        listener.bind(address)
        listener.listen()

        def accept_and_end() -> None:
            connection, _ = listener.accept()
            connection.recv(1)
            connection.close()

        ended = thread.submit(accept_and_end)
        assert EngineClient(address, 5.0).expected_wait_seconds() is None
        ended.result()


def test_a_rejection_without_an_expected_wait_names_no_seconds() -> None:
    assert str(EngineBusyError()) == "too many jobs are waiting"
    assert str(EngineBusyError(3.0)) == "a job would wait for 3.0 s"


def test_a_caller_that_does_not_read_its_result_does_not_hold_the_engine(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.compute.process.SEND_SECONDS", 0.5)
    client = start().client
    with client.connect() as connection:
        deadline = time.monotonic() + 60.0
        connection.send(AdmissionRequest(MISBEHAVE.cost(0), 0, deadline, True, ""))
        assert connection.recv().may_wait
        connection.send((deadline, MISBEHAVE, ("x" * 5_000_000,)))
        assert client.run(MISBEHAVE, "good", timeout_seconds=15.0) == "good"


def test_a_job_without_any_time_left_gets_none(start: Start) -> None:
    client = start().client
    outcome_of(client)
    with pytest.raises((EngineBusyError, CallerTimeoutError)):
        client.run(MISBEHAVE, "good", timeout_seconds=0.0)
