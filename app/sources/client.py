"""Read a server with Prometheus' API, in bounded time and bytes, at checked addresses only.

A response is the work of a stranger: it is read up to limits, and of its errors only Prometheus'
own are repeated.
"""

import base64
import email.utils
import ipaddress
import socket
import ssl
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from urllib.parse import urlencode

import httpcore
import numpy as np
import orjson

from app.forecasting.types import FloatArray
from app.monitors import clock
from app.sources.addresses import NOT_RESOLVED, check_base_url
from app.sources.records import Authorization, Labels, SourceError
from app.webhooks.addresses import Network, Target, WebhookUrlError

REQUEST_SECONDS = 30.0
MOST_BYTES = 64 * 1024 * 1024
MOST_SAMPLES = 500_000
LARGEST_VALUE = 1e100
# Clocks that differ by less are taken for equal; by more, one of them is wrong.
LEAST_SKEW, MOST_SKEW = 1.5, 3_600.0
LONGEST_PROBLEM = 200


class TooLargeError(SourceError):
    """A response is too large; a shorter range has a smaller one."""


@dataclass(frozen=True)
class Answer:
    """The series of a range.

    Attributes:
        series: The values of each step, NaN where there is none, with the labels.
        has_histograms: Whether there were native histograms, which are not read.
        warnings: What the server says about them.
    """

    series: list[tuple[Labels, FloatArray]]
    has_histograms: bool
    warnings: tuple[str, ...]


