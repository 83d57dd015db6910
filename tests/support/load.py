"""Clients that keep a real server busy, and the results of their requests."""

import contextlib
import http.client
import itertools
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from urllib.parse import urlsplit

import orjson

from tests.support.api import CODES
from tests.support.keys import QUICK
from tests.support.series import daily_body

FORECAST = ("POST", "/forecast", orjson.dumps(daily_body()))
VERIFY = ("GET", "/verify", None)
HEALTH = ("GET", "/healthz", None)
PATIENCE_SECONDS = 90  # longer than nginx waits for a forecast

Request = tuple[str, str, bytes | None]


@dataclass(frozen=True)
class Call:
    """A request: its status (0: no response) and its duration."""

    path: str
    status: int
    seconds: float
    started: float
    body: bytes = b""
    retry_after: str | None = None
    request_id: str | None = None


def connect(url: str) -> http.client.HTTPConnection:
    """Return a connection to a server; over HTTPS any certificate is accepted."""
    parts = urlsplit(url)
    if parts.scheme == "http":
        return http.client.HTTPConnection(parts.netloc, timeout=PATIENCE_SECONDS)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(parts.netloc, timeout=PATIENCE_SECONDS, context=context)


class Client:
    """A client with one connection, reopened when it breaks; the default is the quick model."""

    def __init__(self, url: str, key: str | None, model: str | None = None, **headers: str) -> None:
        """Header names are written with ``_``."""
        self._headers = {"Content-Type": "application/json", **QUICK}
        self._headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        if model is not None:
            self._headers["X-Model-Id"] = model
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._connection = connect(url)

    def send(self, request: Request) -> Call:
        """Send a request once; a connection that breaks is status 0."""
        started = time.monotonic()
        status, body, headers = 0, b"", Message()
        try:
            self._connection.request(request[0], request[1], request[2], self._headers)
            response = self._connection.getresponse()
            status, body, headers = response.status, response.read(), response.headers
        except (OSError, http.client.HTTPException):
            status, body = 0, b""
            self._connection.close()
        seconds = time.monotonic() - started
        ids = (headers["Retry-After"], headers["X-Request-Id"])
        return Call(request[1], status, seconds, started, body, *ids)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@dataclass
class Load:
    """The requests that ``clients`` have sent so far."""

    clients: int
    calls: list[Call] = field(default_factory=list)

    def statuses(self, path: str | None = None, since: float = 0) -> Counter[int]:
        """Return the number of each status of a path, for requests since a moment."""
        return Counter(
            call.status
            for call in self.calls
            if path in (None, call.path) and call.started >= since
        )

    def max_seconds(self) -> float:
        """Return the longest wait of any request, in seconds."""
        return max(call.seconds for call in self.calls)

    def assert_errors_have_the_one_shape(self) -> None:
        """Check that every response other than 200 has the error body and Retry-After."""
        for call in self.calls:
            if call.status not in (0, 200):
                assert orjson.loads(call.body)["error"]["code"] == CODES[call.status], call
            if call.status in (429, 503):
                assert int(call.retry_after or 0) > 0, call


@contextlib.contextmanager
def load(
    url: str,
    key: str | None,
    requests: list[Request],
    *,
    clients: int = 8,
    pause: float = 0.0,
    model: str | None = None,
    **headers: str,
) -> Iterator[Load]:
    """Let ``clients`` send ``requests`` in turn, repeatedly, within a block.

    Names of ``headers`` are written with ``_``.
    """
    sent, ended = Load(clients), threading.Event()

    def work(offset: int) -> None:
        client = Client(url, key, model, **headers)
        for turn in itertools.count(offset):
            if ended.is_set():
                break
            sent.calls.append(client.send(requests[turn % len(requests)]))
            if pause:
                ended.wait(pause)
        client.close()

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield sent
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def send_exactly(url: str, key: str, request: Request, *, clients: int, times: int) -> Load:
    """Send a request ``times`` times from each of ``clients``; return the results."""
    sent = Load(clients)

    def work() -> None:
        client = Client(url, key)
        sent.calls.extend([client.send(request) for _ in range(times)])
        client.close()

    run_in_parallel(work, clients)
    return sent


def run_in_parallel(work: Callable[[], None], clients: int) -> None:
    """Run ``work`` in this many threads and wait for all."""
    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
