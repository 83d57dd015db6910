"""Real servers for tests: started on loopback on a free port, stopped by their own process."""

import contextlib
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

import psycopg
import pytest

STARTUP_SECONDS = 30


def free_port() -> int:
    """A TCP port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def find_binary(name: str, *folders: str) -> str:
    """The path of a server's program; without it skip, or fail where services are required."""
    path = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", *folders]))
    if path is None:
        reason = f"{name} is not installed"
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(f"{reason}, and REQUIRE_SERVICES=1 wants it")
        pytest.skip(reason)
    return path


def wait_until(ready: Callable[[], bool], what: str, seconds: float = STARTUP_SECONDS) -> None:
    """Wait for a condition, and fail by its name when it does not come."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not come within {seconds} s")
        time.sleep(0.05)


def accepts_connections(port: int) -> bool:
    """Whether something listens on a port of loopback."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def running(command: list[str], **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """A program for the length of a block; it is asked to end, then made to."""
    process = subprocess.Popen(command, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """A PostgreSQL cluster of its own; gives the URL of its superuser's database, with no name."""
    binaries = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    initdb = find_binary("initdb", *binaries)
    server = str(Path(initdb).parent / "postgres")
    # PostgreSQL refuses to run as root; Debian's package makes a user for it.
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    options: dict[str, object] = {"user": user} if os.geteuid() == 0 else {}
    # Not in pytest's folder: every run of pytest closes that to other users than its own.
    with tempfile.TemporaryDirectory(prefix="postgresql-") as folder:
        shutil.chown(folder, user)
        data = str(Path(folder) / "data")
        subprocess.run(
            [initdb, "-D", data, "-U", "forecast", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            stdout=subprocess.DEVNULL,
            **options,  # type: ignore[call-overload]
        )
        port = free_port()
        url = f"postgresql://forecast@127.0.0.1:{port}"
        command = [server, "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder, "-F"]
        with running(command, stderr=subprocess.DEVNULL, **options) as process:
            wait_until(lambda: _answers(url), "PostgreSQL")
            yield url
            process.send_signal(signal.SIGINT)  # ends now, whoever is still connected


def _answers(url: str) -> bool:
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(f"{url}/postgres"):
        return True
    return False


@contextlib.contextmanager
def redis_server(folder: Path, port: int | None = None) -> Iterator[str]:
    """A Redis server without persistence; gives its URL."""
    binary = find_binary("redis-server")
    folder.mkdir(exist_ok=True)
    port = port or free_port()
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    with running([str(word) for word in command], stdout=subprocess.DEVNULL):
        wait_until(lambda: accepts_connections(port), "Redis")
        yield f"redis://127.0.0.1:{port}/0"
