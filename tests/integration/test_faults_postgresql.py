"""PostgreSQL stopped, slow and restarted under load: error bodies in time, and recovery."""

import contextlib
import time

import orjson
import psycopg
import pytest

from app.core.database.engine import POOL_SIZE
from app.identity.accounts.permissions import Permission
from tests.support.databases import PostgresqlDatabases
from tests.support.faults import assert_responds_in_time_and_recovers
from tests.support.keys import new_key
from tests.support.load import FORECAST, VERIFY, load
from tests.support.monitors import SETTINGS, points
from tests.support.server import run_server
from tests.support.services import postgresql_cluster, wait_until

pytestmark = [pytest.mark.services, pytest.mark.timing]

WORKERS = 2
PAGE = ("GET", "/account/sign-in", None)
CLIENTS = 44  # more in each worker than its pool has connections
PAUSED_SECONDS = 4.5  # longer than any response takes
LOCKED_SECONDS = 8  # longer than any response may take, with the wait for a thread


@pytest.fixture(scope="module")
def cluster():
    """A server that only this module uses, and breaks."""
    with postgresql_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def server(cluster, tmp_path_factory):
    """The service with keys and counters in that server."""
    url = PostgresqlDatabases(cluster.url).migrated()
    folder = tmp_path_factory.mktemp("gunicorn")
    with run_server(folder, url, WEB_CONCURRENCY=str(WORKERS)) as server:
        yield server


@pytest.fixture(scope="module")
def key(server):
    """A key that reaches no limit."""
    return new_key(server.environ["DATABASE_URL"])


@contextlib.contextmanager
def stop_cluster(cluster, _url):
    cluster.stop()
    try:
        yield
    finally:
        cluster.start()


@contextlib.contextmanager
def pause_cluster(cluster, _url):
    cluster.pause()
    try:
        yield
    finally:
        cluster.resume()


@contextlib.contextmanager
def lock_tables(_cluster, url):
    """Let every statement wait: another session locks the tables."""
    with psycopg.connect(url) as session:
        session.execute("LOCK TABLE api_keys, rate_limit_windows IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [(stop_cluster, 2), (pause_cluster, PAUSED_SECONDS), (lock_tables, LOCKED_SECONDS)],
)
def test_responses_come_in_time_and_the_service_recovers(server, cluster, key, fault, seconds):
    url = server.environ["DATABASE_URL"].replace("+psycopg", "")
    assert_responds_in_time_and_recovers(
        server, key, fault(cluster, url), seconds=seconds, clients=CLIENTS
    )
    wait_until(lambda: has_only_pooled_connections(url), "connections that are idle and few", 30)


def test_a_restart_under_load_fails_no_request(server, cluster) -> None:
    """Requests wait for the server; those that it interrupted get Retry-After."""
    key = new_key(server.environ["DATABASE_URL"], permissions=Permission)
    monitors = [f"/monitors/m{number}" for number in range(4)]
    for monitor in monitors:
        assert server.request(monitor, SETTINGS, key, method="PUT").status == 201
    appends = [("POST", f"{path}/points", orjson.dumps(points([1.0]))) for path in monitors]
    kinds = {"verify": VERIFY, "forecast": FORECAST, "page": PAGE, "keys": ("GET", "/keys", None)}
    with contextlib.ExitStack() as stack:
        sent = {
            name: stack.enter_context(load(server.url, key, [request], clients=4, pause=0.02))
            for name, request in kinds.items()
        }
        for append in appends:
            sent[append[1]] = stack.enter_context(load(server.url, key, [append], clients=1))
        for steady in sent.values():
            wait_until(lambda steady=steady: len(steady.calls) > 5, "a steady load")
        cluster.stop()
        cluster.start()
        started = time.monotonic()
        for steady in sent.values():
            wait_until(
                lambda steady=steady: steady.statuses(since=started)[200] > 5, "good responses"
            )
    statuses = {name: dict(steady.statuses()) for name, steady in sent.items()}
    slowest = max(steady.max_seconds() for steady in sent.values())
    print(f"\n{statuses} with a restart; the slowest took {slowest:.1f} s")
    for name, appending in sent.items():
        appending.assert_errors_have_the_one_shape()
        assert set(appending.statuses()) <= (
            {200} if name in ("verify", "forecast") else {200, 503}
        )


def has_only_pooled_connections(url):
    """Return whether the server's own list holds the pools' idle connections and nothing else."""
    others = (
        "datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )
    with psycopg.connect(url) as session:
        states = session.execute(f"SELECT state FROM pg_stat_activity WHERE {others}").fetchall()
    return {state for (state,) in states} == {"idle"} and len(states) <= WORKERS * POOL_SIZE
