"""The HTTP client for servers that customers or operators choose.

A host is resolved, each of its addresses is checked, and the connection goes to a checked address.
A request has a deadline, which no slow server extends, and a limit on the response's size.
Redirects are not followed, and proxies of the environment are not used.
"""

import asyncio
import base64
import contextlib
import functools
import ipaddress
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import httpcore

from app.core.http.addresses import Network, Target, UrlPolicy
from app.core.http.connections import Connection, ConnectionPool, Peer
from app.core.http.errors import (
    DeadlineError,
    HttpError,
    ResponseTooLargeError,
    UrlError,
    response_too_large,
)
from app.core.http.lookups import Lookups, ResolveHost

_USER_AGENT = "forecast-service"
# Timeout of a connection attempt while there is another address to try.
ADDRESS_CONNECT_SECONDS = 3.0
# Time limit for reading an unneeded body to its end, so that its connection can be reused.
_DRAIN_SECONDS = 0.5
_MAX_DRAINED_BYTES = 64 * 1024
_CHECK_PAUSE_SECONDS = 0.5  # between two calls of `BlockingHttpClient.fetch`'s ``check``
# A body may have `_MIN_PARTS` parts, plus one for each `_BYTES_PER_PART` of its maximum size. Each
# part, such as a chunk of one byte, takes about 10 µs of CPU time: the 34,000 of the largest
# responses take 0.2 to 0.5 s. Servers send chunks of 2 KiB or more.
_MIN_PARTS = 1_024
_BYTES_PER_PART = 256
_NOT_CONNECTED = (httpcore.ConnectError, httpcore.ConnectTimeout)

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class HttpRequest:
    """A request; limits on the time until its response is complete, and on the size of its body."""

    method: str
    target: Target
    headers: Headers
    content: bytes | None
    timeout_seconds: float
    max_bytes: int


class HttpResponse(NamedTuple):
    """A complete response; ``body`` is not decoded."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def header_values(self, name: bytes) -> list[bytes]:
        """Return the values of the header ``name``, in lower case."""
        return [value for header, value in self.headers if header.lower() == name]


def basic_authorization(user: str, password: str) -> str:
    """Return the value of a request's ``Authorization`` header by RFC 7617."""
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


