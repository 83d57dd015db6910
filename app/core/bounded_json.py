"""Parse untrusted JSON in bounded memory: 64 MiB of `{},{},…` would take 2 GB of Python objects."""

import mmap
from typing import Any

import orjson

from app.core.memory_units import MEBIBYTE

# Upper bounds on the bytes of Python objects for a character of JSON, measured on CPython 3.11.
# Commas end values of arrays, colons begin values of objects, strings have two quotation marks.
_BYTES_PER_CHARACTER = {b"{": 200, b"[": 88, b",": 56, b":": 72, b'"': 32}
# One character beyond the Basic Multilingual Plane makes a string take four bytes for each of its
# characters, and one more while it is parsed.
_TEXT_BYTES, _WIDE_TEXT_BYTES = 2, 5
_NO_MEMORY_MESSAGE = "Not enough memory"  # the start of orjson's message
_PARSER_BYTES_PER_CHARACTER = 12  # in orjson's buffer
_STRUCTURE_FRACTION = 0.5  # of the estimate without text: the rest is for growing lists
_MIN_PROBED_BYTES = MEBIBYTE  # of text: a process has the memory for a shorter one


class JsonTooLargeError(ValueError):
    """The parsed values, or the parser, would take too much memory. Nothing was parsed.

    ``is_process_limit``: the bound is the memory that the process may allocate, not the caller's.
    """

    def __init__(self, *, is_process_limit: bool) -> None:
        super().__init__()
        self.is_process_limit = is_process_limit


def parse_json(text: bytes, max_memory_bytes: int) -> Any:
    """Parse JSON, unless its values would take more than ``max_memory_bytes``.

    Punctuation inside strings counts too, so text with much of it is overestimated.

    Raise JsonTooLargeError or orjson.JSONDecodeError.
    """
    structure = sum(size * text.count(mark) for mark, size in _BYTES_PER_CHARACTER.items())
    is_narrow = text.isascii() and b"\\u" not in text
    characters = len(text) * (_TEXT_BYTES if is_narrow else _WIDE_TEXT_BYTES)
    if structure + characters > max_memory_bytes:
        raise JsonTooLargeError(is_process_limit=False)
    # orjson ends the process (SIGSEGV) if its buffer fits into memory, but not the values.
    needed = (
        _PARSER_BYTES_PER_CHARACTER * len(text) + int(_STRUCTURE_FRACTION * structure) + characters
    )
    if len(text) > _MIN_PROBED_BYTES and not _can_allocate(needed):
        raise JsonTooLargeError(is_process_limit=True)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if error.msg.startswith(_NO_MEMORY_MESSAGE):
            raise JsonTooLargeError(is_process_limit=True) from None
        raise


def _can_allocate(size_bytes: int) -> bool:
    """Return whether the process may allocate this much; the memory is not written to."""
    try:
        mmap.mmap(-1, size_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        return False
    return True
