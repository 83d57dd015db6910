"""Programs of the service that start from a process with loaded libraries.

Loading them is four of the five seconds of CPU time that a server's start takes. So one
process does it once; each program is a fork of it, and runs as `python -m MODULE WORDS` would from
there on. What that leaves out, the libraries' loading in a new process, is left in by the tests of
`make run`, of the Procfile and of admins' shells.

Run as a program, this file is that process: messages come on the socket that is its stdin.
Where tests run side by side it is one for all of them: the processes connect to a socket beside it.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[2]
# None of these reads a setting or a clock when it is loaded. Not so prometheus_client, which then
# looks where processes share their counts.
LIBRARIES = (
    "alembic.context", "flask_limiter", "flask_migrate", "httpx",
    "gunicorn.app.wsgiapp", "gunicorn.workers.gthread", "marshmallow", "pmdarima", "psycopg",
    "redis", "sqlalchemy.dialects.postgresql.psycopg", "sqlalchemy.dialects.sqlite",
    "wsgiref.simple_server", "app.anomalies.detect", "app.forecasting.forecast",
    "app.ops.cli.command", "app.ops.cli.accounts", "app.ops.cli.members", "app.ops.cli.usage",
    *(
        "app.ops.cli.backups",
        "app.ops.cli.webhooks",
        "app.ops.cli.sources",
        "app.watching.sources.credentials_cipher",
    ),
    *(
        "app.identity.members.management",
        "app.watching.monitors.queries.monitor_queries",
        "app.identity.usage.flusher",
        "app.delivery.deliverer",
    ),
)  # fmt: skip
# What a server's engines compute once, to load everything that they need.
WARM_UPS = ("warm_up_forecasting", "warm_up_detection", "warm_up_reading")
MAX_MESSAGE_BYTES = 1 << 18
MAX_RUN_SECONDS = 120
PYTHON = sys.executable  # a test may replace it
PID_DIGITS = 10
LISTENER = 3  # systemd's first descriptor
socket_path: str | None = None  # of the process that a sibling has started


class Program:
    """A running program, with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, pid: int, news: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._news = os.fdopen(news)

    def poll(self) -> int | None:
        """Return the exit status as `subprocess` does, None while the program runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, or raise `subprocess.TimeoutExpired`."""
        status = self._look(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return status

    def _look(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._news], [], [], seconds)[0]:
            self.returncode = int(self._news.readline())
            self._news.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Make it end."""
        self.send_signal(signal.SIGKILL)


def _load(*listeners: int) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the process with the libraries, which ends with the process of the tests."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_MESSAGE_BYTES)
    command = [sys.executable, "-m", "tests.support.preloaded_programs", *map(str, listeners)]
    with theirs:
        return ours, subprocess.Popen(
            command, cwd=ROOT, stdin=theirs, stdout=subprocess.DEVNULL, pass_fds=listeners
        )


@functools.cache
def _shared_process() -> tuple[tempfile.TemporaryDirectory[str], object]:
    """Return the folder of a socket, and the process that accepts connections to it."""
    folder = tempfile.TemporaryDirectory(prefix="loaded-")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(f"{folder.name}/socket")
        listener.listen()
        return folder, _load(listener.fileno())


def share() -> str:
    """Start a process with the libraries for all test processes; return the path of its socket."""
    return f"{_shared_process()[0].name}/socket"


@functools.cache
def _parent() -> tuple[socket.socket, object]:
    """Return a connection to the process with the libraries, and what keeps that alive."""
    if socket_path is None:
        return _load()
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_MESSAGE_BYTES)
    ours.connect(socket_path)
    return ours, None


def start(
    words: list[str],
    environ: dict[str, str],
    output: int,
    listener: int | None = None,
    errors: int | None = None,
) -> Program:
    """Run ``python -m`` with these words in the project's folder, with output to a file.

    ``errors``: the file of stderr, if another. With a ``listener`` it is started as systemd does
    for a socket unit, in a group of its own.
    """
    fork_server, _process = _parent()
    news, theirs = os.pipe()
    message = json.dumps([words, environ]).encode()
    listeners = [] if listener is None else [listener]
    streams = [output, output if errors is None else errors, theirs]
    socket.send_fds(fork_server, [message], [*streams, *listeners])
    os.close(theirs)
    pid = os.read(news, PID_DIGITS)
    assert pid, "the process with the libraries loaded has ended"
    return Program(int(pid), news)


def run(
    command: list[str], *, env: Mapping[str, str], check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m …`` as `subprocess.run` does; stderr has both outputs."""
    if command[:2] != [PYTHON, "-m"]:
        return subprocess.run(command, env=env, check=check, **options)
    with tempfile.TemporaryFile("w+") as output:
        status = start(command[2:], dict(env), output.fileno()).wait(MAX_RUN_SECONDS)
        output.seek(0)
        return subprocess.CompletedProcess(command, status, stderr=output.read())


