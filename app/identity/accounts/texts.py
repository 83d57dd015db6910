"""Validate and parse names, labels, durations and times that people type; expiries in words."""

import datetime as dt
import re

from app.core.api_keys import has_half_key
from app.core.database import iso_string, utcnow
from app.core.text import TextError, clean_plain_text
from app.identity.accounts.errors import AccountError, KeyLikeNameError

MAX_LABEL_LENGTH = 200
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DURATION_PATTERN = re.compile(rf"([0-9]{{1,9}})([{''.join(_UNITS)}])")


def clean_text(text: str, noun: str, max_length: int) -> str:
    """Return the result of `clean_plain_text`; raise AccountError in place of its TextError."""
    try:
        return clean_plain_text(text, noun, max_length)
    except TextError as error:
        raise AccountError(str(error)) from None


def reject_keys(name: str, noun: str) -> None:
    """Raise KeyLikeNameError if ``name``, the name of a ``noun``, contains an API key."""
    if has_half_key(name):
        raise KeyLikeNameError(noun)


def parse_duration(text: str) -> dt.timedelta:
    """Parse a duration: ``90d``, ``24h``, ``30m``; ``0h`` is zero.

    Raise ValueError if it is not a duration, or it ends after the year 9999.
    """
    if text.startswith("-"):
        raise ValueError(f"{text!r} is negative; send for example 90d, 24h or 30m")
    match = _DURATION_PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration; send for example 90d, 24h or 30m")
    try:
        duration = dt.timedelta(**{_UNITS[match[2]]: int(match[1])})
        utcnow() + duration  # must be a date that can be stored
    except OverflowError:
        raise ValueError(f"{text!r} ends after the year 9999; send a shorter duration") from None
    return duration


def parse_timestamp(text: str) -> dt.datetime:
    """Parse a time in ISO 8601; without an offset it is in UTC.

    Raise ValueError if it is not a time in ISO 8601, or not between the years 1 and 9999.
    """
    try:
        moment = dt.datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{text!r} is not a time in ISO 8601; send for example 2027-01-31T00:00:00Z"
        ) from None


def expiry_text(expires_at: dt.datetime | None) -> str:
    return f"until {iso_string(expires_at)}" if expires_at else "without expiry"
