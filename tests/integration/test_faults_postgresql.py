"""PostgreSQL gone, slow and restarted under load (D23): Error bodies in time, and recovery."""

import contextlib

import psycopg
import pytest

from app.database.engine import POOL_SIZE
from tests.support.databases import PostgresqlDatabases
from tests.support.faults import assert_answers_in_time_and_recovers
from tests.support.keys import mint
from tests.support.server import serving
from tests.support.services import postgresql_cluster, wait_until

pytestmark = [pytest.mark.services, pytest.mark.timing]

WORKERS = 2
CLIENTS = 44  # more in each worker than its pool has connections
PAUSED_SECONDS = 4.5  # longer than any answer takes
LOCKED_SECONDS = 8  # longer than any answer may take, also of those who wait for a thread


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


@contextlib.contextmanager
def stopped(cluster, _url):
    cluster.stop()
    try:
        yield
    finally:
        cluster.start()


@contextlib.contextmanager
def paused(cluster, _url):
    cluster.pause()
    try:
        yield
    finally:
        cluster.resume()


@contextlib.contextmanager
def locked(_cluster, url):
    """Every statement waits: another session holds the tables."""
    with psycopg.connect(url) as session:
        session.execute("LOCK TABLE api_keys, rate_limit_windows IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.mark.parametrize(
    ("fault", "seconds"), [(stopped, 2), (paused, PAUSED_SECONDS), (locked, LOCKED_SECONDS)]
)
def test_every_answer_comes_in_time_and_the_service_recovers(server, cluster, key, fault, seconds):
    url = server.environ["DATABASE_URL"].replace("+psycopg", "")
    assert_answers_in_time_and_recovers(
        server, key, fault(cluster, url), seconds=seconds, clients=CLIENTS
    )
    wait_until(lambda: no_connection_leaked(url), "connections that are idle and few", 30)


def no_connection_leaked(url):
    """Whether the server's own list holds the pools' idle connections and nothing else."""
    others = (
        "datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )
    with psycopg.connect(url) as session:
        states = session.execute(f"SELECT state FROM pg_stat_activity WHERE {others}").fetchall()
    return {state for (state,) in states} == {"idle"} and len(states) <= WORKERS * POOL_SIZE
