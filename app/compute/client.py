"""Send jobs to the engine processes, and wait for their results.

If the supervisor is killed, callers wait for the next one and send their jobs again, which have no
side effects. A job whose engine crashed is not retried, as it may be the cause.
"""

import math
import os
import socket
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from app.compute.errors import (
    CallerTimeoutError,
    EngineBusyError,
    EngineFailedError,
    EngineMemoryError,
    EngineUnavailableError,
)
from app.compute.jobs import Cost, Job
from app.compute.process import JobEnd
from app.compute.queue import AdmissionDecision, AdmissionRequest

SUPERVISOR_RESTART_SECONDS = 5.0  # the time that a caller waits for a new supervisor
_RESTART_POLL_SECONDS = 0.05
_ENDING_SECONDS = 1.0  # a killed supervisor may end slightly later than its engines
MIN_WAIT_SECONDS = 1.0  # a job over its time limit that waited this long is reported as busy
_ALARM_SECONDS = 0.1  # a job's alarm may end its engine this much before its caller gives up


class _SupervisorEndedError(Exception):
    """The supervisor has ended; the job must be sent to the next one."""


@dataclass(frozen=True)
class EngineClient:
    """Sends jobs to the engine processes; can be shared between threads and forks."""

    address: str
    timeout_seconds: float

    def run(
        self,
        job: Job,
        *arguments: Any,
        cost: Cost | None = None,
        timeout_seconds: float | None = None,
        tenant: str = "",
    ) -> Any:
        """Run ``job`` in an engine process; return the result of its function.

        ``timeout_seconds`` can lower the time limit, which includes the wait; ``tenant`` is named
        as in `app.compute.jobs`.

        Raise EngineBusyError, also if the job waited and ran out of time; EngineMemoryError,
        CallerTimeoutError, EngineUnavailableError or another EngineFailedError.
        """
        slot = QueueSlot(self, 0, tenant)
        return slot.run(job, *arguments, cost=cost or job.cost(0), timeout_seconds=timeout_seconds)

    def acquire_slot(self, cost: Cost, size_bytes: int, tenant: str = "") -> "QueueSlot":
        """Reserve a slot in the queue for one job, before its request has been read.

        Raise EngineBusyError if too many jobs are waiting.
        """
        slot = QueueSlot(self, size_bytes, tenant)
        slot.acquire(cost)
        return slot

    def expected_wait_seconds(self) -> float | None:
        """Return the expected wait of a new job in seconds; None without a supervisor."""
        try:
            with self.connect() as connection:
                connection.send(None)
                wait_seconds: float = _receive(
                    connection, time.monotonic() + SUPERVISOR_RESTART_SECONDS
                )
        except (_SupervisorEndedError, EngineBusyError, EOFError, OSError):
            return None
        return wait_seconds

    def connect(self) -> Connection:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.setblocking(False)
            link.connect(self.address)
            link.setblocking(True)
        except BlockingIOError:
            link.close()
            raise EngineBusyError from None
        except OSError as error:
            link.close()
            raise _SupervisorEndedError from error
        return Connection(link.detach())


class QueueSlot:
    """A slot in the queue for one job; it is bound to a connection."""

    def __init__(self, client: EngineClient, size_bytes: int, tenant: str) -> None:
        self._client = client
        self._size_bytes = size_bytes
        self._tenant = tenant
        self._connection: Connection | None = None
        self._supervisor_pid = 0
        self._begun_at = math.inf

    def acquire(self, cost: Cost) -> None:
        """Reserve the slot; without a supervisor, `run` reserves it later."""
        try:
            self._request_slot(cost, time.monotonic() + SUPERVISOR_RESTART_SECONDS, is_ready=False)
        except (_SupervisorEndedError, TimeoutError):
            self.release()
        except EngineBusyError:
            self.release()
            raise

    def release(self) -> None:
        """Release the slot; another one is at the end of the queue."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def run(
        self, job: Job, *arguments: Any, cost: Cost, timeout_seconds: float | None = None
    ) -> Any:
        requested_at = time.monotonic()
        max_seconds = self._client.timeout_seconds
        if timeout_seconds is not None:
            max_seconds = min(max_seconds, timeout_seconds)
        deadline = retry_until = requested_at + max_seconds
        while True:
            try:
                end, outcome = self._run_once(deadline, cost, job, arguments)
            except TimeoutError:
                waited = min(self._begun_at - requested_at, max_seconds)
                if waited >= min(MIN_WAIT_SECONDS, max_seconds):
                    raise EngineBusyError(waited) from None
                error_class = EngineFailedError if timeout_seconds is None else CallerTimeoutError
                raise error_class(f"no {job.noun} within {max_seconds:g} s") from None
            except _SupervisorEndedError as error:
                retry_until = min(retry_until, time.monotonic() + SUPERVISOR_RESTART_SECONDS)
                if time.monotonic() >= retry_until:
                    raise EngineUnavailableError("no engine process can be reached") from error
                time.sleep(_RESTART_POLL_SECONDS)
                continue
            finally:
                self.release()
            if end is JobEnd.RESULT:
                return outcome
            if end is JobEnd.OUT_OF_MEMORY:
                raise EngineMemoryError(outcome)
            raise EngineFailedError(outcome)

    def _run_once(
        self, deadline: float, cost: Cost, job: Job, arguments: tuple[Any, ...]
    ) -> tuple[JobEnd, Any]:
        """Return how the job ended, and its outcome; raise TimeoutError after ``deadline``."""
        self._begun_at = math.inf
        connection = self._request_slot(cost, deadline, is_ready=True)
        self._begun_at = time.monotonic()
        try:
            connection.send((deadline, job, arguments))
            outcome: tuple[JobEnd, Any] = _receive(connection, deadline)
        except TimeoutError:  # an OSError, but not one of the connection
            raise
        except (EOFError, OSError) as error:
            is_late = time.monotonic() >= deadline - _ALARM_SECONDS
            if _has_ended(self._supervisor_pid):
                raise _SupervisorEndedError from error
            if is_late:
                raise TimeoutError from error
            raise EngineFailedError("the engine process ended") from error
        return outcome

    def _request_slot(self, cost: Cost, deadline: float, *, is_ready: bool) -> Connection:
        """Return the connection once the slot is reserved, or an engine begins the ready job."""
        if self._connection is None:
            self._connection = self._client.connect()
        try:
            self._connection.send(
                AdmissionRequest(cost, self._size_bytes, deadline, is_ready, self._tenant)
            )
            decision: AdmissionDecision = _receive(self._connection, deadline)
        except TimeoutError:  # an OSError, but not one of the connection
            raise
        except (EOFError, OSError) as error:
            raise _SupervisorEndedError from error
        if not decision.may_wait:
            raise EngineBusyError(decision.wait_seconds)
        self._supervisor_pid = decision.supervisor_pid
        return self._connection


def _receive(connection: Connection, deadline: float) -> Any:
    """Return the next message; raise TimeoutError if none arrives in time."""
    if not connection.poll(max(0.0, deadline - time.monotonic())):
        raise TimeoutError
    return connection.recv()


def _has_ended(pid: int) -> bool:
    """Return whether a process has ended, or does so within a moment."""
    until = time.monotonic() + _ENDING_SECONDS
    while pid and time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, PermissionError):  # PermissionError: its id has been reused
            return True
        time.sleep(_RESTART_POLL_SECONDS)
    return False
