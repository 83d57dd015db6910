"""Read the responses of Prometheus' API: untrusted bytes to values, in bounded memory.

Bytes are bounded while they are unpacked, values by their punctuation before they are parsed, and
arrays by the requested steps. Errors are repeated only in Prometheus' own form.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from app.core.bounded_json import JsonTooLargeError, parse_json
from app.core.http.errors import HttpError, ResponseTooLargeError, response_too_large
from app.core.memory_units import MEBIBYTE
from app.timeseries.types import BoolArray, FloatArray
from app.timeseries.words import truncate
from app.watching.sources.series import (
    MAX_LABEL_BYTES,
    MAX_SERIES_LABELS,
    has_too_many_labels,
    history_notices,
)
from app.watching.sources.source_records import Labels, QueryRejectedError, SourceError

# Bytes of a body, as sent and unpacked: 100,000 samples take 4 MiB, their labels the rest.
MAX_BYTES = 8 * MEBIBYTE
MAX_SMALL_BYTES = 64 * 1024  # bytes of a body with one value
MAX_SAMPLES = 100_000  # of one request; parsed, one takes 350 bytes
# Memory of parsed values: `MAX_SAMPLES`, and the labels of 10,000 series (4 kB each).
MAX_PARSED_BYTES = 80 * MEBIBYTE
# Steps of all series of a response, with or without a sample: 8 MB as an array.
MAX_RESPONSE_CELLS = 1_000_000
_MAX_VALUE = 1e100
_MAX_WARNINGS = 5
_MAX_SERVER_ERROR_LENGTH = 200
_MAX_RAW_PROBLEM_LENGTH = 2_000  # characters of an error that are split into words
_MAX_PREVIEW_SERIES = 12  # series of a preview

_HISTOGRAMS_NOTICE = "native histograms are not supported: query histogram_quantile() of them"
_TOO_MANY_LABELS_NOTICE = (
    f"series with more than {MAX_SERIES_LABELS} labels, or more than {MAX_LABEL_BYTES // 1024} kB "
    "of them, are not watched"
)
_NOT_PROMETHEUS = "returned no response of Prometheus"
_NOT_SERIES = "the query does not return series; send an instant vector"
# Statuses of errors about the query: of Prometheus' parser, and of VictoriaMetrics'.
_QUERY_ERROR_STATUSES = (400, 422)
_SERIES_MARK = b'"metric"'  # occurs once in each series of a response
# Errors while reading a response that does not have the form of Prometheus.
_MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)


class SourceResponse(NamedTuple):
    """A response: ``body`` is as it was sent, ``sent_at`` its date in Unix seconds, if any."""

    status: int
    body: bytes
    is_gzip: bool
    sent_at: float | None


@dataclass(frozen=True)
class Matrix:
    """The series of a range: the values of each step, NaN where there is none, with the labels.

    Series with too many labels are left out. ``notices`` report that, and other likely mistakes.
    ``is_empty``, shape (n,): whether no series has a sample at a step, even one that is NaN:
    nothing was scraped.
    """

    series: list[tuple[Labels, FloatArray]]
    notices: tuple[str, ...]
    is_empty: BoolArray


@dataclass(frozen=True)
class Preview:
    """The first series of a range that have values, their number, and likely mistakes."""

    series: Sequence[tuple[Labels, FloatArray]]
    count: int
    notices: Sequence[str]


def parse_data(response: SourceResponse, max_bytes: int = MAX_BYTES) -> tuple[Any, tuple[str, ...]]:
    """Return the data of a response, and its warnings.

    Raise ResponseTooLargeError, QueryRejectedError or another SourceError.
    """
    try:
        body = _unzip(response.body, max_bytes) if response.is_gzip else response.body
        content = parse_json(body, MAX_PARSED_BYTES)
        if content["status"] == "success":
            return content["data"], _warnings(content.get("warnings"))
        error = f"{_text(content['errorType'])}: {_text(content['error'])}"
    except JsonTooLargeError:
        size = f"{MAX_PARSED_BYTES // MEBIBYTE} MiB parsed"
        raise ResponseTooLargeError(response_size_problem(body.count(_SERIES_MARK), size)) from None
    except zlib.error:
        raise SourceError("returned a body that is not gzip") from None
    except _MALFORMED:
        raise SourceError(_status_problem(response.status)) from None
    is_about_query = response.status in _QUERY_ERROR_STATUSES
    raise (QueryRejectedError if is_about_query else SourceError)(_one_line(error))


def response_size_problem(series: int, size: str) -> str:
    """Return the problem of a response larger than ``size``, by its number of ``series``."""
    if not series:
        return f"returned more than {size}"
    return f"returned {series:,} series, more than {size}: aggregate by fewer labels"


def _unzip(body: bytes, max_bytes: int) -> bytes:
    """Return the decompressed bytes of a gzip body; unpack no more than ``max_bytes``.

    Raise ResponseTooLargeError, or zlib.error, also if ``body`` is incomplete.
    """
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    unpacked = unpacking.decompress(body, max_bytes + 1)
    if len(unpacked) > max_bytes:
        raise response_too_large(max_bytes)
    if not unpacking.eof:
        raise zlib.error("incomplete")
    return unpacked


def parse_count(response: SourceResponse) -> int:
    """Return the value of the only series of a vector, 0 without one; raise SourceError."""
    data, _ = parse_data(response, MAX_SMALL_BYTES)
    try:
        if data["resultType"] != "vector":
            raise SourceError(_NOT_SERIES)
        count = int(float(data["result"][0]["value"][1])) if data["result"] else 0
    except _MALFORMED:
        raise SourceError(_NOT_PROMETHEUS) from None
    if count < 0:
        raise SourceError(_NOT_PROMETHEUS)
    return count


def parse_matrix(response: SourceResponse, start: int, step: int, steps: int) -> Matrix:
    """Return the series of a range of ``steps`` from ``start``, in Unix seconds.

    Raise ResponseTooLargeError, which a shorter range avoids, or SourceError.
    """
    data, warnings = parse_data(response)
    try:
        if data["resultType"] != "matrix":
            raise SourceError(_NOT_SERIES)
        result = data["result"]
        if len(result) * steps > MAX_RESPONSE_CELLS:
            raise ResponseTooLargeError(
                response_size_problem(len(result), f"{MAX_RESPONSE_CELLS:,} values in this range")
            )
        is_empty = np.ones(steps, dtype=bool)
        parsed = [
            (_labels(item["metric"]), _values(item.get("values", ()), start, step, is_empty))
            for item in result
        ]
        has_histograms = any("histograms" in item for item in result)
    except _MALFORMED:
        raise SourceError(_NOT_PROMETHEUS) from None
    kept = [(labels, values) for labels, values in parsed if not has_too_many_labels(labels)]
    notices = [_HISTOGRAMS_NOTICE] if has_histograms else []
    notices += [_TOO_MANY_LABELS_NOTICE] if len(kept) < len(parsed) else []
    return Matrix(
        kept, (*notices, *(f"the source warns: {warning}" for warning in warnings)), is_empty
    )


def preview_matrix(
    response: SourceResponse, start: int, step: int, steps: int
) -> Preview | HttpError:
    """Return a preview of a range, or why there is none: engine processes return their errors."""
    try:
        matrix = parse_matrix(response, start, step, steps)
    except HttpError as error:
        return error
    present = [(labels, values) for labels, values in matrix.series if not np.isnan(values).all()]
    notices = [*matrix.notices, *history_notices([values for _, values in present])]
    return Preview(present[:_MAX_PREVIEW_SERIES], len(present), notices)


def _status_problem(status: int) -> str:
    if status in (401, 403):
        return f"returned {status}: the authorization is not accepted"
    return f"returned {status} and no response of Prometheus"


def _warnings(warnings: Any) -> tuple[str, ...]:
    if not isinstance(warnings, list):
        return ()
    return tuple(_one_line(_text(warning)) for warning in warnings[:_MAX_WARNINGS])


def _one_line(words: str) -> str:
    line = " ".join("".join(filter(str.isprintable, word)) for word in words.split())
    return truncate(line, _MAX_SERVER_ERROR_LENGTH)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value[:_MAX_RAW_PROBLEM_LENGTH]


def _labels(metric: Any) -> Labels:
    if not isinstance(metric, dict):
        raise TypeError
    if not all(isinstance(value, str) for value in metric.values()):
        raise TypeError
    return dict(sorted(metric.items()))


def _values(samples: Any, start: int, step: int, is_empty: BoolArray) -> FloatArray:
    """Return the values of the steps; values that are not finite or not on a step are missing.

    Set ``is_empty`` to False at steps with a sample.
    """
    steps = len(is_empty)
    values = np.full(steps, np.nan)
    if not samples:
        return values
    times, texts = zip(*samples, strict=True)
    numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    offsets = np.fromiter(map(float, times), np.float64, len(times)) - start
    indices = np.round(offsets / step)
    is_on_step = (np.abs(offsets - indices * step) < 1e-3) & (indices >= 0) & (indices < steps)
    is_empty[indices[is_on_step].astype(np.int64)] = False
    is_good = is_on_step & np.isfinite(numbers) & (np.abs(numbers) <= _MAX_VALUE)
    values[indices[is_good].astype(np.int64)] = numbers[is_good]
    return values
