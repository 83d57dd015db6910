"""Parse an untrusted body, one JSON object, in bounded time and memory."""

from typing import Any

import orjson

from app.api.requests.malformed_json import describe_malformed
from app.core.bounded_json import JsonTooLargeError, parse_json
from app.core.memory_units import MEBIBYTE

_MAX_NESTING = 32  # a request has four levels
NOT_AN_OBJECT = "Request body is not a JSON object"
_JSON_KINDS = {
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


class BodyError(ValueError):
    """A body that cannot be read; picklable, so that a job can return it.

    ``status`` is the HTTP status, ``issue`` says what is wrong and what to send instead.
    """

    def __init__(self, status: int, message: str, issue: str) -> None:
        super().__init__(status, message, issue)
        self.status, self.message, self.issue = status, message, issue


def parse_object(text: bytes, max_memory_bytes: int, remedy: str) -> dict[str, Any]:
    """Parse a JSON object.

    Args:
        max_memory_bytes: The maximum memory of its values, as estimated by `parse_json`.
        remedy: What to send instead of a larger object.

    Raise BodyError: 413 if the values would take too much memory, 400 if the body is not JSON, is
    nested too deeply or is not an object.
    """
    try:
        body = parse_json(text, max_memory_bytes)
    except JsonTooLargeError as error:
        bound = max_memory_bytes // MEBIBYTE
        problem = f"the values of the body take more than {bound} MiB of memory"
        if error.is_process_limit:
            problem = "parsing the body takes more memory than an engine process may use"
        raise too_large_error(problem, remedy) from None
    except orjson.JSONDecodeError as error:
        raise _malformed_error(describe_malformed(text, error)) from None
    brackets = text.count(b"[") + text.count(b"{")
    if brackets > _MAX_NESTING and _is_nested_too_deeply(body):
        raise _malformed_error(
            f"the body is nested deeper than {_MAX_NESTING} levels; "
            "send only the fields of a request"
        )
    if not isinstance(body, dict):
        issue = (
            f"the body is {_JSON_KINDS[type(body)]}; "
            "send one JSON object with the fields of a request"
        )
        raise BodyError(400, NOT_AN_OBJECT, issue)
    return body


def too_large_error(problem: str, remedy: str) -> BodyError:
    """Return the 413; ``problem`` names what is too large and the bound."""
    return BodyError(413, "Request body is too large", f"{problem}; {remedy}")


def incomplete_error(reason: str) -> BodyError:
    issue = f"the body is incomplete: {reason}; send it again, with the length in Content-Length"
    return BodyError(400, "Request body is incomplete", issue)


def _malformed_error(issue: str) -> BodyError:
    return BodyError(400, "Request body is not valid JSON", issue)


def _is_nested_too_deeply(body: Any) -> bool:
    level = [body] if isinstance(body, (dict, list)) else []
    for _depth in range(_MAX_NESTING):
        if not level:
            return False
        inner = (item.values() if type(item) is dict else item for item in level)
        level = [item for items in inner for item in items if type(item) in (dict, list)]
    return True
