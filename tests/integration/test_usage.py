"""Usage counts include every request that got a response, also if workers are killed."""

import os
import signal

import pytest

from tests.integration.workers import web_workers
from tests.support.keys import new_key, usage
from tests.support.load import FORECAST, VERIFY, load, send_exactly
from tests.support.server import run_server
from tests.support.services import wait_until

CLIENTS = 8
WORKERS = 4
REQUESTS = 2_000
MANY_REQUESTS = 10_000  # by `make soak`


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


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
@pytest.mark.parametrize("number", [REQUESTS, pytest.param(MANY_REQUESTS, marks=pytest.mark.soak)])
def test_thousands_of_requests_of_eight_clients_are_as_many_uses(server, database_url, key, number):
    sent = send_exactly(server.url, key, VERIFY, clients=CLIENTS, times=number // CLIENTS)
    assert sent.statuses() == {200: number}
    assert usage(database_url, key) == number


def test_workers_killed_amid_requests_lose_none_that_got_a_response(server, database_url, key):
    with load(server.url, key, [VERIFY, FORECAST], clients=CLIENTS) as sent:
        for _round in range(3):
            seen = len(sent.calls)
            wait_until(lambda seen=seen: len(sent.calls) > seen + 50, "a steady load")
            victims = web_workers(server)[::2]
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            wait_until(lambda gone=victims: not {*gone} & {*web_workers(server)}, "the end")
        seen = len(sent.calls)
        wait_until(lambda: len(sent.calls) > seen + 50, "calls after the last kill")
    statuses = sent.statuses()
    cut_off = statuses.pop(0, 0)
    responses = statuses.total()
    assert set(statuses) <= {200, 503}
    assert cut_off > 0
    assert responses <= usage(database_url, key) <= responses + cut_off
