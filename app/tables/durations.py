"""Durations such as 03:10:00, in hours."""

import re
from collections.abc import Iterable

_DURATION = re.compile(r"(-?)(\d{1,5}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,6})?)?", re.ASCII)
_HOURS_OF_A_DAY = 24
_DURATION_NAMES = re.compile(
    r"duration|dauer|\w{3}zeit\b|stunden|hours|durée|duree|tiempo|duraci|elapsed|moving|worked"
    r"|spent|sleep|schlaf|downtime|uptime|(?:total|handle|hold|talk|wait|waiting|response) time",
    re.IGNORECASE,
)
_MAX_NAME_LENGTH = 40


def is_duration(cell: str) -> bool:
    """Return whether a cell is a duration, or a time of day: 3:10 or 03:10:00."""
    return _DURATION.fullmatch(cell) is not None


def are_durations(name: str, cells: Iterable[str]) -> bool:
    """Return whether the name of a column or its cells tell durations from times of day."""
    if _DURATION_NAMES.search(name[:_MAX_NAME_LENGTH]):
        return True
    matches = filter(None, map(_DURATION.fullmatch, cells))
    return any(int(match[2]) > _HOURS_OF_A_DAY for match in matches)


def hours_of(cell: str) -> float | None:
    """Return the hours of a duration; None for another cell."""
    match = _DURATION.fullmatch(cell)
    if match is None:
        return None
    seconds = 3600 * int(match[2]) + 60 * int(match[3]) + int(match[4] or 0)
    return (-1 if match[1] else 1) * seconds / 3600
