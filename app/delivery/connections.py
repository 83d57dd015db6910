"""HTTP connections to receivers, which are kept for the next message to the same one."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpcore
from httpcore import AsyncHTTPConnection as Connection

IDLE_SECONDS = 10.0
MAX_IDLE_CONNECTIONS = 200


@dataclass(frozen=True)
class Peer:
    """Whom a connection is to: the certificate was checked for ``host``, not for ``address``.

    Two names may share an address and a name may change its address: a connection is used again
    only where both are the same.
    """

    host: str
    address: str
    port: int


class Connections:
    """Connections to any peers, of which those that are not in use are kept for some seconds."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        # Both the longest unused first.
        self._idle: dict[Connection, Peer] = {}
        self._idle_to: dict[Peer, list[Connection]] = {}

    @asynccontextmanager
    async def response(
        self, peer: Peer, request: httpcore.Request
    ) -> AsyncIterator[httpcore.Response]:
        """Send ``request``; give the response, its body unread.

        The connection is kept if the body is read in the block, and closed otherwise.

        Raises:
            httpcore.NetworkError: There is no connection, or it was lost.
            httpcore.TimeoutException: A timeout of the request has passed.
            httpcore.ProtocolError: The response is not valid HTTP.
        """
        connection = await self._idle_connection(peer)
        response = connection and await _response_if_open(connection, request)
        if not connection or not response:
            origin = httpcore.Origin(b"https", peer.address.encode(), peer.port)
            connection = Connection(origin, self._tls, keepalive_expiry=IDLE_SECONDS)
            response = await _first_response(connection, peer, request)
        try:
            yield response
        finally:
            await response.aclose()
        if connection.is_idle():
            await self._add_idle(connection, peer)

    async def close(self) -> None:
        """Close all connections that are kept."""
        while self._idle:
            await self._drop(next(iter(self._idle)))

    async def _idle_connection(self, peer: Peer) -> Connection | None:
        while peer in self._idle_to:
            connection = self._idle_to[peer][-1]
            if not connection.has_expired():
                self._forget(connection)
                return connection
            await self._drop(connection)
        return None

    async def _add_idle(self, connection: Connection, peer: Peer) -> None:
        self._idle[connection] = peer
        self._idle_to.setdefault(peer, []).append(connection)
        oldest = next(iter(self._idle))
        if len(self._idle) > MAX_IDLE_CONNECTIONS or oldest.has_expired():
            await self._drop(oldest)

    async def _drop(self, connection: Connection) -> None:
        self._forget(connection)
        await connection.aclose()

    def _forget(self, connection: Connection) -> None:
        peer = self._idle.pop(connection)
        self._idle_to[peer].remove(connection)
        if not self._idle_to[peer]:
            del self._idle_to[peer]


async def _response_if_open(
    connection: Connection, request: httpcore.Request
) -> httpcore.Response | None:
    """Send a request on a connection that was kept; None if the receiver has closed it."""
    try:
        return await connection.handle_async_request(request)
    except (httpcore.NetworkError, httpcore.ProtocolError):
        return None


async def _first_response(
    connection: Connection, peer: Peer, request: httpcore.Request
) -> httpcore.Response:
    """Connect, and send a request."""
    streams: list[httpcore.AsyncNetworkStream] = []

    async def trace(event: str, info: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            streams.append(info["return_value"])

    request.extensions = {**request.extensions, "sni_hostname": peer.host, "trace": trace}
    try:
        return await connection.handle_async_request(request)
    except BaseException:
        # A handshake that is cancelled would leave its socket open.
        for stream in streams:
            await stream.aclose()
        raise
