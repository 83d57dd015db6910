"""`make run` serves where it is asked to, says where once it responds, and why when it cannot."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.databases import SqliteDatabases
from tests.support.fake_prometheus import fake_prometheus
from tests.support.programs import find_binary, output_of
from tests.support.server import ROOT
from tests.support.services import (
    ENDING_SECONDS,
    accepts_connections,
    children,
    free_port,
    run_process,
    wait_until,
)

MAX_STOP_SECONDS = 15  # 5 measured on an idle machine
pytestmark = pytest.mark.services


@contextlib.contextmanager
def make_run(folder: Path, database_url: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """`make run` as a process group of its own, with these libraries; its log is in ``folder``."""
    venv, key = sys.prefix, folder / "key"
    as_installed = ["-o", f"{venv}/installed", f"VENV={venv}", f"DEMO_KEY={key}"]
    command = [find_binary("make"), "run", *as_installed, *words]
    options = {"cwd": ROOT, "env": os.environ | {"DATABASE_URL": database_url}}
    with (
        (folder / "log").open("wb") as output,
        run_process(
            command, stdout=output, stderr=output, start_new_session=True, **options
        ) as process,
    ):
        yield process


def workers(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the running workers, below the process of make, without their engines."""
    below = [process.pid]
    for pid in below:
        below += children(pid)
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in below}
    results = [pid for pid, command in commands.items() if command.endswith(b"flask\0worker\0")]
    engines = {child for pid in results for child in children(pid)}
    return [pid for pid in results if pid not in engines]


def test_make_run_also_installs_the_command_that_the_pages_use_afterwards(tmp_path: Path) -> None:
    venv = ["-o", f"{tmp_path}/installed", f"VENV={tmp_path}"]
    command = [find_binary("make"), "--dry-run", "run", *venv]
    planned = output_of(command)
    assert f"> {tmp_path}/bin/forecast-service" in planned


@pytest.mark.parametrize(
    ("word", "number"), [("PORT={}", signal.SIGINT), ("BIND=0.0.0.0:{}", signal.SIGTERM)]
)
def test_the_printed_request_succeeds_and_a_signal_ends_all_processes(
    tmp_path: Path, sqlite_databases: SqliteDatabases, word: str, number: signal.Signals
) -> None:
    find_binary("curl")
    port, log = free_port(), tmp_path / "log"
    with make_run(tmp_path, sqlite_databases.migrated(), word.format(port)) as process:
        wait_until(lambda: "token=" in log.read_text(), "the announcement")
        printed = log.read_text()
        assert f"http://127.0.0.1:{port}/#key=ak_" in printed
        link = re.search(
            rf"^http://127\.0\.0\.1:{port}/account/invitation\?token=\S+$", printed, re.M
        )
        assert "demo@localhost" in httpx.get(link[0]).text
        request = re.search(r"^curl (?:.*\\\n)*.*", printed, re.MULTILINE)[0]
        done = subprocess.run(["sh", "-c", request], check=True, capture_output=True)
        assert len(json.loads(done.stdout)["median"]) == 12
        wait_until(lambda: "worker started" in log.read_text(), "the worker")
        (first,) = workers(process)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: log.read_text().count("worker started") == 2, "another one")
        (second,) = workers(process)
        assert second != first
        os.killpg(process.pid, number)
        process.wait(ENDING_SECONDS)
        wait_until(lambda: not Path(f"/proc/{second}").exists(), "the end of the worker")
    assert "worker stopped" in log.read_text()
    assert not accepts_connections(port)


def test_a_stop_takes_seconds_though_a_client_and_a_source_hang(
    tmp_path: Path, sqlite_databases: SqliteDatabases, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, log, has_stopped = free_port(), tmp_path / "log", threading.Event()
    monkeypatch.setenv("SOURCE_ALLOWED_NETWORKS", "127.0.0.0/8")
    with (
        fake_prometheus(time.time) as prometheus,
        make_run(tmp_path, sqlite_databases.migrated(), f"PORT={port}") as process,
    ):
        prometheus.behave = lambda _handler: has_stopped.wait(ENDING_SECONDS) and None
        wait_until(lambda: "token=" in log.read_text(), "the announcement")
        service = httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {(tmp_path / 'key').read_text().strip()}"},
        )
        with service, socket.create_connection(("127.0.0.1", port)) as half:
            service.put("/sources/slow", json={"url": prometheus.url}).raise_for_status()
            service.put("/sources/slow/queries/slow", json={"query": "x"}).raise_for_status()
            half.sendall(b"POST /forecast HTTP/1.1\r\nHo")
            wait_until(lambda: len(prometheus.requests) >= 2, "the poll")
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(MAX_STOP_SECONDS)
        has_stopped.set()
    assert "worker stopped" in log.read_text()


def test_a_taken_port_is_named_with_the_remedy_and_nothing_is_started(
    tmp_path: Path, sqlite_databases: SqliteDatabases
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with make_run(tmp_path, sqlite_databases.migrated(), f"PORT={port}") as process:
            assert process.wait(ENDING_SECONDS) != 0
    printed = (tmp_path / "log").read_text()
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use" in printed
    assert re.search(r"for example: make run PORT=\d+$", printed, re.MULTILINE)
    assert "gunicorn" not in printed
