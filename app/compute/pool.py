"""Engine processes behind a socket: a time limit for each job, even inside native code.

A fork server loads the libraries (`fork_server.py`) and forks a supervisor, which forks a few
engine processes, keeps the queue of jobs, bounded and fair across web workers, and passes each
caller's connection to a free engine (`supervisor.py`). If the supervisor is killed, its engines end
with it, and the fork server forks another one at the same address; callers wait for it and send
their jobs again, which have no side effects. A job whose engine ended by itself is not retried, as
it may be the cause.
"""

import contextlib
import logging
import math
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from app.compute.capacity import QueueBounds
from app.compute.fork_server import serve_forks
from app.compute.forking import END_SIGNAL, run_and_exit
from app.compute.jobs import Cost, Job
from app.compute.process import JobEnd
from app.compute.queue import AdmissionDecision, AdmissionRequest
from app.compute.supervisor import RESTART_PAUSE_SECONDS, Plan

logger = logging.getLogger(__name__)

RESTART_SECONDS = 5.0  # to wait for a new supervisor
RESTART_POLL_SECONDS = 0.05
ENDING_SECONDS = 1.0  # a killed supervisor may end slightly later than its engines
MIN_WAIT_SECONDS = 1.0
"""A job that has waited this long and exceeds its time limit may blame the wait."""
ALARM_SECONDS = 0.1  # by which a job's alarm may end its engine before its caller gives up


