"""A SQLite file that is locked, on a full disk, read-only or replaced."""

import contextlib
import os
import resource
import shutil
import sqlite3
from pathlib import Path

import orjson
import pytest

from app.core.database.engine import POOL_SIZE
from tests.integration.workers import web_workers
from tests.support.faults import BOUND_SECONDS, assert_responds_in_time_and_recovers
from tests.support.keys import new_key
from tests.support.load import FORECAST, HEALTH, VERIFY, Client, send_exactly
from tests.support.machine_speed import slowness
from tests.support.series import regular_body
from tests.support.server import run_server
from tests.support.services import children, wait_until

pytestmark = pytest.mark.timing

CLIENTS = 44  # several for each thread of a worker
LOCKED_SECONDS = 8  # longer than any response may take, with the wait for a thread
FULL = 4096  # bytes
LARGE_POINTS = 50_000  # the most allowed
# Root may write to any file; without this capability the file's mode holds for root too.
BOUND_BY_MODES = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]


@contextlib.contextmanager
def run_on_file(folder, template):
    """The service with keys and counters in a file of its own folder."""
    file = folder / "data" / "keys.db"
    file.parent.mkdir()
    shutil.copy(template, file)
    prefix = BOUND_BY_MODES if os.geteuid() == 0 else []
    with run_server(folder, f"sqlite:///{file}", prefix, WEB_CONCURRENCY="2") as server:
        yield server


@pytest.fixture(scope="module")
def server(sqlite_databases, tmp_path_factory):
    """A service for all faults that it can recover from."""
    with run_on_file(tmp_path_factory.mktemp("gunicorn"), sqlite_databases.template) as server:
        yield server


@pytest.fixture
def idle_server(sqlite_databases, tmp_path):
    """A service that has not opened the file yet: it could still write to an open one."""
    with run_on_file(tmp_path, sqlite_databases.template) as server:
        yield server


def file_of(server):
    return Path(server.environ["DATABASE_URL"].removeprefix("sqlite:///"))


@contextlib.contextmanager
def lock_file(_server, file):
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextlib.contextmanager
def disk_full(server, file):
    """Let the service write no more than one page of any file."""
    pids = children(server.process.pid)
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (FULL, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        for pid in pids:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)


@pytest.mark.parametrize(("fault", "seconds"), [(lock_file, LOCKED_SECONDS), (disk_full, 1.5)])
def test_every_response_comes_in_time_and_the_service_recovers(server, fault, seconds) -> None:
    file = file_of(server)
    key = new_key(server.environ["DATABASE_URL"])
    assert_responds_in_time_and_recovers(
        server, key, fault(server, file), seconds=seconds, clients=CLIENTS
    )
    wait_until(lambda: no_connection_leaked(server, file, key), "few open files", 30)


def no_connection_leaked(server, file, key):
    """Return whether no worker holds more connections to the file than its pool keeps.

    A fault may have closed all of them, which the next request opens again.

    Each has the log open. The file itself SQLite keeps open after a connection, for its locks.
    """
    send_exactly(server.url, key, VERIFY, clients=1, times=1)
    log = f"{file}-wal"
    links = [Path(f"/proc/{pid}/fd").iterdir() for pid in web_workers(server)]
    held = [sum(os.path.realpath(link) == log for link in of_worker) for of_worker in links]
    return 0 < max(held) <= POOL_SIZE


@pytest.mark.parametrize("single", [False, True], ids=["folder too", "only the file"])
def test_a_read_only_file_is_500_and_served_once_it_can_be_written(idle_server, single) -> None:
    server, file = idle_server, file_of(idle_server)
    key = new_key(server.environ["DATABASE_URL"])
    other = sqlite3.connect(file)
    other.execute("SELECT count(*) FROM api_keys").fetchall()  # keeps the files of the log
    paths = [file] if single else [*file.parent.iterdir(), file.parent]
    modes = {path: path.stat().st_mode for path in paths}
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    client = Client(server.url, key)
    rejected = [client.send(request) for request in (VERIFY, FORECAST, HEALTH) for _ in range(4)]
    assert [call.status for call in rejected] == [500] * 8 + [503] * 4
    assert max(call.seconds for call in rejected) < BOUND_SECONDS
    for path, mode in modes.items():
        path.chmod(mode)
    wait_until(lambda: client.send(HEALTH).status == 200, "a check of health that is new")
    calls = [client.send(request) for request in (VERIFY, FORECAST, HEALTH) for _ in range(8)]
    client.close()
    other.close()
    assert [call.status for call in calls] == [200] * 24
    wait_until(lambda: no_connection_leaked(server, file, key), "few open files", 30)


def test_many_large_concurrent_forecasts_get_no_500(server) -> None:
    key = new_key(server.environ["DATABASE_URL"])
    body = orjson.dumps(regular_body("Minutes", LARGE_POINTS))
    sent = send_exactly(server.url, key, ("POST", "/forecast", body), clients=50, times=3)
    assert set(sent.statuses()) <= {200, 503}
    assert sent.statuses()[200] >= 50 / slowness()
    sent.assert_errors_have_the_one_shape()
