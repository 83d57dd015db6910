"""`forecast-service worker`: once, and until its engine process ends."""

import os
import signal
import time
from pathlib import Path

import orjson
import pytest

from app.core.database import db
from app.core.unchanged import UNCHANGED
from app.delivery.heartbeat import last_heartbeat
from app.watching.sources.source_reader import get_query
from app.watching.sources.source_records import SourceSettings
from tests.support.databases import second_application
from tests.support.fake_prometheus import fake_prometheus
from tests.support.keys import ACTOR
from tests.support.services import ENDING_SECONDS, run_preloaded, wait_until, whole_lines
from tests.support.watching import put_query, put_source
from tests.watching.sources.source_queries import QUERY_SETTINGS

pytestmark = pytest.mark.usefixtures("each_database")


def run_worker(database_url: str, log: Path, *words: str):
    environ = os.environ | {"DATABASE_URL": database_url, "SOURCE_ALLOWED_NETWORKS": "127.0.0.0/8"}
    return run_preloaded(["app.ops.cli", *words], environ, log.open("ab"))


def test_once_polls_what_is_due_and_ends(database_url: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with fake_prometheus(time.time) as server, second_application(database_url):
        server.add_series(lambda at: float(at % 7))
        put_source(ACTOR, 1, "prod", SourceSettings(server.url, UNCHANGED, None, []))
        put_query(ACTOR, 1, "prod", "rate", QUERY_SETTINGS)
        with run_worker(database_url, log, "worker", "--once") as process:
            assert process.wait(ENDING_SECONDS) == 0
        assert get_query(1, "prod", "rate").state == "live"
    lines = [orjson.loads(line) for line in whole_lines(log).splitlines()]
    (filled, *_) = [line for line in lines if line["message"] == "poll"]
    assert (filled["query"], filled["host"], filled["created"]) == ("rate", "127.0.0.1", 1)


def test_the_engine_of_a_worker_loads_its_libraries_before_its_first_job(
    database_url: str, tmp_path: Path
) -> None:
    """Else the first forecast takes their time, and each engine that runs out of it starts anew."""
    log = tmp_path / "log"
    with run_worker(database_url, log, "worker"):
        wait_until(lambda: "the engine's libraries are loaded" in log.read_text(), "the libraries")


def children(pid: int) -> list[int]:
    return [int(part) for part in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_the_worker_ends_with_its_fork_server_so_that_both_are_started_again(
    database_url: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with run_worker(database_url, log, "worker") as process:
        wait_until(lambda: "worker started" in log.read_text(), "the worker")
        with second_application(database_url):
            wait_until(lambda: last_heartbeat(db.engine) is not None, "its heartbeat")
        (fork_server,) = children(process.pid)
        os.kill(fork_server, signal.SIGKILL)
        assert process.wait(ENDING_SECONDS) == 1
    assert "the engine process has ended" in log.read_text()
