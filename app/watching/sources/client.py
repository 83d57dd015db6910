"""The client of servers with Prometheus' API."""

import contextlib
import email.utils
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol
from urllib.parse import urlencode

from app.core.database import utcnow
from app.core.http.addresses import check_url
from app.core.http.client import (
    BlockingHttpClient,
    HttpRequest,
    HttpResponse,
    basic_authorization,
    redirect_problem,
)
from app.core.http.errors import DeadlineError, HttpError, UrlError
from app.core.settings import Settings
from app.timeseries.seconds import HOUR_SECONDS
from app.watching.sources.credentials_cipher import decrypt
from app.watching.sources.responses import (
    MAX_BYTES,
    MAX_SMALL_BYTES,
    Matrix,
    SourceResponse,
    parse_count,
    parse_data,
    parse_matrix,
)
from app.watching.sources.source_records import SOURCE_URLS, Authorization, SourceError

MAX_QUERY_SECONDS = 30.0
# Smaller clock offsets are ignored; with a larger one, one of the clocks is wrong.
_MIN_CLOCK_OFFSET_SECONDS, _MAX_CLOCK_OFFSET_SECONDS = 1.5, HOUR_SECONDS
_MAX_VERSION_LENGTH = 50
_MAX_DATE_LENGTH = 64
# Where an error of PromQL is: `2:17: parse error`.
_ERROR_POSITION = re.compile(r"\b(\d{1,9}):(\d{1,9})(?=: parse error)")

NetworkWait = Callable[[], contextlib.AbstractContextManager[None]]


class ClientSource(Protocol):
    """The columns of a source that its client needs; ``credentials`` are encrypted."""

    url: str
    credentials: str | None
    tenant: str | None


