"""What people type about accounts and keys: names, labels and lengths of time."""

import datetime as dt
import re

from app.accounts.errors import AccountError
from app.database import utcnow

LONGEST_NAME = 100
LONGEST_LABEL = 200
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
DURATION = re.compile(rf"([0-9]{{1,9}})([{''.join(UNITS)}])")


def clean_text(text: str, what: str, longest: int) -> str:
    """Return ``text`` without space around it.

    Raises:
        AccountError: It is longer than ``longest``, or holds control characters.
    """
    text = text.strip()
    if len(text) > longest:
        raise AccountError(f"{what} has {len(text)} characters; at most {longest} are allowed")
    if not text.isprintable():
        raise AccountError(f"{what} holds control characters; send plain text")
    return text


def parse_duration(text: str) -> dt.timedelta:
    """Return the length of time that ``text`` spells: ``90d``, ``24h``, ``30m``; ``0h`` is none.

    Raises:
        ValueError: It spells none, or one that ends after the year 9999.
    """
    if text.startswith("-"):
        raise ValueError(f"{text!r} is negative; send for example 90d, 24h or 30m")
    match = DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no duration; send for example 90d, 24h or 30m")
    try:
        duration = dt.timedelta(**{UNITS[match[2]]: int(match[1])})
        utcnow() + duration  # must be a date that can be stored
    except OverflowError:
        raise ValueError(f"{text!r} ends after the year 9999; send a shorter one") from None
    return duration


def parse_moment(text: str) -> dt.datetime:
    """Return the moment that ``text`` is in ISO 8601, in UTC; without an offset it is UTC.

    Raises:
        ValueError: It is none, or none of the years 1 to 9999.
    """
    try:
        moment = dt.datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is no date; send for example 2027-01-31T00:00:00Z") from None
