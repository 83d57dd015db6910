"""The engine processes of a real server: replaced if they hold too much memory or are killed."""

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import orjson
import pytest

from tests.integration.test_memory import resident_mb
from tests.integration.workers import supervisor, web_workers
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key, usage
from tests.support.load import FORECAST, VERIFY, Call, Request, load
from tests.support.machine_speed import slowness
from tests.support.series import daily_body, regular_body
from tests.support.server import Server, run_server
from tests.support.services import children, wait_until

ENGINES = 2
KILLS = 3
LONG_MODEL = "forecast-model-1"
SETTINGS = {"WEB_CONCURRENCY": str(ENGINES), "PAGES_PER_MINUTE": "100000"}


def long_forecast() -> Request:
    return "POST", "/forecast", orjson.dumps(regular_body("Hours", 50_000))


def table(rows: int) -> Request:
    days = np.datetime64("1400-01-01") + np.arange(rows)
    lines = [f"{day},{number % 97}" for number, day in enumerate(days)]
    return "POST", "/read", "\n".join(["day,sales", *lines]).encode()


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return new_key(server.environ["DATABASE_URL"])


def kill_supervisor(server: Server) -> None:
    """Kill the supervisor, and wait for the next one and its engines, without a forecast."""
    killed = supervisor(server)
    os.kill(killed, signal.SIGKILL)

    def is_replaced() -> bool:
        pid = supervisor(server)
        return pid not in (0, killed) and len(children(pid)) == ENGINES

    wait_until(is_replaced, "another supervisor with its engines", 10)


def test_a_killed_supervisor_is_replaced_before_anybody_asks_for_a_forecast(
    server: Server, key: str
) -> None:
    workers = web_workers(server)
    kill_supervisor(server)
    assert "engine supervisor" in server.logged
    responses = [server.request("/forecast", daily_body(), key).status for _ in range(4)]
    assert responses == [200] * 4
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
    print(f"\n{statuses} of forecasts, slowest {forecasts.max_seconds():.1f} s")
    assert set(statuses) == {200}
    assert set(verifies.statuses()) == {200}


@pytest.fixture
def small_service(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A service whose engines may allocate so little that large tables do not fit."""
    folder = tmp_path_factory.mktemp("small")
    settings = {"PROCESS_MEMORY_MB": "300", "PAGES_PER_MINUTE": "100000"}
    with run_server(folder, sqlite_databases.migrated(), **settings) as running:
        yield running


def test_jobs_that_need_too_much_memory_fail_no_others(small_service: Server) -> None:
    url = small_service.environ["DATABASE_URL"]
    key = new_key(url)
    with (
        load(small_service.url, key, [FORECAST, VERIFY], clients=4, pause=0.02) as sent,
        load(
            small_service.url, None, [table(250_000)], clients=2, Content_Type="text/csv"
        ) as rejected,
    ):
        wait_until(lambda: small_service.logged.count("; replacing it") >= 4, "new engines")
    assert sent.statuses() == {200: len(sent.calls)}
    assert usage(url, key) == len(sent.calls)
    # An engine with enough free heap rejects a table for its points.
    assert set(rejected.statuses()) <= {413, 422}
    for call in [call for call in rejected.calls if call.status == 422]:
        issue = orjson.loads(call.body)["error"]["details"]["issue"]
        assert "more than the 300 MiB of memory" in issue
        assert "send a smaller table" in issue
    sizes = [resident_mb(pid) for pid in children(supervisor(small_service))]
    assert max(sizes) < 350, "pages of libraries that it loads later come to its own"


def percentile(calls: Sequence[Call], share: float) -> float:
    """Return the time within which this fraction of the calls ended."""
    return sorted(call.seconds for call in calls)[int(share * (len(calls) - 1))]


@pytest.mark.timing
def test_a_flood_of_one_account_does_not_stop_another_accounts_forecasts(
    server: Server, key: str
) -> None:
    """Fifty at a time of 50,000 points each: some of these are rejected, none of the others."""
    other = new_key(server.environ["DATABASE_URL"])
    with load(server.url, other, [long_forecast()], clients=50, model=LONG_MODEL) as flood:
        wait_until(lambda: len(flood.calls) >= 20, "the flood")
        with load(server.url, key, [FORECAST], clients=2, pause=0.1) as small:
            wait_until(lambda: len(small.calls) >= 60, "small forecasts")
    slow = percentile(small.calls, 0.99)
    print(f"\n{flood.statuses()} of the flood, {small.statuses()} beside it, p99 {slow:.2f} s")
    assert small.statuses() == {200: len(small.calls)}
    assert flood.statuses()[200] > 0
    flood.assert_errors_have_the_one_shape()
    assert slow <= 2.0 * slowness()


@pytest.mark.timing
def test_fifty_concurrent_long_forecasts_are_served_or_rejected(
    sqlite_databases: SqliteDatabases, tmp_path: Path
) -> None:
    """At the defaults of the service, so that each process waits for locks of the others."""
    url = sqlite_databases.migrated()
    with (
        run_server(tmp_path, url) as default,
        load(default.url, new_key(url), [long_forecast()], clients=50, model=LONG_MODEL) as flood,
    ):
        wait_until(lambda: len(flood.calls) >= 100, "a hundred responses", 120)
    print(f"\n{flood.statuses()}, slowest {flood.max_seconds():.1f} s")
    assert set(flood.statuses()) == {200, 503}
    flood.assert_errors_have_the_one_shape()


@pytest.mark.timing
def test_forecasts_are_served_beside_a_flood_of_tables_without_a_key(
    server: Server, key: str
) -> None:
    with load(server.url, None, [table(150_000)], clients=8, Content_Type="text/csv") as flood:
        wait_until(lambda: len(flood.calls) >= 2, "the flood")
        with load(server.url, key, [FORECAST], clients=2, pause=0.1) as small:
            wait_until(lambda: len(small.calls) >= 60, "small forecasts")
    slow = percentile(small.calls, 0.99)
    print(f"\n{flood.statuses()} of the flood, {small.statuses()} beside it, p99 {slow:.2f} s")
    assert small.statuses() == {200: len(small.calls)}
    assert slow <= 2.0 * slowness()
