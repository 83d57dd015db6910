"""Two nodes behind one nginx, keys in PostgreSQL and counters in Redis: one service to clients."""

import contextlib
import http.server
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import pytest
import redis

from app.core.database import db
from app.identity.accounts.permissions import Permission
from tests.support.activation import Node, two_nodes
from tests.support.databases import PostgresqlDatabases, second_application
from tests.support.edge import WIDE, Edge, curl, edge
from tests.support.keys import new_key, usage
from tests.support.load import FORECAST, VERIFY, Client, load, run_in_parallel
from tests.support.many_webhooks import (
    ALLOWED,
    QuickReceiver,
    add_account,
    add_messages,
    count_attempted,
    deliverer,
    quick_receiver,
    silent_hosts,
)
from tests.support.monitors import LEARNED, SETTINGS, noise_at_100, points
from tests.support.server import Server
from tests.support.services import accepts_connections, wait_until

LIMIT = 37
CLIENTS, VERIFIERS = 10, 4
SILENT_HOSTS, MESSAGES_EACH = 60, 10
MAX_SECONDS = 5.0  # the delay of a message


@pytest.fixture(scope="module")
def settings(postgresql_databases: PostgresqlDatabases, redis_url: str) -> dict[str, str]:
    """The stores of keys and counters of both nodes."""
    with redis.from_url(redis_url) as store:
        store.flushall()
    return {"database_url": postgresql_databases.migrated(), "REDIS_URL": redis_url} | ALLOWED


@pytest.fixture(scope="module")
def nodes(
    settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Node]]:
    with two_nodes(tmp_path_factory.mktemp("nodes"), settings) as made:
        yield made


