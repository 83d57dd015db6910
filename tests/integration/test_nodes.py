"""Two nodes of two workers each share one limit and one clock."""

import contextlib
import math
import time
from collections import Counter

import pytest
import redis

from app.identity.limits.budget import Budget
from app.identity.limits.headers import rate_limit_headers
from app.identity.limits.stores import open_store
from tests.support.databases import POSTGRESQL
from tests.support.keys import new_key, usage
from tests.support.load import FORECAST, Client, run_in_parallel
from tests.support.server import run_server
from tests.support.services import wait_until

REDIS = pytest.param("redis", marks=pytest.mark.services)
LIMIT = 37
CLIENTS = 10
AHEAD, BEHIND = 2.0, -2.0
TICK = 0.005  # Redis counts in milliseconds and reads its clock twice


@pytest.fixture
def settings(request, sqlite_databases):
    """The stores of keys and counters of both nodes."""
    if request.param == "postgresql":
        return {"database_url": request.getfixturevalue("postgresql_databases").migrated()}
    return {"database_url": sqlite_databases.migrated()}


# Redis: tests/edge/test_nodes.py.
@pytest.mark.parametrize("settings", ["sqlite", POSTGRESQL], indirect=True)
def test_two_nodes_let_exactly_the_limit_through_and_rejections_use_nothing(
    settings, server_folder
):
    statuses, left = [], []
    key = new_key(settings["database_url"], LIMIT)
    with contextlib.ExitStack() as stack:
        nodes = [
            stack.enter_context(run_server(server_folder, WEB_CONCURRENCY="2", **settings))
            for _ in range(2)
        ]

        def send_requests() -> None:
            for node in nodes * 4:
                client = Client(node.url, key)
                statuses.append(client.send(FORECAST).status)
                client.close()

        run_in_parallel(send_requests, CLIENTS)
        for node in nodes:
            response = node.request("/verify", key=key)
            left.append(response.json()["rateLimit"]["remaining"])
    assert Counter(statuses) == {200: LIMIT, 429: CLIENTS * 8 - LIMIT}
    assert left == ["0", "0"]
    assert usage(settings["database_url"], key) == CLIENTS * 8 + 2


@pytest.fixture(params=[POSTGRESQL, REDIS])
def kind(request):
    return request.param


@pytest.fixture
def nodes(kind, request, monkeypatch):
    """The stores of two nodes, whose clocks are 2 s ahead and 2 s behind."""
    if kind == "redis":
        uri = request.getfixturevalue("redis_url")
        with redis.from_url(uri) as server:
            server.flushall()
    else:
        uri = request.getfixturevalue("postgresql_databases").migrated()
    stores = [open_store(uri, None) for _ in range(2)]
    real = time.time

    def call_store(node, question, budget):
        with monkeypatch.context() as patched:
            patched.setattr(time, "time", lambda: real() + (AHEAD, BEHIND)[node])
            return getattr(stores[node], question)(budget)

    yield call_store
    for store in stores:
        if hasattr(store, "engine"):
            store.engine.dispose()


def test_nodes_whose_clocks_differ_agree_on_the_end_of_a_window(nodes, kind) -> None:
    asked = Budget("account:1", ((60, 50), (3_600, 100)))
    before = time.time()
    readings = [nodes(0, "acquire", asked)]
    after = time.time()
    readings += [nodes(turn % 2, "acquire", asked) for turn in range(1, 40)]
    shown = [rate_limit_headers(reading) for reading in readings]
    ends = [int(headers["X-RateLimit-Reset"]) for headers in shown]
    # Redis's ends are a tick apart; rounded up they may be a second apart.
    assert max(ends) - min(ends) <= int(kind == "redis")
    assert [int(headers["X-RateLimit-Remaining"]) for headers in shown] == [*range(49, 9, -1)]
    assert math.ceil(before - TICK + 60) <= ends[0] <= math.ceil(after + 60)


def test_a_window_opens_at_its_second_on_every_node_regardless_of_its_clock(nodes) -> None:
    """Each request is counted by the clock of the store on arrival; a late one does no harm."""
    asked = Budget("account:2", ((2, 1),))
    end = 0.0

    def acquire_budget(node) -> None:
        nonlocal end
        before = time.time()
        reading = nodes(node, "acquire", asked)
        assert before - TICK <= reading.now <= time.time()
        let_through = reading.rejected_by is None
        if abs(reading.now - end) > TICK:
            assert let_through == (reading.now > end)
        if let_through:
            end = reading.windows[0].resets_at
            assert abs(end - reading.now - 2) <= TICK

    acquire_budget(0)
    while time.time() < end - 0.1:
        acquire_budget(0)
        acquire_budget(1)
        time.sleep(0.2)
    wait_until(lambda: time.time() > end + TICK, "the end of the window")
    acquire_budget(1)
    acquire_budget(0)
