"""What the tests of engine pools share: jobs that misbehave, and callers at the same time."""

import contextlib
import os
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from app.compute.capacity import QueueBounds
from app.compute.client import EngineClient
from app.compute.errors import EngineBusyError, EngineFailedError
from app.compute.jobs import Job
from app.compute.pool import EnginePool
from tests.support.services import children, wait_until

Start = Callable[..., EnginePool]
MISBEHAVE = Job(f"{__name__}:misbehave", "result")
BOUNDS = QueueBounds(max_wait_seconds=60.0, max_jobs=9, max_bytes=1000)


def misbehave(mode: str | Path = "good", file: str = "/dev/null") -> object:
    """A job that is stuck, crashes, raises or blocks by ``mode``; it adds a line to ``file``."""
    with Path(file).open("a+") as lines:
        print(file=lines)
        lines.seek(0)
        if mode == "stuck once":
            mode = "good" if len(lines.readlines()) > 1 else "stuck"
    if mode == "stuck":  # in native code: it takes years and lets no Python signal handler run
        re.match(r"(a+)+$", "a" * 60 + "b")
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "raise":
        raise ZeroDivisionError
    if isinstance(mode, Path):  # a named pipe: until somebody opens it for writing
        mode.read_bytes()
    return mode


def supervisor_of(pool: EnginePool) -> int:
    """Return the child of a pool's fork server, once there is one."""
    wait_until(lambda: bool(children(pool._fork_server_pid)), "the supervisor")
    return children(pool._fork_server_pid)[0]


def outcome_of(client: EngineClient, *mode: str | Path) -> object:
    """Return the outcome of a job."""
    try:
        return client.run(MISBEHAVE, *mode)
    except EngineBusyError:
        return "busy"
    except EngineFailedError:
        return "failed"


class ConcurrentCallers:
    """Callers at the same time, each in a thread, and the outcomes of their jobs."""

    def __init__(self, client: EngineClient, number: int, mode: str | Path = "good") -> None:
        self.outcomes: list[object] = []

        def submit_job() -> None:
            self.outcomes.append(outcome_of(client, mode))

        self.threads = [threading.Thread(target=submit_job) for _ in range(number)]
        for thread in self.threads:
            thread.start()

    def wait(self) -> list[object]:
        for thread in self.threads:
            thread.join()
        return self.outcomes


def open_all(gate: Path, callers: ConcurrentCallers) -> bool:
    """Let whoever waits at the gate go on; true when nobody is left."""
    with contextlib.suppress(OSError):  # nobody reads
        os.close(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
    return not any(thread.is_alive() for thread in callers.threads)
