"""Forecasts, and the questions of load balancers, have web threads that nothing else can take."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.support.databases import SqliteDatabases
from tests.support.keys import mint
from tests.support.server import Server, serving

MANY = 40  # more than the threads of a worker with the settings below
SETTINGS = {"WEB_CONCURRENCY": "1", "FORECAST_QUEUE": "1"}


@contextlib.contextmanager
def connections(server: Server, sent: bytes) -> Iterator[None]:
    """Many clients that say ``sent`` and then nothing more, for the length of a block."""
    place = urlsplit(server.url)
    with contextlib.ExitStack() as clients:
        for _ in range(MANY):
            link = socket.create_connection((place.hostname, place.port), timeout=10)
            clients.enter_context(link).sendall(sent)
        yield


def assert_all_else_is_answered(server: Server) -> None:
    key = mint(server.environ["DATABASE_URL"])
    for path, status in (("/verify", 200), ("/healthz", 200), ("/nothing", 404)):
        assert server.request(path, key=key).status == status


def test_forecasts_that_take_every_thread_of_theirs_leave_verify_its_own(server: Server) -> None:
    key = mint(server.environ["DATABASE_URL"])
    unfinished = (
        "POST /forecast HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {key}\r\nContent-Length: 100\r\n\r\n{{"
    )
    with connections(server, unfinished.encode()):
        assert_all_else_is_answered(server)


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST /for", b"GET /verify HTTP/1.1\r\nHost: a\r\nX-Unfinished:"],
    ids=["nothing", "half a line", "half a head"],
)
def test_clients_that_do_not_say_all_take_no_thread(server: Server, sent: bytes) -> None:
    with connections(server, sent):
        assert_all_else_is_answered(server)


def test_requests_on_one_connection_are_answered_in_their_order_whatever_their_lane(
    server: Server,
) -> None:
    place = urlsplit(server.url)
    requests = [b"GET /healthz", b"POST /forecast", b"GET /verify", b"POST /forecast"]
    with socket.create_connection((place.hostname, place.port), timeout=10) as link:
        link.sendall(b"".join(one + b" HTTP/1.1\r\nHost: a\r\n\r\n" for one in requests))
        link.shutdown(socket.SHUT_WR)
        said = b""
        while chunk := link.recv(65_536):
            said += chunk
    assert re.findall(rb"HTTP/1.1 (\d+) ", said) == [b"200", b"401", b"401", b"401"]


def test_idle_clients_do_not_hold_up_the_end_of_the_service(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("end")
    with (
        serving(folder, sqlite_databases.migrated(), **SETTINGS) as server,
        connections(server, b""),
    ):
        assert server.request("/healthz").status == 200
        started = time.monotonic()
        server.process.terminate()
        assert server.process.wait(60) == 0
        assert time.monotonic() - started < 30  # of the 75 s for which idle clients are kept
