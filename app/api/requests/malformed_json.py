"""Describe why a body is not JSON: what is wrong, where, and what to send instead.

This takes linear time and no copy of the body, which may be large.
"""

import orjson

_ONE_OBJECT = "send one JSON object"
_GZIP_START = b"\x1f\x8b"
TOO_LARGE = "a number is larger than JSON readers can hold (1.8e308)"
# What Python, R, SQL and JavaScript write for missing and infinite numbers, in lower case.
_NON_NUMBERS = frozenset({"nan", "infinity", "inf", "none", "null", "undefined", "na"})
_MAX_WORD_LENGTH = 20  # longer than each of them
_NUMBER_REMEDY = "send a number there; fill gaps before you send the series"
_VALUE_REMEDY = "send a value there that JSON has, such as a number or a text in quotes"
# Characters of JSON that an array of numbers does not contain, except for its brackets.
_NON_NUMBER_CHARACTERS = '[]{}"'
HALF_CHARACTER = "an escape \\u is half a character"
# Replacements for messages that are about the parser rather than the body.
_PARSER_MESSAGES: dict[str, str] = {
    "number is infinity when parsed as double": TOO_LARGE,
    "no low surrogate in string": HALF_CHARACTER,
    "invalid low surrogate in string": HALF_CHARACTER,
    "invalid high surrogate in string": HALF_CHARACTER,
    "no digit after sign": "a number does not start with a digit",
    "depth limit exceeded": "it is nested deeper than any request",
    "failed to allocate memory": "it is nested deeper than any request",
    "Input is a zero-length, empty document": "it is empty",
    "input data is empty": "it is empty",
    "UTF-8 byte order mark (BOM) is not supported": "it starts with a byte order mark",
}


def describe_malformed(body: bytes, error: orjson.JSONDecodeError) -> str:
    """Return the issue for ``body``, which the parser rejected with ``error``."""
    if body.startswith(_GZIP_START):
        return _issue("it is compressed with gzip", f"{_ONE_OBJECT}, not compressed")
    if body and not error.doc:  # the parser gives its text back only if it is UTF-8
        return _describe_not_utf8(body)
    location = f"line {error.lineno} column {error.colno} (char {error.pos})"
    problem = _PARSER_MESSAGES.get(error.msg, error.msg)
    if missing := _missing_value(error):
        index = _array_index(error)
        return _issue(f"{missing}{index}: {location}", _NUMBER_REMEDY if index else _VALUE_REMEDY)
    if problem == TOO_LARGE:
        return _issue(
            f"{TOO_LARGE}{_array_index(error)}: {location}", "send a smaller number there"
        )
    return _issue(f"{problem}: {location}", _ONE_OBJECT)


def _missing_value(error: orjson.JSONDecodeError) -> str:
    """Return what is there instead of a value: a word such as NaN, or nothing; else ""."""
    if error.doc[error.pos : error.pos + 1] in {",", "]", "}"} and error.msg.endswith("JSON value"):
        return "a value is missing"
    word = error.doc[error.pos : error.pos + _MAX_WORD_LENGTH].lstrip("-")
    length = next((at for at, letter in enumerate(word) if not letter.isalpha()), len(word))
    sign = "-" if error.doc[max(0, error.pos - 1) : error.pos + 1].startswith("-") else ""
    return f"{sign}{word[:length]} is not JSON" if word[:length].lower() in _NON_NUMBERS else ""


def _describe_not_utf8(body: bytes) -> str:
    try:
        body.decode()
    except UnicodeDecodeError as wrong:
        characters = len(body[: wrong.start].decode())
        column = len(body[body.rfind(b"\n", 0, wrong.start) + 1 : wrong.start].decode()) + 1
        line = body.count(b"\n", 0, wrong.start) + 1
        location = f"line {line} column {column} (char {characters})"
        problem = f"byte 0x{body[wrong.start]:02x} is not UTF-8: {location}"
        return _issue(problem, f"{_ONE_OBJECT}, encoded as UTF-8")
    return _issue("it cannot be read", _ONE_OBJECT)


def _issue(problem: str, remedy: str) -> str:
    return f"the body is not valid JSON: {problem}; {remedy}"


def _array_index(error: orjson.JSONDecodeError) -> str:
    """Return the error's index if it is inside an array of numbers, else ""."""
    start = max(error.doc.rfind(character, 0, error.pos) for character in _NON_NUMBER_CHARACTERS)
    if start < 0 or error.doc[start] != "[":
        return ""
    return f" (index {error.doc.count(',', start, error.pos)} of an array)"