class Prometheus:
    """A server with Prometheus' API, for as long as one poll.

    Args:
        url: The server, under which ``/api/v1`` is.
        authorization: Credentials, if it needs them.
        tenant: The tenant, if it has them.
        allowed: Networks that are allowed besides public addresses.
        seconds: The time limit of a request.

    Raises:
        SourceError: The URL is not allowed.
    """

    def __init__(
        self,
        url: str,
        authorization: Authorization | None,
        tenant: str | None,
        allowed: Sequence[Network],
        seconds: float,
    ) -> None:
        try:
            self._target = check_base_url(url, allowed)
        except WebhookUrlError as error:
            raise SourceError(f"the URL is not allowed: {error}") from None
        self._headers = _headers(authorization, tenant)
        self._seconds = seconds
        self._network = CheckedNetwork(self._target, allowed)
        self._pool = httpcore.ConnectionPool(
            tls(), max_connections=1, network_backend=self._network
        )

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

    def ahead(self) -> float:
        """Return by how many seconds its clock is ahead of ours; 0 if they are about equal."""
        before = clock.now().timestamp()
        _, dated = self._ask("/api/v1/query", {"query": "1"})
        if dated is None:
            return 0.0
        # The header has whole seconds, cut.
        ahead = dated + 0.5 - (before + clock.now().timestamp()) / 2
        if abs(ahead) > MOST_SKEW:
            raise SourceError(f"its clock differs from ours by {ahead:.0f} s; set one of them")
        return ahead if abs(ahead) > LEAST_SKEW else 0.0

    def version(self) -> str | None:
        """Return its version, None if it does not say."""
        data, _ = self._ask("/api/v1/status/buildinfo", {})
        version = data.get("version") if isinstance(data, dict) else None
        return version[:50] if isinstance(version, str) else None

    def count(self, query: str, at: int) -> int:
        """Return the number of series of ``query`` at a Unix time."""
        # The line ends before the bracket: the query may end with a comment.
        data, _ = self._ask("/api/v1/query", {"query": f"count(\n{query}\n)", "time": str(at)})
        try:
            if data["resultType"] != "vector":
                raise SourceError("the query does not return series; send an instant vector")
            return int(float(data["result"][0]["value"][1])) if data["result"] else 0
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            raise SourceError("returned no response of Prometheus") from None

    def range(self, query: str, start: int, end: int, step: int) -> Answer:
        """Return the series of ``query`` from ``start`` to ``end``, multiples of ``step``."""
        form = {"query": query, "start": str(start), "end": str(end), "step": str(step)}
        # VictoriaMetrics moves the start of what it caches; Prometheus repeats values for so long.
        form |= {"nocache": "1", "lookback_delta": str(step), "timeout": f"{self._seconds:.0f}s"}
        data, _ = self._ask("/api/v1/query_range", form)
        try:
            if data["resultType"] != "matrix":
                raise SourceError("the query does not return series; send an instant vector")
            steps = (end - start) // step + 1
            found = [
                (_labels(each["metric"]), _values(each.get("values", ()), start, step, steps))
                for each in data["result"]
            ]
            has_histograms = any("histograms" in each for each in data["result"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise SourceError("returned no response of Prometheus") from None
        return Answer(found, has_histograms, data.get("warnings", ()))

    def _ask(self, path: str, form: Mapping[str, str]) -> tuple[Any, float | None]:
        """POST a form; return the data and when the response was dated, in Unix seconds."""
        self._network.deadline = time.monotonic() + self._seconds
        body = urlencode(form).encode()
        target = self._target
        url = httpcore.URL(
            scheme=b"http" if target.is_plain else b"https",
            host=target.host.encode(),
            port=target.port,
            target=(target.path.rstrip("/") + path).encode(),
        )
        try:
            with self._pool.stream("POST", url, headers=self._headers, content=body) as response:
                if 300 <= response.status < 400:
                    raise SourceError(f"returned {response.status}: redirects are not followed")
                received = _read(response, self._network.deadline)
                return _data(response.status, received), _date(response)
        except (httpcore.TimeoutException, TimeoutError):
            raise SourceError(f"no complete response within {self._seconds:g} s") from None
        except WebhookUrlError as error:
            raise SourceError(str(error)) from None
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


def _headers(authorization: Authorization | None, tenant: str | None) -> list[tuple[str, str]]:
    headers = [
        ("Accept", "application/json"),
        ("Accept-Encoding", "gzip"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("User-Agent", "forecast-service"),
    ]
    if tenant is not None:
        headers.append(("X-Scope-OrgID", tenant))
    if authorization is not None and authorization.type == "basic":
        pair = f"{authorization.user}:{authorization.secret}"
        headers.append(("Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}"))
    elif authorization is not None:
        headers.append(("Authorization", f"Bearer {authorization.secret}"))
    return headers


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


def _data(status: int, body: bytes) -> Any:
    """Return the data of a response; of an error only what Prometheus itself says."""
    # A sample is an array. Parsed, it takes ten times its bytes.
    if body.count(b"[") > 2 * MOST_SAMPLES:
        raise TooLargeError(f"returned more than {2 * MOST_SAMPLES:,} samples")
    try:
        answer = orjson.loads(body)
        if answer["status"] == "success":
            data = answer["data"]
            if isinstance(data, dict):
                data["warnings"] = _warnings(answer.get("warnings"))
            return data
        said = f"{answer['errorType']}: {answer['error']}"
    except (ValueError, KeyError, TypeError):
        raise SourceError(_without_words(status)) from None
    words = " ".join("".join(filter(str.isprintable, word)) for word in said.split())
    raise SourceError(words[:LONGEST_PROBLEM])


def _without_words(status: int) -> str:
    if status in (401, 403):
        return f"returned {status}: the authorization is not accepted"
    return f"returned {status} and no response of Prometheus"


def _warnings(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list):
        return ()
    return tuple(str(one)[:LONGEST_PROBLEM] for one in given[:5])


def _date(response: httpcore.Response) -> float | None:
    dates = [value for name, value in response.headers if name.lower() == b"date"]
    try:
        return email.utils.parsedate_to_datetime(dates[0].decode("latin-1")).timestamp()
    except (IndexError, ValueError, OverflowError):
        return None


def _labels(metric: Any) -> Labels:
    if not isinstance(metric, dict):
        raise TypeError
    labels = cast(Labels, metric)
    if not all(isinstance(value, str) for value in labels.values()):
        raise TypeError
    return dict(sorted(labels.items()))


def _values(samples: Any, start: int, step: int, steps: int) -> FloatArray:
    """Return the values of the steps; what is not finite or not on a step is missing."""
    values = np.full(steps, np.nan)
    if not samples:
        return values
    times, texts = zip(*samples, strict=True)
    numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    offsets = np.array(times, dtype=np.float64) - start
    places = np.round(offsets / step)
    is_good = np.isfinite(numbers) & (np.abs(numbers) <= LARGEST_VALUE)
    is_good &= (np.abs(offsets - places * step) < 1e-3) & (places >= 0) & (places < steps)
    values[places[is_good].astype(np.int64)] = numbers[is_good]
    return values


def _network_problem(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not valid: {cause.verify_message}"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore.ConnectError):
        return "cannot connect to the host"
    return f"no valid HTTP response: {type(error).__name__}"
