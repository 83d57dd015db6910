"""Deploys in working hours: clients go on while gunicorn is reloaded and restarted."""

import contextlib
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import SqliteDatabases
from tests.support.edge import UNHEARD, WIDE, edge
from tests.support.keys import mint, usage
from tests.support.load import FORECAST, VERIFY, load
from tests.support.server import ROOT
from tests.support.services import children, running, wait_until, whole_lines

RELOADS = 5
WORKERS = 2
PATIENCE_SECONDS = 150  # with a start on a busy machine
# As systemd does: the socket is descriptor 3, and the variables name the process that gets it.
INHERIT = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "wsgi:app"])
"""


class Activation:
    """A service behind a socket that outlives it, as a systemd socket unit's does."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.address = f"unix:{folder}/gunicorn.sock"
        self.counts = folder / "counts"
        self.counts.mkdir()
        self._log_file = folder / "gunicorn.log"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.address.removeprefix("unix:"))
        self._listener.listen(4096)
        self._environ = os.environ | {
            "BIND": UNHEARD,
            "DATABASE_URL": database_url,
            "RUNTIME_DIRECTORY": str(self.counts),
            "TRUSTED_PROXIES": "1",
            "WEB_CONCURRENCY": str(WORKERS),
        }
        self._running = contextlib.ExitStack()

    def start(self) -> None:
        """Start the service and wait for its workers."""
        descriptor = self._listener.fileno()
        command = [sys.executable, "-c", INHERIT, str(descriptor)]
        before = len(self.booted())
        with self._log_file.open("ab") as log:
            options = {"cwd": ROOT, "env": self._environ, "stdout": log, "stderr": log}
            self.master = self._running.enter_context(
                running(command, pass_fds=(descriptor,), **options)
            )
        self.wait_for_workers(before)

    def stop(self) -> None:
        """Send SIGTERM to the master and wait for its end."""
        self._running.close()

    def log(self) -> str:
        """All that has been logged."""
        return whole_lines(self._log_file) if self._log_file.exists() else ""

    def booted(self) -> list[int]:
        """All web workers that there have been, by the log."""
        return [int(pid) for pid in re.findall(r"Booting worker with pid: ([0-9]+)", self.log())]

    def running(self) -> set[int]:
        """The processes that the master has started and that have not ended."""
        return set(children(self.master.pid))

    def wait_for_workers(self, before: int) -> None:
        """Wait until the next workers after so many have started."""
        wait_until(lambda: len(self.booted()) >= before + WORKERS, "the workers", PATIENCE_SECONDS)

    def reload(self) -> None:
        """Send SIGHUP, and wait until new workers have taken the place of the old ones."""
        before = self.booted()
        self.master.send_signal(signal.SIGHUP)
        self.wait_for_workers(len(before))
        wait_until(lambda: not set(before) & self.running(), "the end", PATIENCE_SECONDS)

    def close(self) -> None:
        """End the service and close the socket."""
        self.stop()
        self._listener.close()


@pytest.fixture(scope="module")
def database_url(sqlite_databases: SqliteDatabases) -> str:
    return sqlite_databases.migrated()


@pytest.fixture(scope="module")
def activation(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Activation]:
    with contextlib.closing(Activation(tmp_path_factory.mktemp("systemd"), database_url)) as made:
        made.start()
        yield made


def test_five_reloads_and_a_restart_behind_the_socket_fail_no_request_and_count_each_once(
    tmp_path: Path, activation: Activation, database_url: str
) -> None:
    key = mint(database_url)
    with edge(tmp_path / "nginx", activation.address, **WIDE) as site:
        (supervisor,) = activation.running() - set(activation.booted())
        with load(site.https, key, [VERIFY, FORECAST], clients=6, pause=0.05) as sent:
            for _ in range(RELOADS):
                before = len(sent.calls)
                activation.reload()
                assert len(sent.calls) > before
            assert activation.running() - set(activation.booted()) == {supervisor}
            activation.stop()
            activation.start()
            restarted = time.monotonic()
            wait_until(
                lambda: (
                    sent.statuses("/verify", restarted)[200] > 10
                    and sent.statuses("/forecast", restarted)[200] > 10
                ),
                "answers after the restart",
                PATIENCE_SECONDS,
            )
    for path in ("/verify", "/forecast"):
        assert sent.statuses(path) == {200: sent.statuses(path).total()}
    assert usage(database_url, key) == len(sent.calls)


def test_the_log_says_that_the_socket_of_systemd_overrules_a_setting(
    activation: Activation,
) -> None:
    assert f"BIND={UNHEARD} changes nothing" in activation.log()


def test_counts_are_kept_in_the_folder_that_systemd_empties_and_gone_with_the_service(
    activation: Activation,
) -> None:
    assert list(activation.counts.glob("forecast-metrics-*/gauge_livesum_0.db"))
    activation.stop()
    assert not list(activation.counts.iterdir())
