"""Says why a body is not JSON: what is wrong, where, and what to send instead."""

import re

import orjson

ONE_OBJECT = "send one JSON object"
GZIP_START = b"\x1f\x8b"
TOO_LARGE = "a number is larger than JSON readers can hold (1.8e308)"
NO_NUMBER = re.compile("-?(NaN|Infinity)")
"""What Python and JavaScript write for missing and infinite numbers."""
NUMBERS_AT_END = re.compile(r"\[[^\[\]{}\"]*$")
HALF_A_CHARACTER = "an escape \\u is half a character"
OWN_WORDS: dict[str, str] = {
    "number is infinity when parsed as double": TOO_LARGE,
    "no low surrogate in string": HALF_A_CHARACTER,
    "invalid low surrogate in string": HALF_A_CHARACTER,
    "invalid high surrogate in string": HALF_A_CHARACTER,
    "no digit after sign": "a number does not start with a digit",
    "depth limit exceeded": "it is nested deeper than any request",
    "Input is a zero-length, empty document": "it is empty",
    "input data is empty": "it is empty",
    "UTF-8 byte order mark (BOM) is not supported": "it starts with a byte order mark",
}
"""Our words where the parser's message is about the parser."""


def describe_malformed(sent: bytes, error: orjson.JSONDecodeError) -> str:
    """Return the issue of the body ``sent``, which the parser refused with ``error``."""
    if sent.startswith(GZIP_START):
        return _issue("it is compressed with gzip", f"{ONE_OBJECT}, not compressed")
    try:
        text = sent.decode()
    except UnicodeDecodeError as wrong:
        place = _place(sent[: wrong.start].decode())
        problem = f"byte 0x{sent[wrong.start]:02x} is not UTF-8: {place}"
        return _issue(problem, f"{ONE_OBJECT}, encoded as UTF-8")
    before, after = text[: error.pos], text[error.pos :]
    if found := NO_NUMBER.match(after):
        problem = f"{found[0]} is not JSON{_index(before)}: {_place(before)}"
        return _issue(problem, "send a number there; fill gaps before you send the series")
    problem = OWN_WORDS.get(error.msg, error.msg)
    return _issue(f"{problem}: {_place(before)}", ONE_OBJECT)


def _issue(problem: str, remedy: str) -> str:
    return f"the body is not valid JSON: {problem}; {remedy}"


def _index(before: str) -> str:
    """Return the index in an array of numbers of what follows ``before``, "" outside of one."""
    numbers = NUMBERS_AT_END.search(before)
    return f" (index {numbers[0].count(',')} of an array)" if numbers else ""


def _place(before: str) -> str:
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return f"line {line} column {column} (char {len(before)})"
