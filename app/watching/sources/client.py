"""Ask a server with Prometheus' API."""

import base64
import contextlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

from app.delivery.addresses import Network
from app.watching.monitors import clock
from app.watching.sources.connection import (
    MAX_BYTES,
    MAX_SMALL_BYTES,
    Headers,
    Server,
    SourceResponse,
)
from app.watching.sources.records import Authorization, SourceError
from app.watching.sources.responses import Matrix, parse_count, parse_data, parse_matrix

REQUEST_SECONDS = 30.0
# Clocks that differ by less are taken for equal; by more, one of them is wrong.
MIN_SKEW_SECONDS, MAX_SKEW_SECONDS = 1.5, 3_600.0
MAX_VERSION_LENGTH = 50
# Where an error of PromQL is: `2:17: parse error`.
ERROR_POSITION = re.compile(r"\b(\d{1,9}):(\d{1,9})(?=: parse error)")

Waiting = Callable[[], contextlib.AbstractContextManager[None]]


class Prometheus:
    """A server with Prometheus' API, for as long as one poll.

    Args:
        url: The server, under which ``/api/v1`` is.
        authorization: Credentials, if it needs them.
        tenant: The tenant, if it has them.
        allowed: Networks that are allowed besides public addresses.
        seconds: The time limit of a request.
        total_seconds: The time limit of all requests together, from now on.
        waiting: Opened for as long as a request waits for the network.

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
        total_seconds: float = math.inf,
        waiting: Waiting = contextlib.nullcontext,
    ) -> None:
        headers = _headers(authorization, tenant)
        self._server = Server(url, headers, allowed, seconds, total_seconds)
        self._seconds = seconds
        self._waiting = waiting

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def ahead(self) -> float:
        """Return by how many seconds its clock is ahead of ours; 0 if they are about equal."""
        before = clock.now().timestamp()
        received = self._request("/api/v1/query", {"query": "1"})
        parse_data(received, MAX_SMALL_BYTES)
        if received.dated is None:
            return 0.0
        # The header has whole seconds, cut.
        ahead = received.dated + 0.5 - (before + clock.now().timestamp()) / 2
        if abs(ahead) > MAX_SKEW_SECONDS:
            raise SourceError(f"its clock differs from ours by {ahead:.0f} s; set one of them")
        return ahead if abs(ahead) > MIN_SKEW_SECONDS else 0.0

    def version(self) -> str | None:
        """Return its version, None if it does not say."""
        with self._waiting():
            # Prometheus takes no POST here.
            received = self._server.get("/api/v1/status/buildinfo")
        try:
            data, _ = parse_data(received, MAX_SMALL_BYTES)
        except SourceError:
            return None
        version = data.get("version") if isinstance(data, dict) else None
        return version[:MAX_VERSION_LENGTH] if isinstance(version, str) else None

    def count(self, query: str, at: int) -> int:
        """Return the number of series of ``query`` at a Unix time."""
        # The line ends before the bracket: the query may end with a comment.
        form = {"query": f"count(\n{query}\n)", "time": str(at)}
        try:
            return parse_count(self._request("/api/v1/query", form))
        except SourceError as error:
            words = ERROR_POSITION.sub(_query_position, str(error))
            if words == str(error):
                raise
            raise SourceError(words) from None

    def range(self, query: str, start: int, end: int, step: int) -> Matrix:
        """Return the series of ``query`` from ``start`` to ``end``, multiples of ``step``."""
        received = self.range_response(query, start, end, step)
        return parse_matrix(received, start, step, (end - start) // step + 1)

    def range_response(
        self, query: str, start: int, end: int, step: int, max_bytes: int = MAX_BYTES
    ) -> SourceResponse:
        """Return the response for `range`, which `app.watching.sources.responses` reads."""
        form = {"query": query, "start": str(start), "end": str(end), "step": str(step)}
        # VictoriaMetrics moves the start of what it caches; Prometheus repeats values for so long.
        form |= {"nocache": "1", "lookback_delta": str(step), "timeout": f"{self._seconds:.0f}s"}
        return self._request("/api/v1/query_range", form, max_bytes)

    def _request(
        self, path: str, form: Mapping[str, str], max_bytes: int = MAX_SMALL_BYTES
    ) -> SourceResponse:
        with self._waiting():
            return self._server.post(path, urlencode(form).encode(), max_bytes)


def _query_position(position: re.Match[str]) -> str:
    """Return a position in the query, before which we have sent a line of our own."""
    return f"{max(1, int(position[1]) - 1)}:{position[2]}"


def _headers(authorization: Authorization | None, tenant: str | None) -> Headers:
    headers = [("Content-Type", "application/x-www-form-urlencoded")]
    if tenant is not None:
        headers.append(("X-Scope-OrgID", tenant))
    if authorization is not None and authorization.type == "basic":
        pair = f"{authorization.user}:{authorization.secret}"
        headers.append(("Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}"))
    elif authorization is not None:
        headers.append(("Authorization", f"Bearer {authorization.secret}"))
    return headers
