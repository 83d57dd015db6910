"""Numbers and timestamps in short, and plain text of clients."""

import math
import re
from decimal import ROUND_HALF_UP, Context

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


def whole_digits(value: float) -> int:
    """Return the digits of a number before its point; less than 0 for 0.01, 1 for 0."""
    return math.floor(math.log10(abs(value))) + 1 if value else 1


def spread_digits(low: float, high: float) -> int:
    """Return the significant digits that distinguish two of the spread from ``low`` to ``high``.

    0 if they are equal.
    """
    if high == low:
        return 0
    return max(0, 2 + whole_digits(max(abs(low), abs(high))) - whole_digits(high - low))


def short_number(value: float, digits: int = 6) -> str:
    """Return a number with six significant digits, or others, and separated thousands.

    As ``formatNumber`` of the scripts does.
    """
    half_up = Context(prec=digits, rounding=ROUND_HALF_UP)
    rounded = float(half_up.create_decimal_from_float(float(value))) + 0.0  # and -0 is 0
    is_usual = rounded == 0 or _MIN_FIXED_NUMBER <= abs(rounded) < _MAX_FIXED_NUMBER
    return f"{rounded:,}".removesuffix(".0") if is_usual else f"{rounded:.{digits}g}"


def short_timestamp(timestamp: str, has_days: bool = False) -> str:
    """Return a timestamp without fractions, and without seconds that are 0.

    With ``has_days``, midnight is only a date.
    """
    shortened = re.sub(r"\.\d+", "", timestamp)
    if has_days:
        shortened = re.sub(r"T00:00:00.*", "", shortened)
    return re.sub(r"(?<=T\d\d:\d\d):00", "", shortened).replace("T", " ")


def exact_timestamp(timestamp: str, has_days: bool) -> str:
    """Return a timestamp in short, but unchanged if it has a fraction or an offset other than Z."""
    has_more = len(timestamp.removesuffix("Z")) > len("2026-01-01T00:00:00")
    return timestamp if has_more else short_timestamp(timestamp, has_days)
