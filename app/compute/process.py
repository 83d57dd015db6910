"""An engine process: it runs one job at a time, within limits on time and memory.

The supervisor passes it the connection of a caller. It confirms that the job has begun, reads it,
sends the result, and reports to the supervisor that it is free. The alarm of each job has no signal
handler, so the kernel kills a stuck process, even inside LAPACK. If a job exceeds the memory limit,
Python raises an error, which is sent from here, or native code aborts, which the supervisor
reports. Either way the process ends.
"""

import contextlib
import faulthandler
import logging
import os
import signal
import socket
import struct
import time
from enum import Enum, auto
from multiprocessing.connection import Connection
from typing import Any

from app.compute import jobs
from app.compute.process_memory import MemoryBound, resident_mebibytes
from app.compute.queue import AdmissionDecision

logger = logging.getLogger(__name__)

FREE_MESSAGE = struct.Struct("d")  # from an engine that is free: the CPU seconds of its job
JOB_MESSAGE = b"j"  # to an engine, with the connection of a caller
_RECEIVE_SECONDS = 5.0  # callers send their job immediately
SEND_SECONDS = 5.0  # callers wait for the result; the longest one takes a fraction of a second
_NICENESS = 5  # web workers, which respond to cheap requests, get three times the CPU time


class JobEnd(Enum):
    """How a job ended; sent with its result, the reason, or the memory limit in MiB."""

    RESULT = auto()
    FAILURE = auto()
    OUT_OF_MEMORY = auto()


def serve_jobs(link: socket.socket, memory_mib: float) -> None:
    """Run the jobs that arrive on ``link``, until it closes or too much memory is retained.

    The process never allocates more than ``memory_mib`` MiB, including its initial memory.
    """
    # The supervisor logs an abort for lack of memory in one line, without tracebacks.
    faulthandler.disable()
    os.environ["RUST_BACKTRACE"] = "0"
    with contextlib.suppress(OSError):  # a sandbox may forbid it
        own = os.getpriority(os.PRIO_PROCESS, 0)
        os.setpriority(os.PRIO_PROCESS, 0, max(own, _NICENESS))
    bound = MemoryBound(memory_mib)
    while True:
        _, received, _, _ = socket.recv_fds(link, len(JOB_MESSAGE), 1)
        if not received:
            return
        began = time.process_time()
        with Connection(received[0]) as connection, contextlib.suppress(EOFError, OSError):
            if _serve_job(connection, bound) is JobEnd.OUT_OF_MEMORY:
                return
        signal.setitimer(signal.ITIMER_REAL, 0)
        if bound.is_retaining():
            held = resident_mebibytes()
            logger.info("engine process %d holds %.0f MiB; replacing it", os.getpid(), held)
            return
        link.sendall(FREE_MESSAGE.pack(time.process_time() - began))


def _serve_job(connection: Connection, bound: MemoryBound) -> JobEnd:
    signal.setitimer(signal.ITIMER_REAL, _RECEIVE_SECONDS)
    connection.send(AdmissionDecision(True, 0.0, os.getppid()))
    try:
        return _run_job(connection, bound)
    except MemoryError:
        bound.lift()
        logger.warning("engine process %d met its bound of memory; replacing it", os.getpid())
        _send_outcome(connection, JobEnd.OUT_OF_MEMORY, bound.memory_mib)
        return JobEnd.OUT_OF_MEMORY


def _run_job(connection: Connection, bound: MemoryBound) -> JobEnd:
    deadline, job, arguments = connection.recv()
    seconds_left = deadline - time.monotonic()
    if seconds_left <= 0:
        return JobEnd.FAILURE  # the caller has given up
    signal.setitimer(signal.ITIMER_REAL, seconds_left)
    try:
        end, outcome = JobEnd.RESULT, jobs.call_job_function(job, *arguments)
        if isinstance(outcome, BaseException):
            outcome.__traceback__ = None  # the frames would keep parsed data in memory
    except MemoryError:
        raise
    except BaseException as error:
        # Libraries have their own errors for it; Rust's panics derive from BaseException.
        if bound.has_been_reached():
            raise MemoryError from error
        if not isinstance(error, Exception):
            raise
        logger.exception("%s failed", job.noun)
        end, outcome = JobEnd.FAILURE, f"{type(error).__name__} in the engine"
    _send_outcome(connection, end, outcome)
    return end


def _send_outcome(connection: Connection, end: JobEnd, outcome: Any) -> None:
    # A caller that is alive but does not read would hold the engine.
    signal.setitimer(signal.ITIMER_REAL, SEND_SECONDS)
    connection.send((end, outcome))
