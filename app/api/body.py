"""Reading a request's body: its type and coding, its size, its JSON, in this order.

The size is bounded here and not by Flask's MAX_CONTENT_LENGTH, which under gunicorn cuts a chunked
body silently and continues with the rest.
"""

from collections.abc import Collection
from typing import Any

import orjson
from flask import current_app, request

from app.api.dialects import dialect_of
from app.api.errors import ApiError
from app.api.malformed_json import describe_malformed

JSON = "application/json"
LONGEST_TYPE = 100
UNCODED = ("", "identity")
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
    return _read_bounded(current_app.config["MAX_BODY_BYTES"], "a shorter table")


def read_json_object() -> dict[str, Any]:
    """Return the JSON object of the current request's body.

    Raises:
        ApiError: 415 for another content type or a compressed body, 413 for one over the
            limit, 400 for an incomplete one and for anything that is not a JSON object.
    """
    dialect = dialect_of(request.path)
    _check_coding((JSON, *(dialect.media_types if dialect else ())))
    sent = _read_bounded(current_app.config["MAX_BODY_BYTES"], "a shorter series")
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


def _check_coding(types: Collection[str]) -> None:
    """Raise the 415 for a body of another media type, or with a coding."""
    if request.mimetype not in types:
        named = repr(request.mimetype[:LONGEST_TYPE]) if request.mimetype else "missing"
        remedy = JSON if JSON in types else f"one of {', '.join(types)}"
        issue = f"Content-Type is {named}; send {remedy}"
        raise ApiError(415, "Unsupported media type", {"issue": issue})
    coding = request.headers.get("Content-Encoding", "").strip()
    if coding.lower() not in UNCODED:
        named = repr(coding[:LONGEST_TYPE])
        issue = f"Content-Encoding is {named}; send the body uncompressed, without this header"
        raise ApiError(415, "Unsupported media type", {"issue": issue})


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
        issue = f"the body is larger than {limit} bytes; send {remedy}"
        raise ApiError(413, "Request body is too large", {"issue": issue})
    if len(body) < declared:
        raise _broken_off(f"it ended after {len(body)} of {declared} bytes")
    return body


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
