"""HTTP connections to checked addresses, kept open for the next request to the same peer."""

import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore

from app.core.http.errors import response_too_large

IDLE_SECONDS = 10.0
MAX_IDLE_CONNECTIONS = 200
# Bytes allowed for interim responses and headers. A body may take twice its size, with chunk sizes.
_MAX_FRAMING_BYTES = 256 * 1024


@dataclass(frozen=True)
class Peer:
    """The end of a connection: the certificate was checked for ``host``, not for ``address``.

    Two names may share an address, and a name may change its address: a connection is reused only
    if both are the same.
    """

    host: str
    address: str
    port: int
    is_plain: bool

    @property
    def origin(self) -> httpcore.Origin:
        """Scheme, host and port."""
        scheme = b"http" if self.is_plain else b"https"
        return httpcore.Origin(scheme, self.host.encode(), self.port)


class PinnedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to ``address``, whatever the host resolves to by now.

    Received bytes count against the limit of the request (`start_request`, `start_body`).
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._network = httpcore.AnyIOBackend()
        self._stream: httpcore.AsyncNetworkStream | None = None
        self._max_bytes = self._bytes_left = 0

    def start_request(self, max_bytes: int) -> None:
        """Start counting for a request; ``max_bytes`` limits the body of its response."""
        self._max_bytes, self._bytes_left = max_bytes, _MAX_FRAMING_BYTES

    def start_body(self) -> None:
        """Allow for a body: before it, a server could send small interim responses for long."""
        self._bytes_left += 2 * self._max_bytes

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self._stream = await self._network.connect_tcp(
            self._address, port, timeout, local_address, socket_options
        )
        return _CountedStream(self._stream, self)

    @property
    def has_received(self) -> bool:
        """Whether any byte has arrived since `start_request`."""
        return self._bytes_left < _MAX_FRAMING_BYTES

    def count_received(self, received: bytes) -> bytes:
        """Count received bytes, and return them; raise an error beyond the limit."""
        self._bytes_left -= len(received)
        if self._bytes_left < 0:
            raise response_too_large(self._max_bytes)
        return received

    async def close(self) -> None:
        """Close the socket, which a cancelled handshake leaves open."""
        if self._stream is not None:
            await self._stream.aclose()


class _CountedStream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: httpcore.AsyncNetworkStream, network: PinnedNetwork) -> None:
        self._stream, self._network = stream, network

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._network.count_received(await self._stream.read(max_bytes, timeout))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _CountedStream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class Connection:
    """A connection to ``peer``, for one request at a time."""

    def __init__(self, peer: Peer, tls: ssl.SSLContext) -> None:
        self.peer = peer
        self._network = PinnedNetwork(peer.address)
        self._http = httpcore.AsyncHTTPConnection(
            peer.origin, tls, keepalive_expiry=IDLE_SECONDS, network_backend=self._network
        )
        self.is_idle, self.has_expired = self._http.is_idle, self._http.has_expired

    @property
    def has_received(self) -> bool:
        """Whether any byte of the response to the current request has arrived."""
        return self._network.has_received

    async def send(self, request: httpcore.Request, max_bytes: int) -> httpcore.Response:
        """Send a request; return the response, its body unread.

        Raise ResponseTooLargeError, or httpcore's NetworkError, TimeoutException or ProtocolError.
        """
        self._network.start_request(max_bytes)
        try:
            response = await self._http.handle_async_request(request)
        except BaseException:
            await self._network.close()
            raise
        self._network.start_body()
        return response

    async def close(self) -> None:
        await self._http.aclose()


class ConnectionPool:
    """Connections to any peers; idle ones are kept for a few seconds."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        self._idle: dict[Connection, None] = {}  # ordered by last use, the oldest first

    async def send(
        self, peer: Peer, request: httpcore.Request, max_bytes: int
    ) -> tuple[Connection, httpcore.Response]:
        """Send a request; return the response, its body unread, and the connection for `release`.

        The request is sent again on a new connection if an idle one ends without a byte of a
        response. Most often the server had closed it, but it may have acted on the request before.
        Raise the errors of `Connection.send`.
        """
        connection = await self._acquire_idle(peer)
        if connection is not None:
            try:
                return connection, await connection.send(request, max_bytes)
            except (httpcore.NetworkError, httpcore.ProtocolError):
                if connection.has_received:
                    raise
        connection = Connection(peer, self._tls)
        return connection, await connection.send(request, max_bytes)

    async def release(self, connection: Connection) -> None:
        """Return a connection to the pool, if its response was read."""
        if not connection.is_idle():
            return
        self._idle[connection] = None
        oldest = next(iter(self._idle))
        if len(self._idle) > MAX_IDLE_CONNECTIONS or oldest.has_expired():
            await self._drop(oldest)

    async def close(self) -> None:
        while self._idle:
            await self._drop(next(iter(self._idle)))

    async def _acquire_idle(self, peer: Peer) -> Connection | None:
        while idle := [connection for connection in self._idle if connection.peer == peer]:
            newest = idle[-1]
            if not newest.has_expired():
                del self._idle[newest]
                return newest
            await self._drop(newest)
        return None

    async def _drop(self, connection: Connection) -> None:
        del self._idle[connection]
        await connection.close()
