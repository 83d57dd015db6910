"""Parse untrusted JSON in bounded memory: 64 MiB of `{},{},…` would take 2 GB of Python objects."""

from typing import Any

import orjson

# Upper bounds on the bytes of Python objects for a character of JSON, measured on CPython 3.11.
# Commas end values of arrays, colons begin values of objects, strings have two quotation marks.
_BYTES = {b"{": 200, b"[": 88, b",": 56, b":": 72, b'"': 32}
# One character beyond the Basic Multilingual Plane makes a string take four bytes for each of its
# characters, and one more while it is parsed.
_TEXT_BYTES, _WIDE_TEXT_BYTES = 2, 5
_NO_MEMORY = "Not enough memory"  # the start of orjson's message


class JsonTooLargeError(ValueError):
    """The parsed values, or the parser, would take too much memory. Nothing was parsed.

    ``is_of_parser``: the process may not allocate the parser's buffer, 12 times the text's length.
    """

    def __init__(self, *, is_of_parser: bool = False) -> None:
        super().__init__()
        self.is_of_parser = is_of_parser


def parse_json(text: bytes, max_memory_bytes: int) -> Any:
    """Parse JSON, unless its values would take more than ``max_memory_bytes``.

    Args:
        text: JSON (RFC 8259), in UTF-8.
        max_memory_bytes: The bound, compared with `estimate_memory_bytes`.

    Raises:
        JsonTooLargeError: The estimate is above the bound, or the parser lacks memory.
        orjson.JSONDecodeError: ``text`` is not JSON.
    """
    if estimate_memory_bytes(text) > max_memory_bytes:
        raise JsonTooLargeError
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if error.msg.startswith(_NO_MEMORY):
            raise JsonTooLargeError(is_of_parser=True) from None
        raise


def estimate_memory_bytes(text: bytes) -> int:
    """Return an upper bound on the memory of the values in a JSON text, in linear time.

    Punctuation inside strings counts too, so text with much of it is overestimated.
    """
    is_narrow = text.isascii() and b"\\u" not in text
    structure = sum(size * text.count(character) for character, size in _BYTES.items())
    return structure + len(text) * (_TEXT_BYTES if is_narrow else _WIDE_TEXT_BYTES)
