"""Read the body of a request: check its type and coding, then its size, then its JSON.

The size is bounded here and not by Flask's MAX_CONTENT_LENGTH, which under gunicorn cuts a chunked
body silently and continues with the rest.
"""

import contextlib
import threading
from collections.abc import Collection, Iterator
from typing import Any

from flask import request

from app.api.computing.engine_jobs import BYTES_PER_POINT, run_job
from app.api.endpoints.dialect import dialect_of
from app.api.endpoints.endpoint import BatchBounds
from app.api.errors.api_error import ApiError
from app.api.requests.batch_body import read_batch_body
from app.api.requests.json_body import BodyError, incomplete_error, parse_object, too_large_error
from app.api.responses.json import JSON_MEDIA_TYPE
from app.api.service import current_settings
from app.compute.jobs import Job
from app.core.memory_units import MEBIBYTE

_MAX_SHOWN_HEADER_LENGTH = 100
_NO_CODING = ("", "identity")
_ZSTD = "zstd"
# Memory that values may take for each byte of the largest body: a series of 50,000 points takes up
# to 16 times its text, the points of Azure's clients up to 20 times.
_MEMORY_PER_BYTE = 20
# A web worker parses larger bodies one after the other, so that it holds the values of only one;
# parsing holds the interpreter lock, so this takes no longer. Those of batches are parsed
# by an engine process. A smaller body takes up to 7 MiB and 0.1 s.
MAX_CONCURRENT_BYTES = MEBIBYTE // 8
LARGE_BODY_LOCK = threading.Lock()
READ_BODY_JOB = Job(
    "app.api.requests.batch_body:read_batch_body",
    noun="large request",
    remedy="send the request again, with fewer series",
    seconds_per_point=2e-7,
)


def read_file_body(types: Collection[str]) -> bytes:
    """Return the bytes of the current request's body, a file of one of these media types.

    Raise ApiError: 415 for another content type or a compressed body, 413 for one over the limit,
    400 for an incomplete one.
    """
    _check_type_and_coding(types)
    with _api_errors():
        return _read_bounded(current_settings().max_body_bytes, "send a shorter table")


def has_body() -> bool:
    """Return whether the current request has a body; a chunked one declares no length."""
    return bool(request.content_length) or "Transfer-Encoding" in request.headers


@contextlib.contextmanager
def exclusive_json_body(batch: BatchBounds | None) -> Iterator[dict[str, Any]]:
    """Read the JSON object of the current request's body; use it only inside the block.

    A batch has separate bounds, and may be compressed by zstd. Its long arrays of numbers become
    numpy arrays, see `read_batch_body`.

    Raise ApiError: 415 for another content type or coding, 413 for a body over a limit, 400 for an
    incomplete one and for anything that is not a JSON object.
    """
    dialect = dialect_of(request.path)
    types = (JSON_MEDIA_TYPE, *(dialect.media_types if dialect else ()))
    if batch is not None:
        yield _read_batch(batch, types)
        return
    _check_type_and_coding(types)
    limit = current_settings().max_body_bytes
    remedy = "send a shorter series"
    with contextlib.ExitStack() as stack:
        with _api_errors():
            sent = _read_bounded(limit, remedy)
            if len(sent) > MAX_CONCURRENT_BYTES:
                stack.enter_context(LARGE_BODY_LOCK)
            body = parse_object(sent, _MEMORY_PER_BYTE * limit, remedy)
        yield body


def _read_batch(batch: BatchBounds, types: Collection[str]) -> dict[str, Any]:
    is_zstd = _check_type_and_coding(types, (*_NO_CODING, _ZSTD)) == _ZSTD
    with _api_errors():
        sent = _read_bounded(batch.max_sent_bytes, batch.remedy)
        bounds = batch.max_unpacked_bytes, batch.max_memory_bytes, batch.remedy
        body: dict[str, Any] | BodyError
        if is_zstd or len(sent) > MAX_CONCURRENT_BYTES:
            points = len(sent) // BYTES_PER_POINT
            body = run_job(READ_BODY_JOB, sent, is_zstd, *bounds, points=points, keep_slot=True)
        else:
            body = read_batch_body(sent, is_zstd, *bounds)
        if isinstance(body, BodyError):
            raise body
    return body


@contextlib.contextmanager
def _api_errors() -> Iterator[None]:
    """Turn the rejection of a body into the response's error."""
    try:
        yield
    except BodyError as error:
        raise ApiError(error.status, error.message, error.issue) from None


def _check_type_and_coding(types: Collection[str], codings: Collection[str] = _NO_CODING) -> str:
    """Return the coding of the body; raise the 415 for another one, or another media type."""
    if request.mimetype not in types:
        value = repr(request.mimetype[:_MAX_SHOWN_HEADER_LENGTH]) if request.mimetype else "missing"
        first = next(iter(types))
        remedy = first if first == JSON_MEDIA_TYPE else f"one of {', '.join(types)}"
        if request.mimetype == "multipart/form-data" and first != JSON_MEDIA_TYPE:
            remedy = f"the bytes of the file as the body, as curl's --data-binary does, as {remedy}"
        issue = f"Content-Type is {value}; send {remedy}"
        raise ApiError(415, "Unsupported media type", issue)
    coding = request.headers.get("Content-Encoding", "").strip()
    if coding.lower() not in codings:
        value = repr(coding[:_MAX_SHOWN_HEADER_LENGTH])
        other = f"{_ZSTD}, or " if _ZSTD in codings else ""
        issue = (
            f"Content-Encoding is {value}; send {other}the body uncompressed, without this header"
        )
        raise ApiError(415, "Unsupported media type", issue)
    return coding.lower()


def _read_bounded(limit: int, remedy: str) -> bytes:
    # Werkzeug's stream ends where the body ends, chunked bodies included.
    declared = request.content_length or 0
    body = b"" if declared > limit else _read_bytes((declared or limit) + 1)
    if declared > limit or len(body) > limit:
        raise too_large_error(f"the body is larger than {limit} bytes", remedy)
    if len(body) < declared:
        raise incomplete_error(f"it ended after {len(body)} of {declared} bytes")
    return body


def _read_bytes(size: int) -> bytes:
    try:
        return request.stream.read(size)
    except TimeoutError as error:
        raise incomplete_error("no more bytes arrived") from error
    # Servers raise different exceptions for malformed chunks and for clients that hang up.
    except Exception as error:
        raise incomplete_error(type(error).__name__) from error
