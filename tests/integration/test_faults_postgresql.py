"""PostgreSQL gone, slow and restarted under load (D23): Error bodies in time, and recovery."""

import time

import psycopg
import pytest

from app.database import POOL_SIZE
from tests.support.databases import PostgresqlDatabases
from tests.support.keys import mint
from tests.support.load import FORECAST, HEALTH, VERIFY, Client, load
from tests.support.server import serving
from tests.support.services import children, postgresql_cluster, wait_until

pytestmark = pytest.mark.services

BOUND_SECONDS = 5  # D23
WORKERS = 2
CLIENTS = 44  # more in each worker than its pool has connections
BUSY = 503  # of /forecast: more at once than may wait for an engine
REQUESTS = [FORECAST, VERIFY, VERIFY, VERIFY, HEALTH]


@pytest.fixture(scope="module")
def cluster():
    """A server that this module alone may break."""
    with postgresql_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def server(cluster, tmp_path_factory):
    """The service with keys and counters in that server."""
    url = PostgresqlDatabases(cluster.url).migrated()
    folder = tmp_path_factory.mktemp("gunicorn")
    with serving(folder, url, WEB_CONCURRENCY=str(WORKERS)) as server:
        yield server


@pytest.fixture(scope="module")
def key(server):
    """A key that no limit stops."""
    return mint(server.environ["DATABASE_URL"])


def stopped(cluster, _url):
    cluster.stop()
    time.sleep(2)
    cluster.start()


def paused(cluster, _url):
    cluster.pause()
    time.sleep(4.5)  # longer than any answer takes
    cluster.resume()


def locked(_cluster, url):
    """Every statement waits: another session holds the tables."""
    with psycopg.connect(url) as session:
        session.execute("LOCK TABLE api_keys, rate_limit_counters IN ACCESS EXCLUSIVE MODE")
        time.sleep(4)


@pytest.mark.parametrize("fault", [stopped, paused, locked])
def test_every_answer_comes_in_time_and_the_service_recovers(server, cluster, key, fault):
    workers = children(server.process.pid)
    url = server.environ["DATABASE_URL"].replace("+psycopg", "")
    with load(server.url, key, REQUESTS, clients=CLIENTS, pause=0.05) as sent:
        time.sleep(0.5)
        fault(cluster, url)
        client = Client(server.url, key)
        wait_until(lambda: client.send(HEALTH).status == 200, "health", 3)
        wait_until(lambda: client.send(VERIFY).status == 200, "an accepted key", 3)
        client.close()
        time.sleep(1)  # the other worker has recovered too
        mended_at = time.monotonic()
        time.sleep(0.7)
    sent.assert_errors_have_the_one_shape()
    assert sent.slowest() < BOUND_SECONDS
    assert set(sent.statuses("/verify")) == {200, 500}
    assert set(sent.statuses("/forecast")) - {BUSY} == {200, 500}
    assert set(sent.statuses("/healthz")) == {200, 503}
    assert set(sent.statuses(since=mended_at)) - {BUSY} == {200}
    assert children(server.process.pid) == workers
    assert_no_connection_leaked(url)


def assert_no_connection_leaked(url):
    """The server's own list holds the pools' idle connections and nothing else."""
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(url) as session:
        states = session.execute(f"SELECT state FROM pg_stat_activity WHERE {others}").fetchall()
    assert {state for (state,) in states} == {"idle"}
    assert len(states) <= WORKERS * POOL_SIZE