def _fork_and_report(news: int, listeners: list[int]) -> None:
    """Return in a new process; this one waits for it, and reports its status."""
    pid = os.fork()
    if pid:
        for listener in listeners:
            os.close(listener)  # it ends with the program
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.write(news, f"{pid:{PID_DIGITS}}".encode())
        _pid, status = os.waitpid(pid, 0)
        os.write(news, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)


def serve(
    asking: socket.socket, *listeners: socket.socket
) -> tuple[list[str], dict[str, str]] | None:
    """Fork a program for every message, also of later connections.

    Yield its words in each of them, None at the end.
    """
    with selectors.PollSelector() as selector:
        for waiting in (asking, *listeners):
            selector.register(waiting, selectors.EVENT_READ)
        while True:
            for ready, _events in selector.select():
                connection = ready.fileobj
                assert isinstance(connection, socket.socket)
                if connection in listeners:
                    selector.register(connection.accept()[0], selectors.EVENT_READ)
                    continue
                message, descriptors, _flags, _address = socket.recv_fds(
                    connection, MAX_MESSAGE_BYTES, 4
                )
                if message and os.fork() == 0:
                    for other in [*selector.get_map().values()]:
                        other.fileobj.close()
                    return _begin(message, descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)
                if connection is asking and not message:
                    return None
                if not message:
                    selector.unregister(connection)
                    connection.close()
                with contextlib.suppress(ChildProcessError):
                    while os.waitpid(-1, os.WNOHANG)[0]:
                        pass


def _begin(message: bytes, descriptors: list[int]) -> tuple[list[str], dict[str, str]]:
    """Return the words and variables of a program in the process that is to run it."""
    streams, listeners = descriptors[:3], descriptors[3:]
    _fork_and_report(streams[2], listeners)
    for number, descriptor in enumerate((os.open(os.devnull, os.O_RDONLY), *streams)):
        if number < 3:
            os.dup2(descriptor, number)
        os.close(descriptor)
    words, environ = json.loads(message)
    return words, environ | _activate(*listeners)


def _activate(listener: int | None = None) -> dict[str, str]:
    """Make ``listener`` descriptor 3 of a new group; return the variables that systemd sets."""
    if listener is None:
        return {}
    os.setsid()
    if listener != LISTENER:
        with contextlib.suppress(OSError):
            raise AssertionError(f"descriptor {LISTENER} is in use: {os.fstat(LISTENER)}")
        os.dup2(listener, LISTENER)
        os.close(listener)
    return {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}


def _end(status: object) -> NoReturn:
    """Exit as the interpreter does, but do not free the memory.

    To free it takes a third of the CPU time of a server's start and end.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    if isinstance(status, str):
        print(status, file=sys.stderr)
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)


def _load_libraries() -> None:
    """Load and warm up the libraries of the programs."""
    for library in LIBRARIES:
        importlib.import_module(library)
    engine_libraries = importlib.import_module("app.ops.engine_libraries")
    for name in WARM_UPS:
        getattr(engine_libraries, name)()
        setattr(engine_libraries, name, lambda: None)  # the forks share what it loads
    assert "prometheus_client" not in sys.modules
    gc.collect()
    gc.freeze()  # programs do not collect objects that they have not created


if __name__ == "__main__":
    asking = socket.socket(fileno=os.dup(0))
    listeners = [socket.socket(fileno=int(n)) for n in sys.argv[1:]]
    # unused modules are not loaded
    readable, _, _ = select.select([asking, *listeners], [], [])
    if listeners and asking in readable:
        sys.exit()
    _load_libraries()
    todo = serve(asking, *listeners)
    if todo:
        words, environ = todo
        os.environ.clear()
        os.environ.update(environ)
        time.tzset()
        sys.argv = words
        try:
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        except SystemExit as ending:
            _end(ending.code)
        _end(0)
