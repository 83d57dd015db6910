"""HTTP with untrusted servers: a deadline from the look-up to the last byte, and bounded bytes.

A time limit of each read alone bounds nothing: a server that sends a byte now and then, or a
resolver that does not respond, would keep a thread for hours.
"""

import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import httpcore

MAX_PARTS = 65_536
"""Parts of a body that are read. Chunks of one byte take a second of processor time here."""
MAX_FRAMING_BYTES = 256 * 1024
"""What a response may have besides twice its body: headers, interim responses, chunk sizes."""


class ResponseTooLargeError(Exception):
    """A response has more bytes or parts than may be read; the message says how many may be."""

    def __init__(self, max_bytes: int) -> None:
        unit, size = ("MiB", 1024 * 1024) if max_bytes >= 1024 * 1024 else ("KiB", 1024)
        super().__init__(f"returned more than {max_bytes // size} {unit}")


class NotResolvedError(Exception):
    """The host has no address."""


class BoundedNetwork(httpcore.NetworkBackend):
    """Connections on which a request ends at its deadline, in a bounded number of bytes.

    Call `begin` before each request. ``check_addresses`` gets what the host resolves to, before a
    connection is made; what it raises ends the request.
    """

    def __init__(self, check_addresses: Callable[[Sequence[str]], None] = lambda _: None) -> None:
        self._check_addresses = check_addresses
        self._plain = httpcore.SyncBackend()
        self._max_bytes = self._bytes_left = 0
        self._deadline = 0.0

    def begin(self, deadline: float, max_bytes: int) -> None:
        """Begin a request that ends at a moment of the monotonic clock.

        ``max_bytes`` bounds the body of the response.
        """
        self._deadline, self._max_bytes = deadline, max_bytes
        self._bytes_left = 2 * max_bytes + MAX_FRAMING_BYTES

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of ``host`` that accepts, if all are allowed."""
        addresses = resolve_host(host, port, self.seconds_left())
        self._check_addresses(addresses)
        for number, address in enumerate(addresses, 1):
            left = self.seconds_left() / (len(addresses) - number + 1)
            try:
                stream = self._plain.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses):
                    raise
                continue
            return _BoundedStream(stream, self)
        raise NotResolvedError

    def seconds_left(self) -> float:
        """Return the seconds that are left; raise a timeout if there are none."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left

    def count(self, received: bytes) -> bytes:
        """Return what was received if it is within the bound."""
        self._bytes_left -= len(received)
        if self._bytes_left < 0:
            raise ResponseTooLargeError(self._max_bytes)
        return received

    def read_body(self, response: httpcore.Response) -> bytes:
        """Return the body as it was sent, still encoded.

        Raises:
            ResponseTooLargeError: It has more bytes than `begin` allowed, or too many parts.
        """
        parts: list[bytes] = []
        length = 0
        for part in response.iter_stream():
            self.seconds_left()  # what is buffered is read without the network
            parts.append(part)
            length += len(part)
            if length > self._max_bytes or len(parts) > MAX_PARTS:
                raise ResponseTooLargeError(self._max_bytes)
        return b"".join(parts)


class _BoundedStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, network: BoundedNetwork) -> None:
        self._stream, self._network = stream, network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._network.count(self._stream.read(max_bytes, self._network.seconds_left()))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._network.seconds_left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: Any,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._network.seconds_left()
        stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return _BoundedStream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def unzip(body: bytes, max_bytes: int) -> bytes:
    """Return the decompressed bytes of a gzip body, of which no more than the bound are unpacked.

    Raises:
        ResponseTooLargeError: There are more than ``max_bytes``.
        zlib.error: ``body`` is not gzip, or incomplete.
    """
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    unpacked = unpacking.decompress(body, max_bytes + 1)
    if len(unpacked) > max_bytes:
        raise ResponseTooLargeError(max_bytes)
    if not unpacking.eof:
        raise zlib.error("incomplete")
    return unpacked


def resolve_host(host: str, port: int, seconds: float) -> list[str]:
    """Return the addresses of ``host`` from the system's resolver.

    A look-up cannot be interrupted, so it has a thread of its own, which outlives the wait for it.

    Raises:
        NotResolvedError: It has none.
        httpcore.ConnectTimeout: The resolver takes longer than ``seconds``.
    """
    found: Future[list[Any]] = Future()

    def resolve() -> None:
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            found.set_exception(error)

    threading.Thread(target=resolve, daemon=True, name=f"look up {host}").start()
    try:
        addresses = found.result(seconds)
    except TimeoutError:
        raise httpcore.ConnectTimeout from None
    except (OSError, UnicodeError):
        raise NotResolvedError from None
    return list(dict.fromkeys(str(where[0]) for *_, where in addresses))
