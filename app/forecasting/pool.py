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
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import mkdtemp

from app.forecasting.series import Forecast, Series

logger = logging.getLogger(__name__)

PR_SET_PDEATHSIG = 1
RESTART_PAUSE_SECONDS = 0.2
RECEIVE_SECONDS = 5.0  # a caller sends its job at once
JOBS_PER_ENGINE = 5_000  # then a fresh process takes over, so that no leak can add up

Job = tuple[Series, int, float, str]
Compute = Callable[[Series, int, float, str], Forecast]


class EngineBusyError(Exception):
    """As many jobs wait as may; nothing was computed."""


class EngineFailedError(Exception):
    """The engine did not answer: it failed, was ended, or took longer than the hard limit."""


@dataclass(frozen=True)
class EngineClient:
    """Sends jobs to the engine processes; safe to share between threads and forks."""

    address: str
    timeout_seconds: float

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
            raise EngineFailedError("no engine process can be reached") from error
        return Connection(link.detach())


@dataclass(frozen=True)
class EnginePool:
    """A running supervisor and its engine processes."""

    supervisor_pid: int
    client: EngineClient

    def stop(self) -> None:
        """End the supervisor and its engines, and remove the socket."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.supervisor_pid, signal.SIGTERM)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.supervisor_pid, 0)
        Path(self.client.address).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            Path(self.client.address).parent.rmdir()


def start_pool(
    compute: Compute, *, processes: int, queue: int, timeout_seconds: float
) -> EnginePool:
    """Fork a supervisor with ``processes`` engines; call it before any thread is started.

    Args:
        compute: What an engine does with a job.
        processes: Engines, and so forecasts computed at once.
        queue: Jobs that may wait for an engine.
        timeout_seconds: Hard limit of a job, waiting included.
    """
    address = str(Path(mkdtemp(prefix="forecast-engine-")) / "socket")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(queue)
    supervisor_pid = os.fork()
    if supervisor_pid == 0:
        _end_with_parent()
        _run_and_exit(lambda: _supervise(compute, listener, processes))
    listener.close()
    return EnginePool(supervisor_pid, EngineClient(address, timeout_seconds))


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


def _end_with_parent() -> None:
    """Ask the kernel (Linux) to end this process when its parent has gone."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _supervise(compute: Compute, listener: socket.socket, processes: int) -> None:
    engines: set[int] = set()

    def end(_signal: int, _frame: object) -> None:
        for pid in engines:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        os._exit(0)

    _reset_signals()
    signal.signal(signal.SIGTERM, end)
    while True:
        while len(engines) < processes:
            pid = os.fork()
            if pid == 0:
                _reset_signals()
                _end_with_parent()
                _run_and_exit(lambda: _serve(compute, listener))
            engines.add(pid)
        pid, status = os.wait()
        engines.discard(pid)
        if status != 0:
            logger.error("engine process %d ended with status %d; starting another", pid, status)
            time.sleep(RESTART_PAUSE_SECONDS)


def _reset_signals() -> None:
    """Undo the handlers inherited from the web server's master."""
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGALRM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    for name in ("SIGINT", "SIGHUP", "SIGWINCH", "SIGTTIN", "SIGTTOU"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def _serve(compute: Compute, listener: socket.socket) -> None:
    for _job in range(JOBS_PER_ENGINE):
        link, _address = listener.accept()
        with Connection(link.detach()) as connection, contextlib.suppress(EOFError, OSError):
            _serve_one(compute, connection)


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
