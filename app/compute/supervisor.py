"""The supervisor of the engine processes: forks them, keeps the queue, assigns the jobs.

It accepts the callers' connections. A caller sends the expected cost of its job, and receives a
decision whether it may wait; when an engine is free, the supervisor passes the connection to it, so
that jobs and results never pass through here. It keeps a copy until the job ends, to report an
aborted engine. A slot is bound to a connection: when a process is killed, the kernel closes its
connections, which frees their slots.
"""

import contextlib
import itertools
import logging
import math
import os
import selectors
import signal
import socket
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

from app.compute import process
from app.compute.capacity import QueueBounds
from app.compute.forking import END_SIGNAL, run_and_exit, set_up_fork
from app.compute.process_memory import resident_mebibytes
from app.compute.queue import AdmissionDecision, JobQueue

logger = logging.getLogger(__name__)

# Rejections beyond a burst are sent at this rate per engine, unless they and the queue together
# reach the maximum number of jobs. Until then they occupy connections of the node: nginx finds none
# free, and rejects further requests itself.
REJECTION_BURST, REJECTIONS_PER_SECOND = 100, 40
_OVERDUE_SEARCH_SECONDS = 1.0  # between searches for overdue jobs
RESTART_PAUSE_SECONDS = 0.2  # so that engines which end as they start do not keep a core busy
# A buffer that doubles cannot grow once it fills half of the memory that an engine may allocate.
_MIN_FULL_FRACTION = 0.5


@dataclass(frozen=True)
class SupervisorSettings:
    """How many engines a supervisor keeps, each of at most ``memory_mib``, and for which queue."""

    processes: int
    memory_mib: float
    bounds: QueueBounds


def supervise(listener: socket.socket, parent_pid: int, settings: SupervisorSettings) -> None:
    """Serve callers of ``listener`` until `END_SIGNAL`, which the parent's end causes, too."""
    supervisor = _Supervisor(listener, settings)

    def exit_on_signal(_signal: int, _frame: object) -> None:
        supervisor.end_engines()
        os._exit(0)

    set_up_fork(listener.fileno(), parent_pid, exit_on_signal)
    supervisor.serve()


@dataclass
class _Engine:
    """An engine process: the link to it, its initial memory, the caller of its job."""

    link: socket.socket
    initial_mib: float
    caller: Connection | None = None


