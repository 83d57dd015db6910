"""HTTP with servers that customers name: in bounded time and bytes, at checked addresses only."""

import email.utils
import ipaddress
import math
import ssl
import time
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import httpcore

from app.core.bounded_http import BoundedNetwork, NotResolvedError, ResponseTooLargeError
from app.delivery.addresses import Network, WebhookUrlError
from app.watching.sources.addresses import NOT_RESOLVED, check_base_url
from app.watching.sources.records import NotAllowedError, SourceError

MAX_BYTES = 8 * 1024 * 1024
"""Bytes of a body, as sent and unpacked: 100,000 samples take 4 MiB, their labels the rest."""
MAX_SMALL_BYTES = 64 * 1024
"""Bytes of a body with one value, or of which only the status is used."""
MAX_DATE_LENGTH = 64

Headers = list[tuple[str, str]]


class TooLargeError(SourceError):
    """A response is too large; a shorter range has a smaller one."""


class SourceResponse(NamedTuple):
    """A response: ``body`` as it was sent; ``dated`` is its date in Unix seconds, if it has one."""

    status: int
    body: bytes
    is_gzip: bool
    dated: float | None


class Server:
    """A server, connected for some requests.

    Args:
        url: Its URL, under which the paths are.
        headers: Headers of every request.
        allowed: Networks that are allowed besides public addresses.
        seconds: The time limit of a request.
        total_seconds: The time limit of all requests together, from now on.

    Raises:
        SourceError: The URL is not allowed.
    """

    def __init__(
        self,
        url: str,
        headers: Headers,
        allowed: Sequence[Network],
        seconds: float,
        total_seconds: float = math.inf,
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
        self._allowed = allowed
        self._seconds = seconds
        self._ends_at = time.monotonic() + total_seconds
        self._network = BoundedNetwork(self._check_addresses)
        self._pool = httpcore.ConnectionPool(
            tls_context(), max_connections=1, network_backend=self._network
        )

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

    def get(self, path: str) -> SourceResponse:
        """GET a path under the URL, as ``post`` does; the response is a small one."""
        return self._request("GET", path, None, MAX_SMALL_BYTES)

    def post(self, path: str, body: bytes, max_bytes: int = MAX_SMALL_BYTES) -> SourceResponse:
        """POST ``body`` to a path under the URL; follow no redirect.

        Raises:
            SourceError: There is no complete response in time, or it is too large.
        """
        return self._request("POST", path, body, max_bytes)

    def _check_addresses(self, addresses: Sequence[str]) -> None:
        """Refuse a host unless all of its addresses are allowed."""
        for address in addresses:
            if not self._target.is_allowed_at(ipaddress.ip_address(address), self._allowed):
                raise NotAllowedError(NOT_RESOLVED)

    def _request(
        self, method: str, path: str, body: bytes | None, max_bytes: int
    ) -> SourceResponse:
        self._network.begin(min(time.monotonic() + self._seconds, self._ends_at), max_bytes)
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
                is_gzip = _is_gzip(response)
                received = self._network.read_body(response)
                return SourceResponse(response.status, received, is_gzip, _date(response))
        except httpcore.TimeoutException:
            raise SourceError(f"no complete response within {self._seconds:g} s") from None
        except NotResolvedError:
            raise NotAllowedError(NOT_RESOLVED) from None
        except ResponseTooLargeError as error:
            raise TooLargeError(str(error)) from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise SourceError(_network_problem(error)) from None


@cache
def tls_context() -> ssl.SSLContext:
    """Return the TLS settings of all connections: to load the authorities takes long."""
    return ssl.create_default_context()


def _header(response: httpcore.Response, name: bytes) -> list[bytes]:
    return [value for each, value in response.headers if each.lower() == name]


def _is_gzip(response: httpcore.Response) -> bool:
    encodings = _header(response, b"content-encoding")
    if encodings not in ([], [b"gzip"], [b"identity"]):
        raise SourceError("returned a Content-Encoding other than gzip")
    return encodings == [b"gzip"]


def _date(response: httpcore.Response) -> float | None:
    try:
        date = _header(response, b"date")[0][:MAX_DATE_LENGTH].decode("latin-1")
        return email.utils.parsedate_to_datetime(date).timestamp()
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