@pytest.fixture(scope="module")
def site(nodes: list[Node], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    with edge(
        tmp_path_factory.mktemp("nginx"), [node.address for node in nodes], **WIDE
    ) as running:
        yield running


def nodes_asked(site: Edge, path: str) -> dict[str, str]:
    """Return the nodes that nginx has sent requests for ``path`` to, in order."""
    return {line["request_id"]: line["node"] for line in site.requests() if line["path"] == path}


def test_limits_are_exact_over_both_nodes(
    site: Edge, nodes: list[Node], settings: dict[str, str]
) -> None:
    key = new_key(settings["database_url"], LIMIT)
    statuses: Counter[int] = Counter()

    def send_requests() -> None:
        client = Client(site.https, key)
        statuses.update(client.send(FORECAST).status for _ in range(8))
        client.close()

    run_in_parallel(send_requests, CLIENTS)
    assert statuses == {200: LIMIT, 429: CLIENTS * 8 - LIMIT}
    assert usage(settings["database_url"], key) == CLIENTS * 8
    assert set(nodes_asked(site, "/forecast").values()) == {node.address for node in nodes}


def test_a_node_that_is_restarted_fails_no_request_and_is_asked_again(
    site: Edge, nodes: list[Node], settings: dict[str, str]
) -> None:
    key = new_key(settings["database_url"])
    with load(site.https, key, [FORECAST, VERIFY], clients=4, pause=0.05) as sent:
        wait_until(lambda: len(sent.calls) > 20, "a steady load")
        nodes[1].service.stop()
        nodes[1].service.start()
        before = set(nodes_asked(site, "/forecast"))

        def is_asked() -> bool:
            asked = nodes_asked(site, "/forecast").items()
            return any(node == nodes[1].address for request, node in asked if request not in before)

        wait_until(is_asked, "requests")
    assert set(sent.statuses()) == {200}
    # A start may take longer than the 10 s after which nginx asks the next node for /verify.
    asked_twice = sum("," in node for node in nodes_asked(site, "/verify").values())
    assert 0 <= usage(settings["database_url"], key) - len(sent.calls) <= asked_twice


def seconds_to_arrive(client: Client, receiver: QuickReceiver) -> float:
    """Return the seconds from an append with an event until the receiver has the message."""

    def send(method: str, path: str, body: object) -> None:
        call = client.send((method, path, orjson.dumps(body)))
        assert call.status in (200, 201), call.body

    history = points(noise_at_100(LEARNED))
    send("PUT", "/webhooks/ops", {"url": receiver.url})
    send("PUT", "/monitors/fair", SETTINGS | {"webhook": "ops", "series": [history]})
    began = time.time()
    send("POST", "/monitors/fair/points", points([170.0] * 3, LEARNED))
    wait_until(lambda: bool(receiver.arrivals()), "the message")
    ((arrived, _),) = receiver.arrivals()
    return arrived - began


def test_a_message_of_an_account_does_not_wait_for_silent_hosts_of_another(
    site: Edge, settings: dict[str, str], tmp_path: Path
) -> None:
    url = settings["database_url"]
    client = Client(site.https, new_key(url, permissions=[Permission.READ, Permission.WRITE]))
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(quick_receiver(tmp_path / "receiver"))
        for number in range(2):
            stack.enter_context(deliverer(url, receiver, tmp_path / f"{number}.log"))
        silent = stack.enter_context(silent_hosts(SILENT_HOSTS))
        stack.enter_context(second_application(url))
        add_messages(db.engine, add_account(db.engine, "silent"), silent, MESSAGES_EACH)
        wait_until(
            lambda: count_attempted(db.engine) >= SILENT_HOSTS / 2, "attempts at silent hosts"
        )
        assert seconds_to_arrive(client, receiver) < MAX_SECONDS
    client.close()


@pytest.mark.timing
def test_a_killed_node_fails_only_what_it_was_computing_or_sending(
    site: Edge, nodes: list[Node], settings: dict[str, str]
) -> None:
    key = new_key(settings["database_url"])
    with (
        load(site.https, key, [FORECAST], clients=CLIENTS) as forecasts,
        load(site.https, key, [VERIFY], clients=VERIFIERS, pause=0.005) as verifies,
    ):
        wait_until(lambda: len(forecasts.calls) > 100 < len(verifies.calls), "a steady load")
        killing = time.monotonic()
        nodes[1].service.kill()
        wait_until(lambda: not accepts_connections(nodes[1].port), "the end of its processes")
        killed = time.monotonic()
        wait_until(lambda: forecasts.statuses(since=killed)[200] > 50, "forecasts without it")
        wait_until(lambda: verifies.statuses(since=killed)[200] > 50, "calls without it")
    failed = [call for call in forecasts.calls if call.status != 200]
    assert len(failed) <= CLIENTS
    # gunicorn sends a body after its headers; a node killed in between has begun its response.
    assert {call.status for call in failed} <= {0, 503}
    broken = [call for call in verifies.calls if call.status != 200]
    assert len(broken) <= VERIFIERS
    assert {call.status for call in broken} <= {0}
    for call in failed + broken:
        assert call.started < killed
        assert call.started + call.seconds > killing
    wait_until(lambda: len(nodes_asked(site, "/forecast")) >= len(forecasts.calls), "the log")
    asked = nodes_asked(site, "/forecast")
    rejected = [call for call in failed if call.status == 503]
    assert {asked[str(call.request_id)] for call in rejected} <= {nodes[1].address}
    forecasts.assert_errors_have_the_one_shape()


def test_a_node_that_hangs_is_left_out_after_three_requests(
    tmp_path: Path, service: Server, gunicorn_socket: str
) -> None:
    """It accepts connections and never responds, so each request waits for a timeout."""

    def statuses_of(path: str, *words: str) -> Counter[int]:
        return Counter(curl(f"{site.https}{path}", *words).status for _ in range(8))

    with contextlib.ExitStack() as stack:
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        upstreams = [f"127.0.0.1:{silent.getsockname()[1]}", gunicorn_socket]
        site = stack.enter_context(edge(tmp_path / "nginx", upstreams, read_timeout="3"))
        with ThreadPoolExecutor() as pool:
            verifies = pool.submit(statuses_of, "/verify")
            forecasts = pool.submit(statuses_of, "/forecast", "-d", "{}")
        wait_until(lambda: len(site.requests()) == 16, "the log")
    assert verifies.result() == {401: 8}  # the next node was asked
    assert sum("," in node for node in nodes_asked(site, "/verify").values()) == 3
    assert forecasts.result() == {401: 5, 504: 3}


class Breaking(http.server.BaseHTTPRequestHandler):
    """A node that breaks the connection of requests that ask for it."""

    def do_GET(self) -> None:
        if self.path != "/break":
            self.send_response(200)
            self.end_headers()
        self.close_connection = True


def test_nodes_that_broke_connections_are_asked_where_no_other_is_left(tmp_path: Path) -> None:
    """nginx takes a broken connection for a failure; no client may stop the service with some."""
    with contextlib.ExitStack() as stack:
        upstreams = []
        for _ in range(2):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Breaking)
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            threading.Thread(target=server.serve_forever).start()
            upstreams.append(f"127.0.0.1:{server.server_port}")
        site = stack.enter_context(edge(tmp_path / "nginx", upstreams))
        assert {curl(f"{site.https}/break").status for _ in range(8)} == {502}
        for path in ("/", "/verify", "/forecast"):
            assert curl(f"{site.https}{path}").status == 200
        wait_until(lambda: len(site.requests()) == 11, "the log")
        assert {node.count(",") for node in nodes_asked(site, "/break").values()} == {1}
