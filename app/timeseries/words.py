"""Counts and durations in words, and truncated strings."""

from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS

_DURATION_UNITS = ((DAY_SECONDS, "d"), (HOUR_SECONDS, "h"), (MINUTE_SECONDS, "min"), (1, "s"))


def plural_of(noun: str) -> str:
    if noun.endswith("series"):
        return noun
    is_changed = noun.endswith("y") and noun[-2] not in "aeiou"
    return f"{noun[:-1]}ies" if is_changed else f"{noun}s"


def count_of(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else plural_of(noun)}"


def truncate(text: str, max_length: int) -> str:
    """Return the text, cut to ``max_length`` characters, the last of them an ellipsis."""
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def duration_text(seconds: int) -> str:
    """Return a duration in its largest two units, ``1 d 17 h``, cut after the second."""
    if seconds < 1:
        return "0 s"
    first = next(i for i, (length, _) in enumerate(_DURATION_UNITS) if seconds >= length)
    words = []
    seconds_left = seconds
    for length, unit in _DURATION_UNITS[first : first + 2]:
        count, seconds_left = divmod(seconds_left, length)
        words += [f"{count} {unit}"] if count else []
    return " ".join(words)
