"""Numbers and timestamps in short, and plain text of clients."""

import re

from app.core.api_keys import has_half_key

_MAX_FIXED_NUMBER, _MIN_FIXED_NUMBER = 1e15, 1e-4  # bounds beyond which numbers have an exponent


class TextError(ValueError):
    """A text is not one that may be stored; the message says why and what to send."""


def key_like_issue(noun: str) -> str:
    return f"{noun} looks like an API key, which others would see; send another"


def clean_plain_text(text: str, noun: str, max_length: int) -> str:
    """Return ``text`` without surrounding whitespace.

    Raise TextError if it is longer than ``max_length``, or contains control characters or a key.
    """
    text = text.strip()
    if len(text) > max_length:
        raise TextError(f"{noun} has {len(text):,} characters; at most {max_length} are allowed")
    if not text.isprintable():
        raise TextError(f"{noun} contains control characters; send plain text")
    if has_half_key(text):
        raise TextError(key_like_issue(noun))
    return text


def short_number(value: float) -> str:
    """Return a number with six significant digits and separated thousands."""
    short = f"{value:.6g}"
    is_usual = value == 0 or _MIN_FIXED_NUMBER <= abs(value) < _MAX_FIXED_NUMBER
    return f"{float(short):,}".removesuffix(".0") if is_usual else short


def short_timestamp(timestamp: str, has_days: bool = False) -> str:
    """Return a timestamp without fractions, and without seconds that are 0.

    With ``has_days``, midnight is only a date.
    """
    shortened = re.sub(r"\.\d+", "", timestamp)
    if has_days:
        shortened = re.sub(r"T00:00:00.*", "", shortened)
    return re.sub(r"(?<=T\d\d:\d\d):00", "", shortened).replace("T", " ")
