"""An engine process: one job at a time, each ended at its time limit.

The supervisor hands it the connection of a caller. It says that the job has begun, reads it, sends
the result, and tells the supervisor that it is free. An alarm is set for each job without handling
its signal, so the kernel ends a process that is stuck, even inside LAPACK.
"""

import contextlib
import logging
import os
import signal
import socket
import time
from multiprocessing.connection import Connection
from typing import Any

from app.engine import jobs
from app.engine.process_memory import resident_mebibytes
from app.engine.queue import Verdict

logger = logging.getLogger(__name__)

FREE = b"f"
JOB = b"j"
RECEIVE_SECONDS = 5.0  # callers send their job immediately


def serve(link: socket.socket, memory_mb: float) -> None:
    """Run the jobs that come over ``link``, until it ends or too much memory is held."""
    held = 0.0
    while held <= memory_mb:
        _, received, _, _ = socket.recv_fds(link, len(JOB), 1)
        if not received:
            return
        with Connection(received[0]) as connection, contextlib.suppress(EOFError, OSError):
            _serve_one(connection)
        signal.setitimer(signal.ITIMER_REAL, 0)
        held = resident_mebibytes()
        if held <= memory_mb:
            link.sendall(FREE)
    logger.info("engine process %d holds %.0f MiB; replacing it", os.getpid(), held)


def _serve_one(connection: Connection) -> None:
    signal.setitimer(signal.ITIMER_REAL, RECEIVE_SECONDS)
    connection.send(Verdict(True, 0.0, os.getppid()))
    deadline, job, arguments = connection.recv()
    left = deadline - time.monotonic()
    if left <= 0:
        return  # the caller has given up
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        outcome: tuple[bool, Any] = True, jobs.do(job, *arguments)
    except Exception as error:
        logger.exception("%s failed", job.noun)
        outcome = False, f"{type(error).__name__} in the engine"
    signal.setitimer(signal.ITIMER_REAL, 0)
    connection.send(outcome)
