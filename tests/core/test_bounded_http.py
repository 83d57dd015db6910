"""A request ends at its deadline and within its bytes, however the other side behaves."""

import contextlib
import gzip
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator

import httpcore
import pytest

from app.core import bounded_http
from app.core.bounded_http import (
    BoundedNetwork,
    NotResolvedError,
    ResponseTooLargeError,
    resolve_host,
    unzip,
)

SECONDS = 0.3
PATIENCE_SECONDS = 10.0  # of a busy machine
MAX_BYTES = 100_000
OK = b"HTTP/1.1 200 OK\r\n"


@contextlib.contextmanager
def server(parts: Callable[[], Iterator[bytes]], pause: float = 0.0) -> Iterator[int]:
    """A server that sends parts, with pauses; gives its port."""
    has_ended = threading.Event()

    def serve() -> None:
        with contextlib.suppress(OSError), listener.accept()[0] as connection:
            connection.recv(65_536)
            for part in parts():
                connection.sendall(part)
                if has_ended.wait(pause):
                    break

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        has_ended.set()
    thread.join(PATIENCE_SECONDS)


def fetch(port: int, seconds: float = SECONDS) -> bytes:
    network = BoundedNetwork()
    network.begin(time.monotonic() + seconds, MAX_BYTES)
    with (
        httpcore.ConnectionPool(network_backend=network) as pool,
        pool.stream("GET", f"http://127.0.0.1:{port}/") as response,
    ):
        return network.read_body(response)


def test_a_body_within_the_bounds_is_read() -> None:
    with server(lambda: iter([OK, b"Content-Length: 2\r\n\r\nok"])) as port:
        assert fetch(port, PATIENCE_SECONDS) == b"ok"


LENGTH = b"Content-Length: 9999\r\n\r\n"
SLOW = {
    "headers": lambda: itertools.chain([OK, b"X-A: "], itertools.repeat(b"a")),
    "a body": lambda: itertools.chain([OK, LENGTH], itertools.repeat(b"a")),
    "interim responses": lambda: itertools.repeat(b"HTTP/1.1 102 Processing\r\n\r\n"),
}


@pytest.mark.parametrize("parts", SLOW.values(), ids=SLOW.keys())
def test_a_server_that_sends_a_little_now_and_then_is_left_at_the_deadline(parts) -> None:
    with server(parts, pause=0.02) as port:
        began = time.monotonic()
        with pytest.raises(httpcore.TimeoutException):
            fetch(port)
        assert time.monotonic() - began < SECONDS + 1


ENDLESS = {
    "a body": lambda: itertools.chain([OK, b"\r\n"], itertools.repeat(b"a" * 1_000)),
    "interim responses": lambda: itertools.repeat(b"HTTP/1.1 102 Processing\r\n\r\n" * 100),
    "extensions of chunks": lambda: itertools.chain(
        [OK, b"Transfer-Encoding: chunked\r\n\r\n"],
        itertools.repeat(b"1;" + b"x" * 5_000 + b"\r\na\r\n"),
    ),
}


@pytest.mark.parametrize("parts", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_response_without_an_end_is_left_at_its_bound(parts) -> None:
    with server(parts) as port, pytest.raises(ResponseTooLargeError):
        fetch(port, PATIENCE_SECONDS)


def test_chunks_of_one_byte_are_left_before_they_take_long(monkeypatch) -> None:
    monkeypatch.setattr(bounded_http, "MAX_PARTS", 1_000)
    head = OK + b"Transfer-Encoding: chunked\r\n\r\n"
    with (
        server(lambda: iter([head, b"1\r\na\r\n" * 2_000])) as port,
        pytest.raises(ResponseTooLargeError),
    ):
        fetch(port, PATIENCE_SECONDS)


def test_a_resolver_that_does_not_respond_is_left_at_the_deadline(monkeypatch) -> None:
    has_ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: has_ended.wait(PATIENCE_SECONDS))
    began = time.monotonic()
    with pytest.raises(httpcore.ConnectTimeout):
        resolve_host("slow.example", 443, SECONDS)
    assert time.monotonic() - began < SECONDS + 1
    has_ended.set()


def test_a_host_without_an_address_is_told_apart_from_one_that_refuses(monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(NotResolvedError):
        resolve_host("none.example", 443, PATIENCE_SECONDS)


def test_no_more_is_unpacked_than_may_be() -> None:
    assert unzip(gzip.compress(b"a" * 1_000), 1_000) == b"a" * 1_000
    with pytest.raises(ResponseTooLargeError, match="1 KiB"):
        unzip(gzip.compress(b"a" * 1_025), 1_024)
