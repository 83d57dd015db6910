"""Reading a request's body: its type and coding, its size, its JSON, in this order.

The size is bounded here and not by Flask's MAX_CONTENT_LENGTH, which under gunicorn cuts a chunked
body silently and continues with the rest.
"""

import io
from collections.abc import Collection
from typing import Any

import orjson
import zstandard
from flask import current_app, request

from app.api.declaration import Batch
from app.api.dialects import dialect_of
from app.api.errors import ApiError
from app.api.malformed_json import describe_malformed

JSON = "application/json"
LONGEST_TYPE = 100
UNCODED = ("", "identity")
ZSTD = "zstd"
LARGEST_WINDOW = 128 * 1024 * 1024  # of zstd: what its decoder keeps of what it has unpacked
DEEPEST_NESTING = 32  # a request has four levels
JSON_KINDS = {
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def read_file(types: Collection[str]) -> bytes:
    """Return the bytes of the current request's body, a file of one of these media types.

    Raises:
        ApiError: 415 for another content type or a compressed body, 413 for one over the limit,
            400 for an incomplete one.
    """
    _check_coding(types)
    return _read_bounded(current_app.config["MAX_BODY_BYTES"], "send a shorter table")


def read_json_object(batch: Batch | None = None) -> dict[str, Any]:
    """Return the JSON object of the current request's body.

    A batch has bounds of its own, and may be compressed by zstd.

    Raises:
        ApiError: 415 for another content type or coding, 413 for a body over the limit, 400 for an
            incomplete one and for anything that is not a JSON object.
    """
    dialect = dialect_of(request.path)
    types = (JSON, *(dialect.media_types if dialect else ()))
    if batch is None:
        _check_coding(types)
        sent = _read_bounded(current_app.config["MAX_BODY_BYTES"], "send a shorter series")
    else:
        coding = _check_coding(types, (*UNCODED, ZSTD))
        sent = _read_bounded(batch.sent, batch.remedy)
        if coding == ZSTD:
            sent = _unpack(sent, batch)
    try:
        body = orjson.loads(sent)
    except orjson.JSONDecodeError as error:
        issue = describe_malformed(sent, error)
        raise ApiError(400, "Request body is not valid JSON", {"issue": issue}) from None
    brackets = sent.count(b"[") + sent.count(b"{")
    if brackets > DEEPEST_NESTING and _is_nested_too_deeply(body):
        issue = (
            f"the body is nested deeper than {DEEPEST_NESTING} levels; "
            "send only the fields of a request"
        )
        raise ApiError(400, "Request body is not valid JSON", {"issue": issue})
    if not isinstance(body, dict):
        issue = (
            f"the body is {JSON_KINDS[type(body)]}; "
            "send one JSON object with the fields of a request"
        )
        raise ApiError(400, "Request body is not a JSON object", {"issue": issue})
    return body


def _check_coding(types: Collection[str], codings: Collection[str] = UNCODED) -> str:
    """Return the coding of the body; raise the 415 for another one, or another media type."""
    if request.mimetype not in types:
        named = repr(request.mimetype[:LONGEST_TYPE]) if request.mimetype else "missing"
        remedy = JSON if JSON in types else f"one of {', '.join(types)}"
        issue = f"Content-Type is {named}; send {remedy}"
        raise ApiError(415, "Unsupported media type", {"issue": issue})
    coding = request.headers.get("Content-Encoding", "").strip()
    if coding.lower() not in codings:
        named = repr(coding[:LONGEST_TYPE])
        other = f"{ZSTD}, or " if ZSTD in codings else ""
        issue = (
            f"Content-Encoding is {named}; send {other}the body uncompressed, without this header"
        )
        raise ApiError(415, "Unsupported media type", {"issue": issue})
    return coding.lower()


def _unpack(sent: bytes, batch: Batch) -> bytes:
    """Return what zstd has compressed; no more than its bound is ever held."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    try:
        declared = zstandard.get_frame_parameters(sent).content_size
        with decompressor.stream_reader(io.BytesIO(sent)) as reader:
            body = reader.read(batch.unpacked + 1)
    except zstandard.ZstdError:
        issue = f"the body is not {ZSTD}, as Content-Encoding says; send it uncompressed"
        raise ApiError(400, f"Request body is not valid {ZSTD}", {"issue": issue}) from None
    if len(body) > batch.unpacked:
        raise _too_large(batch.unpacked, batch.remedy)
    if declared not in (len(body), zstandard.CONTENTSIZE_UNKNOWN):
        raise _broken_off(f"it unpacked to {len(body)} of {declared} bytes")
    return body


def _is_nested_too_deeply(body: Any) -> bool:
    level = [body] if isinstance(body, (dict, list)) else []
    for _depth in range(DEEPEST_NESTING):
        if not level:
            return False
        inner = (item.values() if type(item) is dict else item for item in level)
        level = [item for items in inner for item in items if type(item) in (dict, list)]
    return True


def _read_bounded(limit: int, remedy: str) -> bytes:
    # Werkzeug's stream ends where the body ends, chunked bodies included.
    declared = request.content_length or 0
    body = b"" if declared > limit else _read(limit + 1)
    if declared > limit or len(body) > limit:
        raise _too_large(limit, remedy)
    if len(body) < declared:
        raise _broken_off(f"it ended after {len(body)} of {declared} bytes")
    return body


def _too_large(limit: int, remedy: str) -> ApiError:
    issue = f"the body is larger than {limit} bytes; {remedy}"
    return ApiError(413, "Request body is too large", {"issue": issue})


def _read(size: int) -> bytes:
    try:
        return request.stream.read(size)
    except TimeoutError as error:
        raise _broken_off("no more bytes arrived") from error
    # Each server has its own exceptions for chunks that are malformed and clients that hang up.
    except Exception as error:
        raise _broken_off(type(error).__name__) from error


def _broken_off(reason: str) -> ApiError:
    issue = f"the body is incomplete: {reason}; send it again, with the length in Content-Length"
    return ApiError(400, "Request body is incomplete", {"issue": issue})
