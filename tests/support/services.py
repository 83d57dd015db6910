"""Real servers for tests, on free ports of loopback."""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TypeVar

import psycopg
import pytest

from tests.support import preloaded_programs
from tests.support.polling import poll
from tests.support.programs import find_binary

AnyProcess = TypeVar("AnyProcess", subprocess.Popen[bytes], preloaded_programs.Program)

STARTUP_SECONDS = 120  # 35 measured for a service beside four other programs on two cores
ENDING_SECONDS = 60  # longer than gunicorn lets its workers finish
# A server binds its port long after it was chosen. So each test process has its own range of ports,
# below those that the kernel gives to clients; runs side by side begin at different ones.
PORT_RANGE = 3_000
_lowest = 20_000 + PORT_RANGE * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
PORTS = (_lowest + number % PORT_RANGE for number in itertools.count(os.getpid()))


def free_port() -> int:
    """Return a free TCP port that no other process of this run gets."""
    return next(filter(_is_free, PORTS))


def free_ports(number: int) -> list[int]:
    """Return distinct free ports."""
    return [free_port() for _ in range(number)]


def _is_free(port: int) -> bool:
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.bind(("127.0.0.1", port))
        return True
    return False


def wait_until(ready: Callable[[], bool], what: str, seconds: float = STARTUP_SECONDS) -> None:
    """Wait for a condition, and fail with its name after a timeout."""
    if not poll(ready, seconds):
        pytest.fail(f"{what} did not come within {seconds} s")


def whole_lines(log: Path) -> str:
    """Return the log of a running program without an unfinished last line."""
    text = log.read_text()
    return text[: text.rfind("\n") + 1]


def accepts_connections(port: int) -> bool:
    """Return whether something listens on a port of loopback."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def run_process(command: list[str], **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program within a block; then terminate it, and kill it if necessary."""
    with end_after(subprocess.Popen(command, **options)) as process:  # type: ignore[call-overload]
        yield process


@contextlib.contextmanager
def run_preloaded(
    words: list[str], environ: dict[str, str], output: IO[bytes], listener: int | None = None
) -> Iterator[preloaded_programs.Program]:
    """`python -m` with these words for the length of a block, quicker; outputs go to a file."""
    with end_after(preloaded_programs.start(words, environ, output.fileno(), listener)) as process:
        yield process


@contextlib.contextmanager
def end_after(process: AnyProcess) -> Iterator[AnyProcess]:
    """Terminate a process after a block, and kill it if necessary."""
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class PostgresqlCluster:
    """A PostgreSQL cluster that can be stopped, paused and started again.

    ``url`` is the superuser's, without a database's name.
    """

    def __init__(self, folder: Path, user: str, options: dict[str, object]) -> None:
        self._initdb = find_binary("initdb")
        self._folder, self._options = folder, options
        shutil.chown(folder, user)
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._frozen: list[int] = []
        self.url = f"postgresql://forecast@127.0.0.1:{self._port}"

    def initialize(self) -> None:
        """Create the files of the cluster."""
        data = str(self._folder / "data")
        subprocess.run(
            [self._initdb, "-D", data, "-U", "forecast", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            stdout=subprocess.DEVNULL,
            **self._options,  # type: ignore[call-overload]
        )

    def start(self) -> None:
        """Start the server and wait until it responds."""
        server = str(Path(self._initdb).parent / "postgres")
        where = ["-D", str(self._folder / "data"), "-k", str(self._folder)]
        command = [server, *where, "-p", str(self._port), "-h", "127.0.0.1", "-F"]
        log = (self._folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(  # type: ignore[call-overload]
                command, stderr=log, **self._options
            )
        wait_until(lambda: _responds(self.url), "PostgreSQL")

    def log(self) -> str:
        """Return all that the server has logged."""
        return whole_lines(self._folder / "log")

    def stop(self) -> None:
        """Stop the server immediately, also with open connections."""
        if self._process is not None:
            self.resume()
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:  # it waits for a silent client
                self._process.send_signal(signal.SIGQUIT)
                self._process.wait(30)
            self._process = None

    def kill(self) -> None:
        """Kill the server with all its processes, as a machine that loses power would."""
        assert self._process is not None
        connections = children(self._process.pid)
        self._process.kill()
        self._signal(connections, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def pause(self) -> None:
        """Freeze the server: its port is open, nothing responds."""
        assert self._process is not None
        # First the parent, so that it starts no more processes.
        self._process.send_signal(signal.SIGSTOP)
        # Linux may omit processes from the list while others end: repeat until none is new.
        self._frozen = []
        while not_yet := sorted({*children(self._process.pid)} - {*self._frozen}):
            self._signal(not_yet, signal.SIGSTOP)
            self._frozen += not_yet
            time.sleep(0.05)

    def resume(self) -> None:
        """Resume the server."""
        assert self._process is not None
        self._signal(self._frozen, signal.SIGCONT)
        self._process.send_signal(signal.SIGCONT)

    def _signal(self, pids: list[int], number: int) -> None:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]


@contextlib.contextmanager
def postgresql_cluster() -> Iterator[PostgresqlCluster]:
    """Run a PostgreSQL cluster within a block."""
    # PostgreSQL refuses to run as root; Debian's package makes a user for it.
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    options: dict[str, object] = {"user": user} if os.geteuid() == 0 else {}
    # Not in pytest's folder, which only the user of pytest may enter.
    with tempfile.TemporaryDirectory(prefix="postgresql-") as folder:
        cluster = PostgresqlCluster(Path(folder), user, options)
        cluster.initialize()
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """Run a PostgreSQL cluster and yield the URL of its superuser's database, with no name."""
    with postgresql_cluster() as cluster:
        yield cluster.url


def _responds(url: str) -> bool:
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(f"{url}/postgres"):
        return True
    return False


class RedisServer:
    """A Redis server without persistence, which can be stopped, paused and started again empty."""

    def __init__(self, folder: Path) -> None:
        self._binary = find_binary("redis-server")
        folder.mkdir(exist_ok=True)
        self._folder, self._port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        """Start the server and wait until it listens."""
        where = ["--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        command = [self._binary, *where, "--save", ""]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_until(lambda: accepts_connections(self._port), "Redis")

    def stop(self) -> None:
        """End the server."""
        if self._process is not None:
            self.resume()
            self._process.terminate()
            self._process.wait(15)
            self._process = None

    def pause(self) -> None:
        """Freeze the server: its port is open, nothing responds."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume the server."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def __enter__(self) -> "RedisServer":
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a Redis server within a block; yield its URL."""
    with RedisServer(folder) as server:
        yield server.url
