"""Engine processes, reached by a socket: a time limit for each job, even inside native code.

A fork server loads the libraries (`fork_server.py`) and forks a supervisor, which forks a few
engine processes, keeps the queue of jobs, bounded and fair across web workers, and passes each
caller's connection to a free engine (`supervisor.py`). If the supervisor is killed, its engines end
with it, and the fork server forks another one at the same address. `client.py` says which jobs are
then sent again.
"""

import contextlib
import logging
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from app.compute.capacity import QueueBounds
from app.compute.client import EngineClient
from app.compute.fork_server import serve_forks
from app.compute.forking import END_SIGNAL, run_and_exit
from app.compute.supervisor import RESTART_PAUSE_SECONDS, SupervisorSettings

logger = logging.getLogger(__name__)


class EnginePool:
    """A fork server with its supervisor and engine processes, at a fixed address.

    Args:
        processes: The number of engines, and so of concurrent jobs.
        timeout_seconds: Time limit of a job, including the wait.
        memory_mib: Memory limit of an engine in MiB; a job that needs more fails.
        load: Imports the libraries of the jobs in the fork server, so that the engines share them.
    """

    def __init__(
        self,
        *,
        processes: int,
        bounds: QueueBounds,
        timeout_seconds: float,
        memory_mib: float,
        load: Callable[[], None],
    ) -> None:
        # The folder is private, as a client of the socket can run any code.
        self._socket = Path(mkdtemp(prefix="forecast-engine-")) / "socket"
        self._settings = SupervisorSettings(processes, memory_mib, bounds)
        self._load = load
        self._fork_server_pid = 0
        self._is_starting = self._has_stopped = False
        self.client = EngineClient(str(self._socket), timeout_seconds)

    def ensure_running(self) -> None:
        """Start the fork server unless it is running; call this in a process without other threads.

        Callers can connect immediately, and wait until it has loaded the libraries. Can be called
        from a signal handler, even during another call.
        """
        if self._is_starting or self._has_stopped:
            return
        self._is_starting = True
        previous_pid = self._fork_server_pid
        try:
            if self.is_running():
                return
            if previous_pid:
                logger.error("engine fork server %d has ended; replacing it", previous_pid)
                time.sleep(RESTART_PAUSE_SECONDS)
            self._start()
        finally:
            self._is_starting = False

    def _start(self) -> None:
        self._socket.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(self._socket))
            # A backlog for callers while the supervisor waits for a core.
            listener.listen(self._settings.bounds.max_jobs)
            parent_pid = os.getpid()
            self._fork_server_pid = os.fork()
            if self._fork_server_pid == 0:
                clean_up = self._remove_socket
                run_and_exit(
                    lambda: serve_forks(listener, parent_pid, self._settings, self._load, clean_up)
                )

    def is_running(self) -> bool:
        """Return whether the fork server runs; only the process that forked it can call this."""
        if self._fork_server_pid and self._has_ended(os.WNOHANG):
            self._fork_server_pid = 0  # the system may give the id to another process
        return bool(self._fork_server_pid)

    def _has_ended(self, options: int) -> bool:
        try:
            return os.waitpid(self._fork_server_pid, options)[0] != 0
        except ChildProcessError:  # gunicorn's master waits for all children, so for this one too
            return True

    def stop(self) -> None:
        """Stop the fork server, and with it the supervisor and its engines; remove the socket."""
        self._has_stopped = True
        if self.is_running():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._fork_server_pid, END_SIGNAL)
            self._has_ended(options=0)
            self._fork_server_pid = 0
        self._remove_socket()

    def _remove_socket(self) -> None:
        self._socket.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._socket.parent.rmdir()
