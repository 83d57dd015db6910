"""HTTP with servers that customers name: in bounded time and bytes, at checked addresses only."""

import email.utils
import ipaddress
import socket
import ssl
import time
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import httpcore

from app.sources.addresses import NOT_RESOLVED, check_base_url
from app.sources.records import NotAllowedError, SourceError
from app.webhooks.addresses import Network, Target, WebhookUrlError

MOST_BYTES = 64 * 1024 * 1024

Headers = list[tuple[str, str]]


class TooLargeError(SourceError):
    """A response is too large; a shorter range has a smaller one."""


class Received(NamedTuple):
    """A response: ``dated`` is its date in Unix seconds, None without one."""

    status: int
    body: bytes
    dated: float | None


class Server:
    """A server, connected for some requests.

    Args:
        url: Its URL, under which the paths are.
        headers: Headers of every request.
        allowed: Networks that are allowed besides public addresses.
        seconds: The time limit of a request.

    Raises:
        SourceError: The URL is not allowed.
    """

    def __init__(
        self, url: str, headers: Headers, allowed: Sequence[Network], seconds: float
    ) -> None:
        try:
            self._target = check_base_url(url, allowed)
        except WebhookUrlError as error:
            raise NotAllowedError(f"the URL is not allowed: {error}") from None
        self._headers = [
            ("Accept", "application/json"),
            ("Accept-Encoding", "gzip"),
            ("User-Agent", "forecast-service"),
            *headers,
        ]
        self._seconds = seconds
        self._network = CheckedNetwork(self._target, allowed)
        self._pool = httpcore.ConnectionPool(
            tls(), max_connections=1, network_backend=self._network
        )

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

    def get(self, path: str) -> Received:
        """GET a path under the URL, as ``post`` does."""
        return self._request("GET", path, None)

    def post(self, path: str, body: bytes) -> Received:
        """POST ``body`` to a path under the URL; follow no redirect.

        Raises:
            SourceError: There is no complete response in time, or it is too large.
        """
        return self._request("POST", path, body)

    def _request(self, method: str, path: str, body: bytes | None) -> Received:
        self._network.deadline = time.monotonic() + self._seconds
        target = self._target
        url = httpcore.URL(
            scheme=b"http" if target.is_plain else b"https",
            host=target.host.encode(),
            port=target.port,
            target=(target.path.rstrip("/") + path).encode(),
        )
        try:
            with self._pool.stream(method, url, headers=self._headers, content=body) as response:
                if 300 <= response.status < 400:
                    raise SourceError(f"returned {response.status}: redirects are not followed")
                received = _read(response, self._network.deadline)
                return Received(response.status, received, _date(response))
        except (httpcore.TimeoutException, TimeoutError):
            raise SourceError(f"no complete response within {self._seconds:g} s") from None
        except WebhookUrlError as error:
            raise NotAllowedError(str(error)) from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise SourceError(_network_problem(error)) from None


class CheckedNetwork(httpcore.NetworkBackend):
    """Connects to addresses that are allowed, and only until ``deadline``."""

    def __init__(self, target: Target, allowed: Sequence[Network]) -> None:
        self._target, self._allowed = target, allowed
        self._plain = httpcore.SyncBackend()
        self.deadline = 0.0

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of ``host`` that accepts, if all are allowed."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            raise WebhookUrlError(NOT_RESOLVED) from None
        addresses = list(dict.fromkeys(str(where[0]) for *_, where in found))
        for address in addresses:
            if not self._target.may_be_at(ipaddress.ip_address(address), self._allowed):
                raise WebhookUrlError(NOT_RESOLVED)
        for number, address in enumerate(addresses, 1):
            left = self.left() / (len(addresses) - number + 1)
            try:
                stream = self._plain.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses):
                    raise
                continue
            return _TimedStream(stream, self)
        raise WebhookUrlError(NOT_RESOLVED)

    def left(self) -> float:
        """Return the seconds that are left; raise if there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


class _TimedStream(httpcore.NetworkStream):
    """A connection on which nothing takes longer than its network allows."""

    def __init__(self, stream: httpcore.NetworkStream, network: CheckedNetwork) -> None:
        self._stream, self._network = stream, network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._network.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._network.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._network.left()
        stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return _TimedStream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


@cache
def tls() -> ssl.SSLContext:
    """Return the TLS settings of all connections: to load the authorities takes long."""
    return ssl.create_default_context()


def _read(response: httpcore.Response, deadline: float) -> bytes:
    """Return the body, decompressed."""
    encodings = [value for name, value in response.headers if name.lower() == b"content-encoding"]
    if encodings not in ([], [b"gzip"], [b"identity"]):
        raise SourceError("returned a Content-Encoding other than gzip")
    unzip = zlib.decompressobj(zlib.MAX_WBITS | 16) if encodings == [b"gzip"] else None
    body = bytearray()
    for part in response.iter_stream():
        if time.monotonic() > deadline:
            raise TimeoutError
        if unzip is None:
            body += part
        else:
            try:
                body += unzip.decompress(part, MOST_BYTES + 1 - len(body))
            except zlib.error:
                raise SourceError("returned a body that is not gzip") from None
        if len(body) > MOST_BYTES:
            raise TooLargeError(f"returned more than {MOST_BYTES // 1024**2} MiB")
    return bytes(body)


def _date(response: httpcore.Response) -> float | None:
    dates = [value for name, value in response.headers if name.lower() == b"date"]
    try:
        return email.utils.parsedate_to_datetime(dates[0].decode("latin-1")).timestamp()
    except (IndexError, ValueError, OverflowError):
        return None


def _network_problem(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not valid: {cause.verify_message}"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore.ConnectError):
        return "cannot connect to the host"
    return f"no valid HTTP response: {type(error).__name__}"
