"""Engine processes behind a socket: a forecast in bounded time, whatever native code does.

A few engine processes, forked from one supervisor that has the libraries loaded, accept jobs from
one Unix socket, one at a time each; the socket's backlog is the queue, so it is bounded and fair
over all web workers. An engine sets an alarm for each job and leaves its signal at the default, so
the kernel ends a process that is stuck, even inside LAPACK; the supervisor starts another, and the
caller sees its connection close. Nothing here changes a forecast: a job is computed or it fails.
"""

import contextlib
import ctypes
import logging
import math
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import mkdtemp

from app.engine.process_memory import resident_mebibytes
from app.forecasting.series import Forecast, Series

logger = logging.getLogger(__name__)

PR_SET_PDEATHSIG = 1
# Not SIGTERM: a platform that stops the service sends that to every process at once, and forecasts
# are to be finished until the web server's master has let its workers go.
END = signal.SIGUSR1
RESTART_PAUSE_SECONDS = 0.2
RECEIVE_SECONDS = 5.0  # a caller sends its job at once

Job = tuple[Series, int, float, str]
Compute = Callable[[Series, int, float, str], Forecast]


class EngineBusyError(Exception):
    """As many jobs wait as may; nothing was computed."""


class EngineFailedError(Exception):
    """The engine did not answer: it failed, was ended, or took longer than the hard limit."""


@dataclass(frozen=True)
class EngineClient:
    """Sends jobs to the engine processes; safe to share between threads and forks.

    ``on_gone`` is called when nobody listens at ``address`` any more.
    """

    address: str
    timeout_seconds: float
    on_gone: Callable[[], None] = lambda: None

    def __call__(self, series: Series, horizon: int, confidence: float, model_id: str) -> Forecast:
        """Compute a forecast in an engine process.

        Raises:
            EngineBusyError: The queue is full.
            EngineFailedError: There is no answer within the hard limit, waiting included.
        """
        deadline = time.monotonic() + self.timeout_seconds
        with self._connect() as connection:
            try:
                connection.send((deadline, (series, horizon, confidence, model_id)))
                if not connection.poll(max(0.0, deadline - time.monotonic())):
                    raise EngineFailedError(f"no forecast within {self.timeout_seconds:g} s")
                answer = connection.recv()
            except (EOFError, OSError) as error:
                raise EngineFailedError("the engine process ended") from error
        if isinstance(answer, Forecast):
            return answer
        raise EngineFailedError(answer)

    def _connect(self) -> Connection:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.setblocking(False)
            link.connect(self.address)
            link.setblocking(True)
        except BlockingIOError:
            link.close()
            raise EngineBusyError("too many forecasts are waiting") from None
        except OSError as error:
            link.close()
            self.on_gone()
            raise EngineFailedError("no engine process can be reached") from error
        return Connection(link.detach())


class EnginePool:
    """A supervisor with its engine processes, at an address that stays the same.

    Args:
        compute: What an engine does with a job.
        processes: Engines, and so forecasts computed at once.
        queue: Jobs that may wait for an engine.
        timeout_seconds: Hard limit of a job, waiting included.
        memory_mb: MiB above which an engine ends after its job, for a fresh one to take over.
        on_gone: What a client does when it finds the supervisor gone.
        on_fork: What the supervisor does first, to let go of what it got from the parent.
    """

    def __init__(
        self,
        compute: Compute,
        *,
        processes: int,
        queue: int,
        timeout_seconds: float,
        memory_mb: float = math.inf,
        on_gone: Callable[[], None] = lambda: None,
        on_fork: Callable[[], None] = lambda: None,
    ) -> None:
        # Only this user may enter the folder: who can connect can make an engine run anything.
        self._socket = Path(mkdtemp(prefix="forecast-engine-")) / "socket"
        self._compute = compute
        self._processes = processes
        self._queue = queue
        self._memory_mb = memory_mb
        self._on_fork = on_fork
        self._supervisor_pid = 0
        self.client = EngineClient(str(self._socket), timeout_seconds, on_gone)

    def ensure_running(self) -> None:
        """Fork the supervisor unless it runs; call it from a process without other threads."""
        if self._is_running():
            return
        self._socket.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(self._socket))
            listener.listen(self._queue)
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
        """End the supervisor and its engines, and remove the socket."""
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
        self._on_fork()
        signal.signal(END, end)
        _end_with_parent(parent_pid)
        supervisor_pid = os.getpid()
        while True:
            while len(engines) < self._processes:
                pid = os.fork()
                if pid == 0:
                    _reset_signals()
                    _end_with_parent(supervisor_pid)
                    _run_and_exit(lambda: _serve(self._compute, listener, self._memory_mb))
                engines.add(pid)
            pid, status = os.wait()
            engines.discard(pid)
            if status != 0:
                logger.error("engine process %d ended with status %d; replacing it", pid, status)
                time.sleep(RESTART_PAUSE_SECONDS)


def _run_and_exit(work: Callable[[], None]) -> None:
    """Run ``work`` as the whole life of this forked process, past no code of the parent's."""
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        logger.exception("an engine process failed")
    finally:
        os._exit(status)


def _end_with_parent(parent_pid: int) -> None:
    """Ask the kernel (Linux) for END when the parent has gone; it may have gone already."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, END)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), END)


def _reset_signals() -> None:
    """Undo the handlers inherited from the web server's master."""
    for name in ("SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGALRM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGWINCH", "SIGTTIN", "SIGTTOU"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def _serve(compute: Compute, listener: socket.socket, memory_mb: float) -> None:
    held = 0.0
    while held <= memory_mb:
        link, _address = listener.accept()
        with Connection(link.detach()) as connection, contextlib.suppress(EOFError, OSError):
            _serve_one(compute, connection)
        held = resident_mebibytes()
    logger.info("engine process %d holds %.0f MiB; replacing it", os.getpid(), held)


def _serve_one(compute: Compute, connection: Connection) -> None:
    signal.setitimer(signal.ITIMER_REAL, RECEIVE_SECONDS)
    deadline, job = connection.recv()
    left = deadline - time.monotonic()
    if left <= 0 or connection.poll(0):
        return  # the caller has given up; poll tells of its closed connection
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        answer: Forecast | str = compute(*job)
    except Exception as error:
        logger.exception("forecast failed")
        answer = f"{type(error).__name__} in the engine"
    signal.setitimer(signal.ITIMER_REAL, 0)
    connection.send(answer)
