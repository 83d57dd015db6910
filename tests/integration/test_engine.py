"""The engine processes behind the real server: replaced when they hold too much, or are killed."""

import os
import signal
from collections.abc import Iterator

import pytest

from tests.integration.workers import supervisor, web_workers
from tests.support.databases import SqliteDatabases
from tests.support.keys import mint, usage
from tests.support.load import FORECAST, VERIFY, load
from tests.support.series import daily
from tests.support.server import Server, serving
from tests.support.services import children, wait_until

ENGINES = 2
KILLS = 3
SETTINGS = {"WEB_CONCURRENCY": str(ENGINES)}


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return mint(server.environ["DATABASE_URL"])


def kill_supervisor(server: Server) -> None:
    """Kill it, and wait for the next one and its engines; nobody asks for a forecast."""
    killed = supervisor(server)
    os.kill(killed, signal.SIGKILL)

    def is_replaced() -> bool:
        found = supervisor(server)
        return found not in (0, killed) and len(children(found)) == ENGINES

    wait_until(is_replaced, "another supervisor with its engines", 10)


def test_a_killed_supervisor_is_replaced_before_anybody_asks_for_a_forecast(
    server: Server, key: str
) -> None:
    workers = web_workers(server)
    kill_supervisor(server)
    assert "engine supervisor" in server.logged
    answers = [server.request("/forecast", daily(), key).status for _ in range(4)]
    assert answers == [200] * 4
    assert web_workers(server) == workers


def test_a_supervisor_that_is_killed_under_load_fails_no_request(server: Server, key: str) -> None:
    model = "forecast-model-1"
    with (
        load(server.url, key, [FORECAST], clients=8, model=model) as forecasts,
        load(server.url, key, [VERIFY], clients=2, pause=0.02) as verifies,
    ):
        for _ in range(KILLS):
            before = len(forecasts.calls)
            wait_until(lambda before=before: len(forecasts.calls) > before + 20, "forecasts")
            kill_supervisor(server)
    statuses = forecasts.statuses()
    print(f"\n{statuses} of forecasts, slowest {forecasts.slowest():.1f} s")
    assert set(statuses) == {200}
    assert set(verifies.statuses()) == {200}


@pytest.fixture
def small(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A service whose bound of memory is below what an engine starts with."""
    folder, settings = tmp_path_factory.mktemp("small"), {"PROCESS_MEMORY_MB": "1"}
    with serving(folder, sqlite_databases.migrated(), **settings) as running:
        yield running


def test_replacing_the_only_engine_after_each_job_loses_no_request(small: Server) -> None:
    url = small.environ["DATABASE_URL"]
    key = mint(url)
    with load(small.url, key, [FORECAST, VERIFY], clients=4, pause=0.02) as sent:
        wait_until(lambda: small.logged.count("MiB; replacing it") > 20, "new engines")
    assert sent.statuses() == {200: len(sent.calls)}
    assert usage(url, key) == len(sent.calls)
