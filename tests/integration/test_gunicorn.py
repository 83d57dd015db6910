"""A real server with four workers: limits are exact over all of them, and a kill loses nothing."""

import collections
import contextlib
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest
import redis

from app.ops.server import GUNICORN_COMMAND
from tests.integration.workers import worker_ids
from tests.support.databases import POSTGRESQL, SqliteDatabases
from tests.support.keys import QUICK
from tests.support.series import daily_body
from tests.support.server import ROOT, Server, run_server
from tests.support.services import (
    ENDING_SECONDS,
    STARTUP_SECONDS,
    accepts_connections,
    children,
    free_port,
    run_preloaded,
    run_process,
    wait_until,
)

CLIENTS = 40
REDIS = pytest.param("redis", marks=pytest.mark.services)
ON_SQLITE = pytest.mark.parametrize("kind", ["sqlite"], indirect=True, scope="module")


@pytest.fixture(scope="module", params=["sqlite", POSTGRESQL, REDIS])
def kind(request):
    """The stores of keys and counters, in turn."""
    return request.param


@pytest.fixture(scope="module")
def environment(kind, request, sqlite_databases):
    """Return the settings of a server with its own empty database."""

    def settings():
        if kind == "postgresql":
            return {"database_url": request.getfixturevalue("postgresql_databases").migrated()}
        chosen = {"database_url": sqlite_databases.migrated()}
        if kind == "redis":
            chosen["RATELIMIT_STORAGE_URI"] = request.getfixturevalue("redis_url")
            with redis.from_url(chosen["RATELIMIT_STORAGE_URI"]) as store:
                store.flushall()
        return chosen

    return settings


@pytest.fixture(scope="module")
def server(environment, tmp_path_factory):
    """A server of four workers for all tests that do not stop it."""
    folder = tmp_path_factory.mktemp("gunicorn")
    with run_server(folder, WEB_CONCURRENCY="4", **environment()) as server:
        yield server


def new_key(server: Server, *words: str) -> str:
    """Create a key."""
    return server.flask("keys", "create", "--permissions", "read", "--quiet", *words)


def mint_free(server: Server, account: str) -> str:
    """Create a key of a new Free account."""
    server.flask("accounts", "create", account, "--tier", "free")
    return new_key(server, "--account", account)


def mint_hourly(server: Server, account: str) -> str:
    """Create a key of an account that may send ten requests an hour.

    A minute, which is all that a Free account's ten have, may be over before a server has started.
    """
    limits = ("--per-minute", "1000", "--per-hour", "10", "--per-day", "1000")
    server.flask("accounts", "create", account, "--tier", "enterprise", *limits)
    return new_key(server, "--account", account)


def forecast(server: Server, key: str) -> int:
    """Request a forecast and return the status."""
    headers = {name.replace("-", "_"): value for name, value in QUICK.items()}
    return server.request("/forecast", daily_body(), key, **headers).status


def storm(server: Server, key: str) -> dict[int, int]:
    """Request a forecast from all clients at once; return the number of each status."""
    gate = threading.Barrier(CLIENTS)

    def forecast_together(_client: int) -> int:
        gate.wait()
        return forecast(server, key)

    with ThreadPoolExecutor(CLIENTS) as pool:
        return dict(collections.Counter(pool.map(forecast_together, range(CLIENTS))))


def key_row(server: Server, key: str) -> dict[str, Any]:
    """Return a key's record as the admin sees it."""
    rows = orjson.loads(server.flask("keys", "list", "--json"))
    return next(row for row in rows if key.startswith(row["prefix"]))


def send_from_many(send: Callable[[], Any]) -> list[Any]:
    """Repeat a call from many clients, often enough to reach every worker."""
    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda _turn: send(), range(CLIENTS)))


def test_forty_concurrent_clients_of_a_free_account_get_exactly_ten_forecasts(server) -> None:
    key = mint_free(server, "storm")
    assert storm(server, key) == {200: 10, 429: 30}
    assert key_row(server, key)["usage_count"] == CLIENTS