class HttpClient:
    """Sends requests to addresses that are public or in ``allowed``.

    ``policy`` says which URLs are allowed. ``lookup`` resolves a host (replaceable for tests).
    ``tls`` has the trusted certificates, by default the machine's.
    """

    def __init__(
        self,
        policy: UrlPolicy,
        allowed: Sequence[Network],
        lookup: ResolveHost | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._policy, self._allowed = policy, allowed
        self._lookups = Lookups(lookup)
        self._connections = ConnectionPool(tls or default_tls())

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """Return the complete response to a request.

        Raise UrlError, ResponseTooLargeError or another HttpError.
        """
        target, max_bytes = request.target, request.max_bytes
        http_request = _request(request.method, target, request.headers, request.content)
        async with (
            self._deadline(target, request.timeout_seconds, "no complete response"),
            self._response(target, http_request, max_bytes) as response,
        ):
            return HttpResponse(response.status, response.headers, await _read(response, max_bytes))

    async def post(
        self, target: Target, headers: Headers, content: bytes, timeout_seconds: float
    ) -> int:
        """Return the status of the response to a POST; its body is ignored.

        Raise UrlError or another HttpError.
        """
        request = _request("POST", target, headers, content)
        async with (
            self._deadline(target, timeout_seconds, "no response") as deadline,
            self._response(target, request, _MAX_DRAINED_BYTES) as response,
        ):
            deadline.reschedule(None)
            await _drain(response)
            return response.status

    async def finish(self, host: str) -> None:
        """Wait for a look-up of ``host`` that outlived its request: it cannot be interrupted."""
        await self._lookups.finish(host)

    async def close(self) -> None:
        await self._connections.close()

    @contextlib.asynccontextmanager
    async def _deadline(
        self, target: Target, timeout_seconds: float, missing: str
    ) -> AsyncIterator[asyncio.Timeout]:
        """Limit the time of the block; raise its errors as HttpError."""
        try:
            async with asyncio.timeout(timeout_seconds) as deadline:
                yield deadline
        except HttpError as error:
            problem = error
        except TimeoutError:
            problem = DeadlineError(f"{missing} within {timeout_seconds:g} s")
        except httpcore.ConnectError as error:
            problem = HttpError(_connect_problem(error))
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            problem = HttpError(_exchange_problem(error))
        else:
            return
        self._lookups.invalidate(target.host)
        raise problem

    @contextlib.asynccontextmanager
    async def _response(
        self, target: Target, request: httpcore.Request, max_bytes: int
    ) -> AsyncIterator[httpcore.Response]:
        """Yield the response; its connection can be reused if the block reads the body."""
        connection, response = await self._send(target, request, max_bytes)
        try:
            yield response
        finally:
            await response.aclose()
        await self._connections.release(connection)

    async def _send(
        self, target: Target, request: httpcore.Request, max_bytes: int
    ) -> tuple[Connection, httpcore.Response]:
        """Send a request to the first address that accepts a connection."""
        *others, last = [
            Peer(target.host, address, target.port, target.is_plain)
            for address in await self._addresses(target)
        ]
        for peer in others:
            request.extensions = {"timeout": {"connect": ADDRESS_CONNECT_SECONDS}}
            with contextlib.suppress(*_NOT_CONNECTED):
                return await self._connections.send(peer, request, max_bytes)
        request.extensions = {}
        return await self._connections.send(last, request, max_bytes)

    async def _addresses(self, target: Target) -> list[str]:
        """Return the addresses of the host if all of them are allowed.

        Unknown and internal names raise the same error: customers must not learn which names exist
        in the operator's network.
        """
        with contextlib.suppress(OSError):
            addresses = await self._lookups.addresses(target.host, target.port)
            if addresses and all(
                target.is_allowed_at(ipaddress.ip_address(address), self._allowed)
                for address in addresses
            ):
                return addresses
        raise UrlError(self._policy.resolution_problem)


class BlockingHttpClient:
    """A blocking `HttpClient`, for one thread at a time, which must not run an event loop."""

    def __init__(self, policy: UrlPolicy, allowed: Sequence[Network]) -> None:
        self._client = HttpClient(policy, allowed)
        self._runner = asyncio.Runner()

    def fetch(self, request: HttpRequest, check: Callable[[], None] = lambda: None) -> HttpResponse:
        """Return a response, as `HttpClient.fetch` does.

        ``check`` is called while the response is awaited; what it raises ends the request.
        """
        return self._runner.run(self._fetch(request, check))

    async def _fetch(self, request: HttpRequest, check: Callable[[], None]) -> HttpResponse:
        response = asyncio.ensure_future(self._client.fetch(request))
        try:
            while not (await asyncio.wait([response], timeout=_CHECK_PAUSE_SECONDS))[0]:
                check()
            return response.result()
        finally:
            response.cancel()

    def close(self) -> None:
        self._runner.run(self._client.close())
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


@functools.cache
def default_tls() -> ssl.SSLContext:
    """Return the TLS context with the certificates that the machine trusts, which load slowly."""
    return ssl.create_default_context()


def redirect_problem(status: int) -> str | None:
    if 300 <= status < 400:
        return f"returned {status}: redirects are not followed"
    return None


def _request(
    method: str, target: Target, headers: Headers, content: bytes | None
) -> httpcore.Request:
    host = f"[{target.host}]" if ":" in target.host else target.host
    length = [("Content-Length", str(len(content)))] if content is not None else []
    return httpcore.Request(
        method,
        httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path),
        headers=[
            ("Host", host if target.has_default_port else f"{host}:{target.port}"),
            ("User-Agent", _USER_AGENT),
            *headers,
            *length,
        ],
        content=content,
    )


async def _read(response: httpcore.Response, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    length = 0
    max_parts = _MIN_PARTS + max_bytes // _BYTES_PER_PART
    async for part in response.aiter_stream():
        parts.append(part)
        length += len(part)
        if length > max_bytes:
            raise response_too_large(max_bytes)
        if len(parts) > max_parts:
            raise ResponseTooLargeError(f"returned more than {max_parts:,} chunks")
    return b"".join(parts)


async def _drain(response: httpcore.Response) -> None:
    """Read the body if it is short and fast, so that the connection can be reused."""
    with contextlib.suppress(
        TimeoutError, ResponseTooLargeError, httpcore.NetworkError, httpcore.ProtocolError
    ):
        async with asyncio.timeout(_DRAIN_SECONDS):
            await _read(response, _MAX_DRAINED_BYTES)


def _exchange_problem(error: Exception) -> str:
    if isinstance(error, httpcore.TimeoutException):
        return "no response in time"
    if isinstance(error, httpcore.ProtocolError):
        return "no valid HTTP response: it was cut off, or the port is not for HTTP"
    return "the connection was closed before a response"


def _connect_problem(error: httpcore.ConnectError) -> str:
    """Return why the connection failed: the certificate, TLS or the network."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not valid: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "the TLS handshake failed"
        cause = cause.__cause__ or cause.__context__
    return "cannot connect to the host"
