"""An engine process: one job at a time, each ended at its time limit and within its memory.

The supervisor hands it the connection of a caller. It says that the job has begun, reads it, sends
the result, and tells the supervisor that it is free. An alarm is set for each job without handling
its signal, so the kernel ends a process that is stuck, even inside LAPACK. A job that meets the
bound of memory gets its error from here if Python notices; native code aborts, and the supervisor
reports it. Either way the process ends.
"""

import contextlib
import faulthandler
import logging
import os
import signal
import socket
import time
from enum import Enum, auto
from multiprocessing.connection import Connection

from app.compute import jobs
from app.compute.process_memory import MemoryBound, resident_mebibytes
from app.compute.queue import AdmissionDecision

logger = logging.getLogger(__name__)

FREE = b"f"
JOB = b"j"
RECEIVE_SECONDS = 5.0  # callers send their job immediately


class JobEnd(Enum):
    """How a job ended; what follows is its result, the reason, or the bound of memory in MiB."""

    RESULT = auto()
    FAILURE = auto()
    OUT_OF_MEMORY = auto()


def serve_jobs(link: socket.socket, memory_mb: float) -> None:
    """Run the jobs that arrive on ``link``, until it closes or too much memory is retained.

    The process never allocates more than ``memory_mb`` MiB, including those at its start.
    """
    # An abort for lack of memory is one line of the log of the supervisor, without tracebacks.
    faulthandler.disable()
    os.environ["RUST_BACKTRACE"] = "0"
    bound = MemoryBound(memory_mb)
    while True:
        _, received, _, _ = socket.recv_fds(link, len(JOB), 1)
        if not received:
            return
        with Connection(received[0]) as connection, contextlib.suppress(EOFError, OSError):
            if _serve_one(connection, bound) is JobEnd.OUT_OF_MEMORY:
                return
        signal.setitimer(signal.ITIMER_REAL, 0)
        if bound.is_retaining():
            held = resident_mebibytes()
            logger.info("engine process %d holds %.0f MiB; replacing it", os.getpid(), held)
            return
        link.sendall(FREE)


def _serve_one(connection: Connection, bound: MemoryBound) -> JobEnd:
    signal.setitimer(signal.ITIMER_REAL, RECEIVE_SECONDS)
    connection.send(AdmissionDecision(True, 0.0, os.getppid()))
    try:
        return _run_job(connection, bound)
    except MemoryError:
        bound.lift()
        logger.warning("engine process %d met its bound of memory; replacing it", os.getpid())
        connection.send((JobEnd.OUT_OF_MEMORY, bound.memory_mb))
        return JobEnd.OUT_OF_MEMORY


def _run_job(connection: Connection, bound: MemoryBound) -> JobEnd:
    deadline, job, arguments = connection.recv()
    left = deadline - time.monotonic()
    if left <= 0:
        return JobEnd.FAILURE  # the caller has given up
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        end, outcome = JobEnd.RESULT, jobs.run_job(job, *arguments)
        if isinstance(outcome, BaseException):
            outcome.__traceback__ = None  # its frames would retain what the job has parsed
    except MemoryError:
        raise
    except BaseException as error:
        # Libraries have errors of their own for it; panics of Rust derive from BaseException.
        if bound.has_been_reached():
            raise MemoryError from error
        if not isinstance(error, Exception):
            raise
        logger.exception("%s failed", job.noun)
        end, outcome = JobEnd.FAILURE, f"{type(error).__name__} in the engine"
    signal.setitimer(signal.ITIMER_REAL, 0)
    connection.send((end, outcome))
    return end