class PrometheusClient:
    """The client of a server with Prometheus' API, for as long as one poll.

    Args:
        settings: Which networks are allowed, and the keys of the credentials.
        total_seconds: The time limit of all requests together, from now on.
        first_seconds: The time limit of the first request.
        network_wait: Opened for as long as a request waits for the network.
        check: Called during the request; what it raises ends it.

    Raise UrlError or UnreadableCredentialsError.
    """

    def __init__(
        self,
        settings: Settings,
        source: ClientSource,
        total_seconds: float = math.inf,
        first_seconds: float = math.inf,
        network_wait: NetworkWait = contextlib.nullcontext,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        authorization = None
        if source.credentials is not None:
            authorization = decrypt(source.credentials, settings.secrets_key)
        allowed = settings.source_allowed_networks
        try:
            self._target = check_url(source.url, allowed, SOURCE_URLS)
        except UrlError as error:
            raise UrlError(f"the URL is not allowed: {error}") from None
        self._headers = _headers(authorization, source.tenant)
        self._seconds = min(MAX_QUERY_SECONDS, total_seconds)
        self._first_seconds = first_seconds
        self._ends_at = time.monotonic() + total_seconds
        self._network_wait, self._check = network_wait, check
        self._client = BlockingHttpClient(SOURCE_URLS, allowed)

    def close(self) -> None:
        self._client.close()

    def clock_offset_seconds(self) -> float:
        """Return the seconds by which its clock is ahead of ours; 0 if the difference is small."""
        before = utcnow().timestamp()
        response = self._request("/api/v1/query", {"query": "1"})
        parse_data(response, MAX_SMALL_BYTES)
        if response.sent_at is None:
            return 0.0
        # The header has whole seconds, cut.
        offset = response.sent_at + 0.5 - (before + utcnow().timestamp()) / 2
        if abs(offset) > _MAX_CLOCK_OFFSET_SECONDS:
            raise SourceError(f"its clock differs from ours by {offset:.0f} s; set one of them")
        return offset if abs(offset) > _MIN_CLOCK_OFFSET_SECONDS else 0.0

    def version(self) -> str | None:
        """Return its version, None if it reports none."""
        try:
            # Prometheus takes no POST here.
            response = self._send("GET", "/api/v1/status/buildinfo", None, MAX_SMALL_BYTES)
            data, _ = parse_data(response, MAX_SMALL_BYTES)
        except DeadlineError:
            raise
        except HttpError:
            return None
        version = data.get("version") if isinstance(data, dict) else None
        return version[:_MAX_VERSION_LENGTH] if isinstance(version, str) else None

    def count_series(self, query: str, at: int) -> int:
        """Return the number of series of ``query`` at a Unix time."""
        # The line ends before the bracket: the query may end with a comment.
        form = {"query": f"count(\n{query}\n)", "time": str(at)}
        try:
            return parse_count(self._request("/api/v1/query", form))
        except SourceError as error:
            message = _ERROR_POSITION.sub(_query_position, str(error))
            raise type(error)(message) from None

    def query_range(self, query: str, start: int, end: int, step: int) -> Matrix:
        """Return the series of ``query`` from ``start`` to ``end``, multiples of ``step``."""
        response = self.query_range_response(query, start, end, step)
        return parse_matrix(response, start, step, (end - start) // step + 1)

    def query_range_response(
        self, query: str, start: int, end: int, step: int, max_bytes: int = MAX_BYTES
    ) -> SourceResponse:
        """Return the response for `query_range`, which `app.watching.sources.responses` reads."""
        form = {"query": query, "start": str(start), "end": str(end), "step": str(step)}
        # VictoriaMetrics moves the start of cached ranges; Prometheus repeats values for the
        # length of its lookback.
        form |= {"nocache": "1", "lookback_delta": str(step), "timeout": f"{self._seconds:.0f}s"}
        return self._request("/api/v1/query_range", form, max_bytes)

    def _request(
        self, path: str, form: Mapping[str, str], max_bytes: int = MAX_SMALL_BYTES
    ) -> SourceResponse:
        return self._send("POST", path, urlencode(form).encode(), max_bytes)

    def _send(self, method: str, path: str, body: bytes | None, max_bytes: int) -> SourceResponse:
        target = replace(self._target, path=self._target.path.rstrip("/") + path)
        limit = min(self._seconds, self._first_seconds)
        seconds = min(limit, self._ends_at - time.monotonic())
        try:
            with self._network_wait():
                response = self._client.fetch(
                    HttpRequest(method, target, self._headers, body, seconds, max_bytes),
                    self._check,
                )
        except DeadlineError:
            raise DeadlineError(f"no complete response within {limit:g} s") from None
        self._first_seconds = math.inf
        problem = redirect_problem(response.status)
        if problem:
            raise SourceError(problem)
        return SourceResponse(
            response.status, response.body, _is_gzip(response), _date_header(response)
        )


def _query_position(position: re.Match[str]) -> str:
    """Return a position in the query: the query that was sent has one more line before it."""
    return f"{max(1, int(position[1]) - 1)}:{position[2]}"


def _is_gzip(response: HttpResponse) -> bool:
    encodings = response.header_values(b"content-encoding")
    if encodings not in ([], [b"gzip"], [b"identity"]):
        raise SourceError("returned a Content-Encoding other than gzip")
    return encodings == [b"gzip"]


def _date_header(response: HttpResponse) -> float | None:
    try:
        date = response.header_values(b"date")[0][:_MAX_DATE_LENGTH].decode("latin-1")
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (IndexError, ValueError, OverflowError):
        return None


def _headers(authorization: Authorization | None, tenant: str | None) -> list[tuple[str, str]]:
    headers = [
        ("Accept", "application/json"),
        ("Accept-Encoding", "gzip"),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ]
    if tenant is not None:
        headers.append(("X-Scope-OrgID", tenant))
    if authorization is not None and authorization.type == "basic":
        pair = authorization.user, authorization.secret
        headers.append(("Authorization", basic_authorization(*pair)))
    elif authorization is not None:
        headers.append(("Authorization", f"Bearer {authorization.secret}"))
    return headers
