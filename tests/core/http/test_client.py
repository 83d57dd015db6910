"""A request goes to checked addresses, and ends at its deadline and within its bytes."""

import asyncio
import contextlib
import ipaddress
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from app.core.http.addresses import Network, Target
from app.core.http.client import BlockingHttpClient, HttpClient, HttpRequest, HttpResponse
from app.core.http.errors import HttpError, ResponseTooLargeError, UrlError
from app.delivery.webhook_records import WEBHOOK_URLS
from app.watching.sources.source_records import SOURCE_URLS
from tests.core.http.test_addresses import INSIDE

SECONDS = 0.3
PATIENCE_SECONDS = 10.0  # of a busy machine
MAX_BYTES = 100_000
OK = b"HTTP/1.1 200 OK\r\n"
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
LENGTH = b"Content-Length: 9999\r\n\r\n"
SLOW = {
    "headers": lambda: itertools.chain([OK, b"X-A: "], itertools.repeat(b"a")),
    "a body": lambda: itertools.chain([OK, LENGTH], itertools.repeat(b"a")),
    "interim responses": lambda: itertools.repeat(b"HTTP/1.1 102 Processing\r\n\r\n"),
}
ENDLESS = {
    "a body": lambda: itertools.chain([OK, b"\r\n"], itertools.repeat(b"a" * 1_000)),
    "interim responses": lambda: itertools.repeat(b"HTTP/1.1 102 Processing\r\n\r\n" * 100),
    "extensions of chunks": lambda: itertools.chain(
        [OK, b"Transfer-Encoding: chunked\r\n\r\n"],
        itertools.repeat(b"1;" + b"x" * 5_000 + b"\r\na\r\n"),
    ),
}
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@contextlib.contextmanager
def server(parts: Callable[[], Iterator[bytes]], pause: float = 0.0) -> Iterator[int]:
    """Start a server that sends parts, with pauses, and return its port."""
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


def fetch(
    port: int, seconds: float = SECONDS, host: str = "127.0.0.1", max_bytes: int = MAX_BYTES
) -> HttpResponse:
    with BlockingHttpClient(SOURCE_URLS, LOOPBACK) as client:
        target = Target(host, port, "/", is_plain=True)
        return client.fetch(HttpRequest("GET", target, [], None, seconds, max_bytes))


def test_a_body_within_the_bounds_is_read() -> None:
    with server(lambda: iter([OK, b"Content-Length: 2\r\nX-A: b\r\n\r\nok"])) as port:
        response = fetch(port, PATIENCE_SECONDS)
    assert (response.status, response.body) == (200, b"ok")
    assert response.header_values(b"x-a") == [b"b"]


@pytest.mark.parametrize("parts", SLOW.values(), ids=SLOW.keys())
def test_a_server_that_sends_a_little_now_and_then_is_left_at_the_deadline(parts) -> None:
    with server(parts, pause=0.02) as port:
        began = time.monotonic()
        with pytest.raises(HttpError, match=r"no complete response within 0\.3 s"):
            fetch(port)
        assert time.monotonic() - began < SECONDS + 1


@pytest.mark.parametrize("parts", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_response_without_an_end_is_left_at_its_bound(parts) -> None:
    with server(parts) as port, pytest.raises(ResponseTooLargeError, match="97 KiB"):
        fetch(port, PATIENCE_SECONDS)


def test_interim_responses_may_not_take_what_a_large_body_may() -> None:
    sent = [b"HTTP/1.1 102 Processing\r\n\r\n" * 1_000] * 30 + [OK, b"Content-Length: 1\r\n\r\na"]
    with server(lambda: iter(sent)) as port, pytest.raises(ResponseTooLargeError):
        fetch(port, PATIENCE_SECONDS, max_bytes=8 * 1024 * 1024)


def test_bodies_in_chunks_of_one_byte_are_abandoned_early() -> None:
    with (
        server(lambda: iter([CHUNKED, b"1\r\na\r\n" * 2_000])) as port,
        pytest.raises(ResponseTooLargeError, match=r"1,414 chunks"),
    ):
        fetch(port, PATIENCE_SECONDS)


def test_a_body_of_the_maximum_size_is_read_in_chunks() -> None:
    chunk = b"400\r\n" + b"a" * 1_024 + b"\r\n"
    with server(lambda: iter([CHUNKED, chunk * (MAX_BYTES // 1_024), b"0\r\n\r\n"])) as port:
        assert len(fetch(port, PATIENCE_SECONDS).body) == MAX_BYTES // 1_024 * 1_024


def test_a_resolver_that_does_not_respond_is_left_at_the_deadline(monkeypatch) -> None:
    has_ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: has_ended.wait(PATIENCE_SECONDS))
    began = time.monotonic()
    with pytest.raises(HttpError, match="within"):
        fetch(443, host="slow.example")
    assert time.monotonic() - began < SECONDS + 1
    has_ended.set()


@pytest.mark.parametrize("error", [socket.gaierror(), UnicodeError()], ids=repr)
def test_a_host_without_an_address_is_distinguished_from_one_that_rejects(
    monkeypatch, error
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(UrlError, match=SOURCE_URLS.setting):
        fetch(443, PATIENCE_SECONDS, "none.example")
    monkeypatch.undo()
    with pytest.raises(HttpError, match="cannot connect to the host"):
        fetch(1, PATIENCE_SECONDS)


def checked_addresses(
    *addresses: str, allowed: Sequence[Network] = (), is_plain: bool = False
) -> list[str]:
    """Return the addresses that a client would try of a host that resolves to ``addresses``."""

    async def lookup(_host: str, _port: int) -> list[str]:
        return [*addresses]

    async def main() -> list[str]:
        client = HttpClient(WEBHOOK_URLS, allowed, lookup)
        return await client._addresses(Target("hooks.example.com", 443, "/", is_plain))

    return asyncio.run(main())


def test_all_addresses_of_a_name_are_tried_in_their_order() -> None:
    assert checked_addresses("8.8.8.8", "2606:4700::1111") == ["8.8.8.8", "2606:4700::1111"]


@pytest.mark.parametrize("address", INSIDE)
def test_one_address_inside_among_those_of_a_name_is_enough_to_reject_it(address: str) -> None:
    with pytest.raises(UrlError, match=WEBHOOK_URLS.resolution_problem):
        checked_addresses("8.8.8.8", address)


def test_plain_http_goes_only_to_networks_that_are_allowed() -> None:
    assert checked_addresses("127.0.0.1", allowed=LOOPBACK, is_plain=True) == ["127.0.0.1"]
    with pytest.raises(UrlError):
        checked_addresses("8.8.8.8", allowed=LOOPBACK, is_plain=True)


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f.1"])
def test_the_system_resolves_what_programs_read_as_loopback_and_it_is_rejected(host: str) -> None:
    client = HttpClient(WEBHOOK_URLS, [])
    with pytest.raises(UrlError):
        asyncio.run(client._addresses(Target(host, 443, "/")))
