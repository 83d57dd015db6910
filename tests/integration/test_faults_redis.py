"""Redis stopped, paused, restarted empty and out of memory under load: requests are served."""

import contextlib

import pytest
import redis

from tests.support.faults import BOUND_SECONDS, BUSY, PATIENCE_SECONDS, ROOM_SECONDS
from tests.support.keys import key_row, new_key
from tests.support.load import FORECAST, HEALTH, VERIFY, Client, load, send_exactly
from tests.support.server import run_server
from tests.support.services import RedisServer, children, wait_until

pytestmark = [pytest.mark.services, pytest.mark.timing]

REQUESTS = [FORECAST, VERIFY, VERIFY, HEALTH]
WORKERS = 2
CLIENTS = 12
MAX_CONNECTIONS = WORKERS * CLIENTS + 1  # as many as were in use at once, and the test's
LOST = "the limit store is unavailable"
FOUND = "the limit store is available again"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A server that only this module uses, and breaks."""
    with RedisServer(tmp_path_factory.mktemp("redis")) as store:
        yield store


@pytest.fixture(scope="module")
def server(store, sqlite_databases, tmp_path_factory):
    """The service with its counters in that server."""
    settings = {"RATELIMIT_STORAGE_URI": store.url, "WEB_CONCURRENCY": str(WORKERS)}
    folder = tmp_path_factory.mktemp("gunicorn")
    with run_server(folder, sqlite_databases.migrated(), **settings) as server:
        yield server


@pytest.fixture(scope="module")
def key(server):
    """A key that reaches no limit."""
    return new_key(server.environ["DATABASE_URL"])


@contextlib.contextmanager
def restart_empty(store):
    store.stop()
    try:
        yield
    finally:
        store.start()


@contextlib.contextmanager
def pause_store(store):
    store.pause()
    try:
        yield
    finally:
        store.resume()


@contextlib.contextmanager
def exhaust_memory(store):
    with redis.from_url(store.url) as admin:
        admin.config_set("maxmemory-policy", "noeviction")
        admin.set("ballast", b"x" * 1_000_000)
        admin.config_set("maxmemory", "1mb")
        try:
            yield
        finally:
            admin.config_set("maxmemory", "0")
            admin.delete("ballast")


@pytest.mark.parametrize("fault", [restart_empty, pause_store, exhaust_memory])
def test_requests_continue_and_are_counted_in_the_store_again(server, store, key, fault) -> None:
    workers = children(server.process.pid)
    logged = len(server.logged)
    with load(server.url, key, REQUESTS, clients=CLIENTS, pause=0.03) as sent:
        wait_until(lambda: len(sent.calls) > 20, "a steady load")
        with fault(store):
            wait_until(lambda: LOST in server.logged[logged:], "the loss", PATIENCE_SECONDS)
            met = len(sent.calls)
            wait_until(lambda: len(sent.calls) > met + 5 * CLIENTS, "requests without the store")
        wait_until(lambda: FOUND in server.logged[logged:], "recovery", PATIENCE_SECONDS)
    sent.assert_errors_have_the_one_shape()
    assert sent.max_seconds() < BOUND_SECONDS + ROOM_SECONDS
    assert set(sent.statuses("/forecast")) - {BUSY} == {200}
    assert set(sent.statuses("/verify")) == {200}
    assert set(sent.statuses("/healthz")) == {200}
    assert children(server.process.pid) == workers
    wait_until(
        lambda: are_all_counted_in_store(server, store, key),
        "counts of both workers",
        PATIENCE_SECONDS,
    )


def test_counts_of_all_workers_reach_redis_after_its_outage(server, store):
    database_url = server.environ["DATABASE_URL"]
    key = new_key(database_url)
    counter = f"LIMITS/account:{key_row(database_url, key).account_id}/3600"
    with restart_empty(store):
        sent = send_exactly(server.url, key, FORECAST, clients=CLIENTS, times=4)
        assert set(sent.statuses()) - {BUSY} == {200}
    with redis.from_url(store.url) as admin:

        def are_counts_joined():
            send_exactly(server.url, key, VERIFY, clients=CLIENTS, times=1)  # reaches both workers
            return int(admin.get(counter) or 0) >= len(sent.calls)

        wait_until(are_counts_joined, "counts of both workers", PATIENCE_SECONDS)
        for _again in range(2):
            assert are_counts_joined()
        assert int(admin.get(counter)) == len(sent.calls)


def are_all_counted_in_store(server, store, key):
    """Return whether each forecast counts in the empty store, from any worker."""
    with redis.from_url(store.url) as admin:
        admin.flushall()
        for _ in range(10):
            client = Client(server.url, key)
            assert client.send(FORECAST).status == 200
            client.close()
        assert int(admin.info("clients")["connected_clients"]) <= MAX_CONNECTIONS
        return {int(admin.get(name)) for name in admin.keys("*account*")} == {10}
