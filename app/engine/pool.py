"""Engine processes behind a socket: a time limit for each job, even inside native code.

A supervisor with the libraries loaded forks a few engine processes. They accept jobs from one Unix
socket, each one job at a time; the backlog of the socket is the queue, which is bounded and fair
across web workers. An engine sets an alarm for each job without handling its signal, so the kernel
ends a process that is stuck, even inside LAPACK; the supervisor starts another one, and the
caller's connection closes. If the supervisor is killed, its engines end with it, and the web
server's master starts another one at the same address; callers wait for it and send their jobs
again, which only compute. A job whose engine ended by itself is not repeated: it may be the cause.
"""

import contextlib
import ctypes
import logging
import math
import os
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from app.engine import jobs
from app.engine.jobs import Job
from app.engine.process_memory import resident_mebibytes

logger = logging.getLogger(__name__)

PR_SET_PDEATHSIG = 1
# Not SIGTERM: platforms send that to all processes when they stop the service, but jobs must be
# finished until the web server's master has stopped its workers.
END = signal.SIGUSR1
RESTART_PAUSE_SECONDS = 0.2
RESTART_SECONDS = 5.0  # until another supervisor has taken over
RESTART_LOOK_SECONDS = 0.05
ENDING_SECONDS = 1.0  # until a killed supervisor, whose engines have ended, is seen to have ended
RECEIVE_SECONDS = 5.0  # callers send their job immediately


class EngineBusyError(Exception):
    """The queue of jobs is full; nothing was computed."""


class EngineFailedError(Exception):
    """The engine gave no result: it failed, was ended or exceeded the time limit."""


class EngineAwayError(EngineFailedError):
    """No engine could be reached, or its supervisor was killed; the job may be sent again later."""


class _SupervisorEndedError(Exception):
    """The supervisor has ended; the next one must be sent the job."""


@dataclass(frozen=True)
class EngineClient:
    """Sends jobs to the engine processes; can be shared between threads and forks."""

    address: str
    timeout_seconds: float

    def run(self, job: Job, *arguments: Any) -> Any:
        """Run ``job`` in an engine process; return the result of its function.

        Raises:
            EngineBusyError: The queue is full.
            EngineAwayError: The supervisor was killed and has not been replaced in time.
            EngineFailedError: There is no result within the time limit, including the wait.
        """
        deadline = time.monotonic() + self.timeout_seconds
        back_by = deadline
        while True:
            try:
                done, result = self._ask(deadline, job, arguments)
            except _SupervisorEndedError as error:
                back_by = min(back_by, time.monotonic() + RESTART_SECONDS)
                if time.monotonic() >= back_by:
                    raise EngineAwayError("no engine process can be reached") from error
                time.sleep(RESTART_LOOK_SECONDS)
                continue
            if done:
                return result
            raise EngineFailedError(result)

    def _ask(self, deadline: float, job: Job, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        connection, supervisor_pid = self._connect()
        with connection:
            try:
                connection.send((deadline, job, arguments))
                if not connection.poll(max(0.0, deadline - time.monotonic())):
                    raise EngineFailedError(f"no {job.noun} within {self.timeout_seconds:g} s")
                outcome: tuple[bool, Any] = connection.recv()
            except (BrokenPipeError, ConnectionResetError) as error:
                # While the job is unread, the kernel reports a reset; after that, end of file.
                raise _SupervisorEndedError from error
            except (EOFError, OSError) as error:
                if _has_ended(supervisor_pid):
                    raise _SupervisorEndedError from error
                raise EngineFailedError("the engine process ended") from error
        return outcome

    def _connect(self) -> tuple[Connection, int]:
        """Return a connection to the engines, and the id of their supervisor."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.setblocking(False)
            link.connect(self.address)
            link.setblocking(True)
        except BlockingIOError:
            link.close()
            raise EngineBusyError("too many jobs are waiting") from None
        except OSError as error:
            link.close()
            raise _SupervisorEndedError from error
        supervisor_pid = _listener_pid(link)
        return Connection(link.detach()), supervisor_pid


def _listener_pid(link: socket.socket) -> int:
    """Return the process that listens at the other end; 0 if the system is not Linux."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    ids = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid: int = struct.unpack("3i", ids)[0]
    return pid


def _has_ended(pid: int) -> bool:
    """Return whether a process ends soon, or has; its engines end a moment before it is gone."""
    until = time.monotonic() + ENDING_SECONDS
    while pid and time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(RESTART_LOOK_SECONDS)
    return False


class EnginePool:
    """A supervisor with its engine processes, at a fixed address.

    Args:
        processes: The number of engines, and so of concurrent jobs.
        queue: The number of jobs that may wait for an engine.
        timeout_seconds: Time limit of a job, including the wait.
        memory_mb: Memory in MiB above which an engine is replaced after its job.
    """

    def __init__(
        self,
        *,
        processes: int,
        queue: int,
        timeout_seconds: float,
        memory_mb: float = math.inf,
    ) -> None:
        # Only this user may access the folder: a client of the socket can run any code.
        self._socket = Path(mkdtemp(prefix="forecast-engine-")) / "socket"
        self._processes = processes
        self._queue = queue
        self._memory_mb = memory_mb
        self._supervisor_pid = 0
        self._changing = False
        self.client = EngineClient(str(self._socket), timeout_seconds)

    def ensure_running(self) -> None:
        """Fork the supervisor unless it is running; call this in a process without other threads.

        May be called from a signal handler, also during another call.
        """
        if self._changing:
            return
        self._changing = True
        try:
            if self._is_running():
                return
            if self._supervisor_pid:
                logger.error("engine supervisor %d has ended; replacing it", self._supervisor_pid)
                time.sleep(RESTART_PAUSE_SECONDS)
            self._start()
        finally:
            self._changing = False

    def _start(self) -> None:
        self._socket.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(self._socket))
            parent_pid = os.getpid()
            self._supervisor_pid = os.fork()
            if self._supervisor_pid == 0:
                _run_and_exit(lambda: self._supervise(listener, parent_pid))

    def _is_running(self) -> bool:
        if not self._supervisor_pid:
            return False
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._supervisor_pid, os.WNOHANG)
        try:
            os.kill(self._supervisor_pid, 0)
        except ProcessLookupError:
            return False
        return True

    def stop(self) -> None:
        """Stop the supervisor and its engines, and remove the socket."""
        self._changing = True
        if self._is_running():
            os.kill(self._supervisor_pid, END)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._supervisor_pid, 0)
        self._remove_socket()

    def _remove_socket(self) -> None:
        self._socket.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._socket.parent.rmdir()

    def _supervise(self, listener: socket.socket, parent_pid: int) -> None:
        engines: set[int] = set()

        def end(_signal: int, _frame: object) -> None:
            for pid in engines:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, END)
            if os.getppid() != parent_pid:  # the parent was killed and could not clean up
                self._remove_socket()
            os._exit(0)

        _reset_signals()
        _close_all_but(listener.fileno())
        signal.signal(END, end)
        _end_with_parent(parent_pid)
        listener.listen(self._queue)  # here, so that callers are told this process's id
        supervisor_pid = os.getpid()
        while True:
            while len(engines) < self._processes:
                pid = os.fork()
                if pid == 0:
                    _reset_signals()
                    _end_with_parent(supervisor_pid)
                    _run_and_exit(lambda: _serve(listener, self._memory_mb))
                engines.add(pid)
            pid, status = os.wait()
            engines.discard(pid)
            if status != 0:
                logger.error("engine process %d ended with status %d; replacing it", pid, status)
                time.sleep(RESTART_PAUSE_SECONDS)


