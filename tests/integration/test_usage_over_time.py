"""Usage over time of real processes: a killed one loses little, others lose nothing."""

import contextlib
import os
import signal

import pytest
from sqlalchemy import create_engine

from tests.integration.workers import web_workers
from tests.support.keys import key_row, new_key
from tests.support.load import FORECAST, VERIFY, load, send_exactly
from tests.support.server import run_server
from tests.support.services import wait_until
from tests.support.usage import calls_of

WORKERS = 2
CLIENTS = 4
REQUESTS = 400
WRITTEN_SECONDS = 10  # what is older is not lost when a process is killed


@pytest.fixture
def database_url(databases):
    """Both kinds of database."""
    return databases.migrated()


@pytest.fixture
def server(database_url, server_folder):
    with run_server(server_folder, database_url, WEB_CONCURRENCY=str(WORKERS)) as server:
        wait_until(lambda: len(web_workers(server)) == WORKERS, "all workers")
        yield server


@pytest.fixture
def key(database_url):
    return new_key(database_url)


@contextlib.contextmanager
def count_calls(database_url, key):
    """Return a function that reads the calls of ``key`` over all hours."""
    engine = create_engine(database_url)
    key_id = key_row(database_url, key).id
    yield lambda: calls_of(engine, key_id)
    engine.dispose()


def test_killed_processes_lose_ten_seconds_of_usage_at_most(server, database_url, key) -> None:
    send_exactly(server.url, key, VERIFY, clients=CLIENTS, times=REQUESTS // CLIENTS)
    with count_calls(database_url, key) as written:
        wait_until(lambda: written() == REQUESTS, "the writes", WRITTEN_SECONDS)
        victims = web_workers(server)
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not {*victims} & {*web_workers(server)}, "the end of the workers")
        with load(server.url, key, [VERIFY, FORECAST], clients=CLIENTS) as sent:
            wait_until(lambda: sent.statuses()[200] > REQUESTS, "a load of new workers")
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(timeout=60) == 0
        assert written() == key_row(database_url, key).usage_count > 2 * REQUESTS
