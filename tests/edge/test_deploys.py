"""Deploys in working hours: clients go on while gunicorn is reloaded and restarted."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.databases import SqliteDatabases
from tests.support.edge import WIDE, edge
from tests.support.keys import mint, usage
from tests.support.load import FORECAST, VERIFY, load
from tests.support.server import ROOT
from tests.support.services import children, running, wait_until

RELOADS = 5
WORKERS = 2
PATIENCE_SECONDS = 90  # with a start on a busy machine
# As systemd does: the socket is descriptor 3, and the variables name the process that gets it.
INHERIT = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "wsgi:app"])
"""


class Activation:
    """A listening socket that outlives the service behind it, as a systemd socket unit's does."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.address = f"unix:{folder}/gunicorn.sock"
        self._log = folder / "gunicorn.log"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.address.removeprefix("unix:"))
        self._listener.listen(4096)
        self._environ = os.environ | {
            "DATABASE_URL": database_url,
            "TRUSTED_PROXIES": "1",
            "WEB_CONCURRENCY": str(WORKERS),
        }

    @contextlib.contextmanager
    def service(self) -> Iterator[subprocess.Popen[bytes]]:
        """The service for the length of a block; its master is then sent SIGTERM."""
        descriptor = self._listener.fileno()
        command = [sys.executable, "-c", INHERIT, str(descriptor)]
        before = len(self.booted())
        with self._log.open("ab") as log:
            options = {"cwd": ROOT, "env": self._environ, "stdout": log, "stderr": log}
            with running(command, pass_fds=(descriptor,), **options) as master:
                self.wait_for_workers(before)
                yield master

    def booted(self) -> list[int]:
        """All web workers that there have been, by the log."""
        lines = self._log.read_text() if self._log.exists() else ""
        return [int(pid) for pid in re.findall(r"Booting worker with pid: ([0-9]+)", lines)]

    def wait_for_workers(self, before: int) -> None:
        """Wait until the next workers after so many have started."""
        wait_until(lambda: len(self.booted()) >= before + WORKERS, "the workers", PATIENCE_SECONDS)

    def reload(self, master: subprocess.Popen[bytes]) -> None:
        """Send SIGHUP, and wait until new workers have taken the place of the old ones."""
        before = self.booted()
        master.send_signal(signal.SIGHUP)
        self.wait_for_workers(len(before))
        wait_until(lambda: not set(before) & set(children(master.pid)), "the end", PATIENCE_SECONDS)

    def close(self) -> None:
        """Close the socket."""
        self._listener.close()


def test_five_reloads_and_a_restart_behind_the_socket_fail_no_request_and_count_each_once(
    tmp_path: Path, sqlite_databases: SqliteDatabases
) -> None:
    url = sqlite_databases.migrated()
    key = mint(url)
    activation = Activation(tmp_path, url)
    with (
        contextlib.closing(activation),
        edge(tmp_path / "nginx", activation.address, **WIDE) as site,
        contextlib.ExitStack() as services,
    ):
        master = services.enter_context(activation.service())
        (supervisor,) = set(children(master.pid)) - set(activation.booted())
        with load(site.https, key, [VERIFY, FORECAST], clients=6, pause=0.05) as sent:
            for _ in range(RELOADS):
                before = len(sent.calls)
                activation.reload(master)
                assert len(sent.calls) > before
            assert set(children(master.pid)) - set(activation.booted()) == {supervisor}
            services.close()
            services.enter_context(activation.service())
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
    assert usage(url, key) == len(sent.calls)