def _run_and_exit(work: Callable[[], None]) -> None:
    """Run ``work`` in this forked process and exit, without running code of the parent."""
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        logger.exception("an engine process failed")
    finally:
        os._exit(status)


def _end_with_parent(parent_pid: int) -> None:
    """Ask the kernel (Linux) to send END when the parent ends, or end now if it has."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, END)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), END)


def _reset_signals() -> None:
    """Reset the signal handlers inherited from the web server's master."""
    for name in ("SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGALRM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGWINCH", "SIGTTIN", "SIGTTOU"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def _close_all_but(kept: int) -> None:
    """Close file descriptors inherited from the parent, except the standard streams."""
    for link in list(Path("/dev/fd").iterdir()):
        if int(link.name) not in (0, 1, 2, kept):
            with contextlib.suppress(OSError):  # the descriptor that listed the folder
                os.close(int(link.name))


def _serve(listener: socket.socket, memory_mb: float) -> None:
    held = 0.0
    while held <= memory_mb:
        link, _address = listener.accept()
        with Connection(link.detach()) as connection, contextlib.suppress(EOFError, OSError):
            _serve_one(connection)
        held = resident_mebibytes()
    logger.info("engine process %d holds %.0f MiB; replacing it", os.getpid(), held)


def _serve_one(connection: Connection) -> None:
    signal.setitimer(signal.ITIMER_REAL, RECEIVE_SECONDS)
    deadline, job, arguments = connection.recv()
    left = deadline - time.monotonic()
    if left <= 0 or connection.poll(0):
        return  # the caller has given up and closed the connection
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        outcome: tuple[bool, Any] = True, jobs.do(job, *arguments)
    except Exception as error:
        logger.exception("%s failed", job.noun)
        outcome = False, f"{type(error).__name__} in the engine"
    signal.setitimer(signal.ITIMER_REAL, 0)
    connection.send(outcome)