class EngineBusyError(Exception):
    """Too many jobs are waiting; ``seconds`` is the expected wait of a new one."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__(f"a job would wait for {seconds:.1f} s")
        self.seconds = seconds


class EngineFailedError(Exception):
    """The engine gave no result: it failed, was killed or exceeded the time limit."""


class EngineMemoryError(EngineFailedError):
    """The job needs more memory than an engine process may allocate, ``memory_mb`` MiB."""

    def __init__(self, memory_mb: float) -> None:
        super().__init__(f"it needs more than the {memory_mb:g} MiB of memory of an engine process")
        self.memory_mb = memory_mb


class EngineTimeoutError(EngineFailedError):
    """The job took as long as its caller lets it take, without waiting for other jobs."""


class EngineUnavailableError(EngineFailedError):
    """No engine could be reached, or its supervisor was killed; the job may be sent again later."""


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
        seconds: float | None = None,
        tenant: str = "",
    ) -> Any:
        """Run ``job`` in an engine process; return the result of its function.

        ``seconds`` can lower the time limit, which includes the wait; ``tenant`` is named as in
        `app.compute.jobs`.

        Raises:
            EngineBusyError: Too many jobs are waiting, or the job waited and ran out of time.
            EngineMemoryError: The job exceeded the memory limit.
            EngineTimeoutError: There is no result within ``seconds``.
            EngineUnavailableError: The supervisor was killed and not replaced in time.
            EngineFailedError: There is no result within the time limit.
        """
        slot = QueueSlot(self, 0, tenant)
        return slot.run(job, *arguments, cost=cost or job.cost(0), seconds=seconds)

    def acquire_slot(self, cost: Cost, size: int, tenant: str = "") -> "QueueSlot":
        """Reserve a slot in the queue for one job, before its request has been read.

        Args:
            cost: The expected cost of the job, as far as it is known.
            size: The size of its request in bytes.
            tenant: The tenant of the job.

        Raises:
            EngineBusyError: Too many jobs are waiting.
        """
        slot = QueueSlot(self, size, tenant)
        slot.acquire(cost)
        return slot

    def expected_wait_seconds(self) -> float | None:
        """Return the expected wait of a new job in seconds; None without a supervisor."""
        try:
            with self.connect() as connection:
                connection.send(None)
                seconds: float = _receive(connection, time.monotonic() + RESTART_SECONDS)
        except (_SupervisorEndedError, EngineBusyError, OSError):
            return None
        return seconds

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

    def __init__(self, client: EngineClient, size: int, tenant: str) -> None:
        self._client = client
        self._size = size
        self._tenant = tenant
        self._connection: Connection | None = None
        self._supervisor_pid = 0
        self._begun_at = math.inf

    def acquire(self, cost: Cost) -> None:
        """Reserve the slot; without a supervisor, `run` reserves it later."""
        try:
            self._request_slot(cost, time.monotonic() + RESTART_SECONDS, is_ready=False)
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

    def run(self, job: Job, *arguments: Any, cost: Cost, seconds: float | None = None) -> Any:
        """Run ``job``, as `EngineClient.run`."""
        asked_at = time.monotonic()
        limit = min(self._client.timeout_seconds, seconds or math.inf)
        deadline = retry_until = asked_at + limit
        while True:
            try:
                end, outcome = self._run_once(deadline, cost, job, arguments)
            except TimeoutError:
                waited = min(self._begun_at - asked_at, limit)
                if waited >= min(MIN_WAIT_SECONDS, limit):
                    raise EngineBusyError(waited) from None
                kind = EngineTimeoutError if seconds is not None else EngineFailedError
                raise kind(f"no {job.noun} within {limit:g} s") from None
            except _SupervisorEndedError as error:
                retry_until = min(retry_until, time.monotonic() + RESTART_SECONDS)
                if time.monotonic() >= retry_until:
                    raise EngineUnavailableError("no engine process can be reached") from error
                time.sleep(RESTART_POLL_SECONDS)
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
            is_late = time.monotonic() >= deadline - ALARM_SECONDS
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
                AdmissionRequest(cost, self._size, deadline, is_ready, self._tenant)
            )
            decision: AdmissionDecision = _receive(self._connection, deadline)
        except TimeoutError:  # an OSError, but not one of the connection
            raise
        except (EOFError, OSError) as error:
            raise _SupervisorEndedError from error
        if not decision.may_wait:
            raise EngineBusyError(decision.seconds)
        self._supervisor_pid = decision.supervisor_pid
        return self._connection


def _receive(connection: Connection, deadline: float) -> Any:
    """Return the next message; raise TimeoutError if none arrives in time."""
    if not connection.poll(max(0.0, deadline - time.monotonic())):
        raise TimeoutError
    return connection.recv()


def _has_ended(pid: int) -> bool:
    """Return whether a process has ended, or does so within a moment."""
    until = time.monotonic() + ENDING_SECONDS
    while pid and time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(RESTART_POLL_SECONDS)
    return False


class EnginePool:
    """A fork server with its supervisor and engine processes, at a fixed address.

    Args:
        processes: The number of engines, and so of concurrent jobs.
        bounds: The bounds of the queue.
        timeout_seconds: Time limit of a job, including the wait.
        memory_mb: Memory limit of an engine in MiB; a job that needs more fails.
        load: Imports the libraries of the jobs in the fork server, so that the engines share them.
    """

    def __init__(
        self,
        *,
        processes: int,
        bounds: QueueBounds,
        timeout_seconds: float,
        memory_mb: float = math.inf,
        load: Callable[[], None] = lambda: None,
    ) -> None:
        # The folder is private, as a client of the socket can run any code.
        self._socket = Path(mkdtemp(prefix="forecast-engine-")) / "socket"
        self._plan = Plan(processes, memory_mb, bounds)
        self._load = load
        self._fork_server_pid = 0
        self._is_changing = self._has_stopped = False
        self.client = EngineClient(str(self._socket), timeout_seconds)

    def ensure_running(self) -> None:
        """Start the fork server unless it is running; call this in a process without other threads.

        Callers can connect immediately, and wait until it has loaded the libraries. Can be called
        from a signal handler, even during another call.
        """
        if self._is_changing or self._has_stopped:
            return
        self._is_changing = True
        try:
            if self.is_running():
                return
            if self._fork_server_pid:
                logger.error("engine fork server %d has ended; replacing it", self._fork_server_pid)
                time.sleep(RESTART_PAUSE_SECONDS)
            self._start()
        finally:
            self._is_changing = False

    def _start(self) -> None:
        self._socket.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(self._socket))
            # A backlog for callers while the supervisor waits for a core.
            listener.listen(self._plan.bounds.jobs)
            parent_pid = os.getpid()
            self._fork_server_pid = os.fork()
            if self._fork_server_pid == 0:
                clean_up = self._remove_socket
                run_and_exit(
                    lambda: serve_forks(listener, parent_pid, self._plan, self._load, clean_up)
                )

    def is_running(self) -> bool:
        """Return whether the fork server runs; only the process that forked it can call this."""
        if not self._fork_server_pid:
            return False
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._fork_server_pid, os.WNOHANG)
        try:
            os.kill(self._fork_server_pid, 0)
        except ProcessLookupError:
            return False
        return True

    def stop(self) -> None:
        """Stop the fork server, and with it the supervisor and its engines; remove the socket."""
        self._has_stopped = True
        if self.is_running():
            os.kill(self._fork_server_pid, END_SIGNAL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._fork_server_pid, 0)
        self._remove_socket()

    def _remove_socket(self) -> None:
        self._socket.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._socket.parent.rmdir()