class _Supervisor:
    def __init__(self, listener: socket.socket, settings: SupervisorSettings) -> None:
        self._listener = listener
        self._settings = settings
        self._queue: JobQueue[Connection] = JobQueue(settings.processes, settings.bounds)
        self._engines: dict[int, _Engine] = {}  # keys: process ids
        self._free: list[int] = []
        self._next_fork_at = 0.0
        self._next_poll_at = 0.0
        self._last_due = 0.0
        self._rejected: dict[Connection, tuple[float, AdmissionDecision]] = {}

    def end_engines(self) -> None:
        for pid in self._engines:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, END_SIGNAL)

    def serve(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        while True:
            now = time.monotonic()
            while len(self._engines) < self._settings.processes and now >= self._next_fork_at:
                self._fork_engine()
            if now >= self._next_poll_at:
                self._next_poll_at = now + _OVERDUE_SEARCH_SECONDS
                self._reject_all(self._queue.find_overdue(now))
            self._assign_jobs(now)
            self._send_rejections(now)
            for key, _events in self._selector.select(self._idle_seconds(now)):
                key.data()

    def _idle_seconds(self, now: float) -> float:
        """Return the seconds until the next task that no connection triggers."""
        times = [now + _OVERDUE_SEARCH_SECONDS]
        if len(self._engines) < self._settings.processes:
            times.append(self._next_fork_at)
        times += [due for due, _ in itertools.islice(self._rejected.values(), 1)]
        return max(0.0, min(times) - now)

    # Callers

    def _accept(self) -> None:
        try:
            link, _address = self._listener.accept()
        except (ConnectionError, BlockingIOError):  # the caller has gone
            return
        except OSError:  # no file descriptor is left; the listener stays ready
            logger.exception("no connection of a caller can be accepted; trying again")
            time.sleep(RESTART_PAUSE_SECONDS)
            return
        link.setblocking(True)
        caller = Connection(link.detach())
        self._selector.register(caller, selectors.EVENT_READ, lambda: self._receive_request(caller))

    def _receive_request(self, caller: Connection) -> None:
        try:
            request = caller.recv()
            now = time.monotonic()
            if request is None:  # `expected_wait_seconds` of `client.py`
                caller.send(self._queue.expected_wait_seconds(now))
                return
            decision, evicted = self._queue.admit(caller, request, now)
            self._reject_all(evicted)
            if not decision.may_wait:
                self._reject(caller, decision.wait_seconds)
            elif not request.is_ready:
                caller.send(decision)
        except (EOFError, OSError):
            self._disconnect(caller)

    def _reject_all(self, rejected: list[tuple[Connection, float]]) -> None:
        for caller, seconds in rejected:
            self._reject(caller, seconds)

    def _reject(self, caller: Connection, seconds: float) -> None:
        self._queue.release(caller)
        due = 0.0
        if len(self._rejected) + len(self._queue) < self._settings.bounds.max_jobs:
            pause = 1 / (REJECTIONS_PER_SECOND * self._settings.processes)
            due = max(self._last_due + pause, time.monotonic() - REJECTION_BURST * pause)
            self._last_due = due
        self._rejected[caller] = due, AdmissionDecision(False, seconds)

    def _send_rejections(self, now: float) -> None:
        for caller, (due, decision) in list(self._rejected.items()):
            if due <= now:
                with contextlib.suppress(OSError):
                    caller.send(decision)
                self._disconnect(caller)

    def _disconnect(self, caller: Connection) -> None:
        self._queue.release(caller)
        self._rejected.pop(caller, None)
        self._selector.unregister(caller)
        caller.close()

    # Engines

    def _assign_jobs(self, now: float) -> None:
        while self._free and (caller := self._queue.begin_job(self._free[0], now)) is not None:
            engine = self._engines[self._free.pop(0)]
            with contextlib.suppress(OSError):  # it was killed, which `_receive_report` notices
                socket.send_fds(engine.link, [process.JOB_MESSAGE], [caller.fileno()])
            self._selector.unregister(caller)
            engine.caller = caller

    def _fork_engine(self) -> None:
        supervisor_pid = os.getpid()
        link, engine_link = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            set_up_fork(engine_link.fileno(), supervisor_pid)
            run_and_exit(lambda: process.serve_jobs(engine_link, self._settings.memory_mib))
        engine_link.close()
        self._engines[pid] = _Engine(link, resident_mebibytes(pid))
        self._free.append(pid)
        self._selector.register(link, selectors.EVENT_READ, lambda: self._receive_report(pid))

    def _receive_report(self, pid: int) -> None:
        now = time.monotonic()
        engine = self._engines[pid]
        message = b""
        with contextlib.suppress(OSError):
            message = engine.link.recv(process.FREE_MESSAGE.size)
        if message:
            (cpu_seconds,) = process.FREE_MESSAGE.unpack(message)
            self._queue.end_job(pid, now, cpu_seconds)
            self._free.append(pid)
        else:
            self._queue.end_job(pid, now)
            self._remove_engine(pid, now)
        if engine.caller is not None:
            engine.caller.close()
            engine.caller = None

    def _remove_engine(self, pid: int, now: float) -> None:
        engine = self._engines.pop(pid)
        self._selector.unregister(engine.link)
        engine.link.close()
        if pid in self._free:
            self._free.remove(pid)
        _, status, usage = os.wait4(pid, 0)
        if engine.caller is not None and self._is_out_of_memory(engine, status, usage.ru_maxrss):
            logger.warning("engine process %d was aborted for memory; replacing it", pid)
            self._report(engine.caller, process.JobEnd.OUT_OF_MEMORY, self._settings.memory_mib)
        elif status != 0:
            logger.error("engine process %d ended with status %d; replacing it", pid, status)
            self._next_fork_at = now + RESTART_PAUSE_SECONDS

    def _is_out_of_memory(self, engine: _Engine, status: int, peak_kib: int) -> bool:
        """Return whether native code killed an engine because it could not allocate memory.

        It aborts, or uses unallocated memory. An engine that never held `_MIN_FULL_FRACTION` of its
        memory has another cause for either, such as a corrupted heap.
        """
        bound = self._settings.memory_mib
        if math.isinf(bound) or not os.WIFSIGNALED(status):
            return False
        growth = peak_kib / 1024 - engine.initial_mib
        is_full = growth > _MIN_FULL_FRACTION * (bound - engine.initial_mib)
        return is_full and os.WTERMSIG(status) in (signal.SIGABRT, signal.SIGSEGV)

    @staticmethod
    def _report(caller: Connection, *outcome: object) -> None:
        os.set_blocking(caller.fileno(), False)  # a caller that does not read must not stop others
        with contextlib.suppress(OSError):
            caller.send(outcome)