@ON_SQLITE
def test_forty_concurrent_forecasts_on_an_idle_node_are_all_served(server) -> None:
    assert storm(server, new_key(server)) == {200: CLIENTS}


@ON_SQLITE  # other databases: test_key_life.py
def test_a_key_revoked_in_a_shell_is_rejected_by_a_running_server_at_once(server) -> None:
    key = new_key(server)
    verify = functools.partial(server.request, "/verify", key=key)
    assert {response.status for response in send_from_many(verify)} == {200}
    server.flask_in_a_shell("keys", "revoke", str(key_row(server, key)["id"]))
    assert {response.status for response in send_from_many(verify)} == {401}
    assert key_row(server, key)["usage_count"] == CLIENTS


def test_a_change_of_tier_holds_in_every_worker_immediately(server) -> None:
    key = mint_free(server, "grown")
    assert forecast(server, key) == 200
    server.flask("accounts", "set-tier", "grown", "standard")
    responses = send_from_many(functools.partial(server.request, "/verify", key=key))
    limits = [response.json()["rateLimit"] for response in responses]
    assert {(limit["limit"], limit["remaining"]) for limit in limits} == {("100", "99")}


def test_workers_that_are_killed_lose_no_count_and_are_replaced(server) -> None:
    key = mint_hourly(server, "killed")
    assert [forecast(server, key) for _ in range(6)] == [200] * 6
    killed = worker_ids(server)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(worker_ids(server)) >= 2 * len(killed), "new workers")
    assert [forecast(server, key) for _ in range(6)] == [200] * 4 + [429] * 2
    assert key_row(server, key)["usage_count"] == 12


@pytest.mark.parametrize("kind", ["sqlite", REDIS], indirect=True, scope="module")
def test_the_count_continues_after_the_server_was_ended_or_killed(environment, server_folder):
    serve = functools.partial(run_server, server_folder, WEB_CONCURRENCY="2", **environment())
    with serve() as server:
        key = mint_hourly(server, "ended")
        assert [forecast(server, key) for _ in range(9)] == [200] * 9
    with serve() as server:  # the first one was ended by SIGTERM
        assert [forecast(server, key) for _ in range(2)] == [200, 429]
        for pid in (*children(server.process.pid), server.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    with serve() as server:
        response = server.request("/verify", key=key)
        assert (response.status, response.json()["rateLimit"]["remaining"]) == (200, "0")
        assert forecast(server, key) == 429
        assert key_row(server, key)["usage_count"] == 13


def test_a_server_refuses_to_start_on_an_unmigrated_database(
    sqlite_databases: SqliteDatabases, tmp_path: Path
) -> None:
    environ = os.environ | {"DATABASE_URL": sqlite_databases.empty(), "BIND": "127.0.0.1:1"}
    log = tmp_path / "log"
    with (
        log.open("wb") as output,
        run_preloaded(list(GUNICORN_COMMAND), environ, output) as process,
    ):
        assert process.wait(STARTUP_SECONDS) != 0
    assert "not migrated; run `forecast-service db upgrade` first" in log.read_text()


def test_a_server_stopped_while_loading_does_not_wait_for_workers(
    sqlite_databases: SqliteDatabases,
) -> None:
    port = free_port()
    environ = os.environ | {
        "DATABASE_URL": sqlite_databases.migrated(),
        "BIND": f"127.0.0.1:{port}",
        "FORECAST_TIMEOUT_SECONDS": "600",  # a worker may take as long
    }
    with run_process([sys.executable, "-m", *GUNICORN_COMMAND], cwd=ROOT, env=environ) as process:
        wait_until(lambda: accepts_connections(port) or process.poll() is not None, "the port")
        process.terminate()
        assert process.wait(ENDING_SECONDS) == 0
