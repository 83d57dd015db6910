"""Read a server with Prometheus' API.

A response is the work of a stranger: it is read up to limits, and of its errors only Prometheus'
own are repeated.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

import numpy as np
import orjson

from app.forecasting.types import FloatArray
from app.monitors import clock
from app.sources.connection import Headers, Server, TooLargeError
from app.sources.records import Authorization, Labels, SourceError
from app.webhooks.addresses import Network

REQUEST_SECONDS = 30.0
MOST_SAMPLES = 500_000
LARGEST_VALUE = 1e100
# Clocks that differ by less are taken for equal; by more, one of them is wrong.
LEAST_SKEW, MOST_SKEW = 1.5, 3_600.0
LONGEST_PROBLEM = 200
# Where an error of PromQL is: `2:17: parse error`.
POSITION = re.compile(r"\b(\d+):(\d+)(?=: parse error)")


@dataclass(frozen=True)
class Matrix:
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
        self._server = Server(url, _headers(authorization, tenant), allowed, seconds)
        self._seconds = seconds

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

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
        received = self._server.get("/api/v1/status/buildinfo")  # Prometheus takes no POST here
        try:
            data = _data(received.status, received.body)
        except SourceError:
            return None
        version = data.get("version") if isinstance(data, dict) else None
        return version[:50] if isinstance(version, str) else None

    def count(self, query: str, at: int) -> int:
        """Return the number of series of ``query`` at a Unix time."""
        # The line ends before the bracket: the query may end with a comment.
        try:
            data, _ = self._ask("/api/v1/query", {"query": f"count(\n{query}\n)", "time": str(at)})
        except SourceError as error:
            words = POSITION.sub(_in_query, str(error))
            if words == str(error):
                raise
            raise SourceError(words) from None
        try:
            if data["resultType"] != "vector":
                raise SourceError("the query does not return series; send an instant vector")
            return int(float(data["result"][0]["value"][1])) if data["result"] else 0
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            raise SourceError("returned no response of Prometheus") from None

    def range(self, query: str, start: int, end: int, step: int) -> Matrix:
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
        return Matrix(found, has_histograms, data.get("warnings", ()))

    def _ask(self, path: str, form: Mapping[str, str]) -> tuple[Any, float | None]:
        """POST a form; return the data and when the response was dated, in Unix seconds."""
        received = self._server.post(path, urlencode(form).encode())
        return _data(received.status, received.body), received.dated


def _in_query(position: re.Match[str]) -> str:
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


def _data(status: int, body: bytes) -> Any:
    """Return the data of a response; of an error only what Prometheus itself says."""
    # A sample is an array. Parsed, it takes ten times its bytes.
    if body.count(b"[") > 2 * MOST_SAMPLES:
        raise TooLargeError(f"returned more than {2 * MOST_SAMPLES:,} samples")
    try:
        response = orjson.loads(body)
        if response["status"] == "success":
            data = response["data"]
            if isinstance(data, dict):
                data["warnings"] = _warnings(response.get("warnings"))
            return data
        said = f"{response['errorType']}: {response['error']}"
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
