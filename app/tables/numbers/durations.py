"""Durations such as 03:10:00, 2 min 50 s or 1h05, in hours."""

import re
from collections.abc import Collection

_CLOCK = re.compile(r"(-?)(\d{1,5}):([0-5]\d)(?::([0-5]\d(?:[.,]\d{1,6})?))?", re.ASCII)
_HOURS_OF_A_DAY = 24
_CLOCK_NAMES = re.compile(
    r"(?:uhr|buchungs|start|anfangs|beginn|end|ankunfts|abfahrts)zeit", re.IGNORECASE
)
_DURATION_NAMES = re.compile(
    r"duration|dauer|\w{3}zeit\b|stunden|hours|durée|duree|tiempo|duraci|elapsed|moving|worked"
    r"|spent|sleep|schlaf|downtime|uptime|(?:total|handle|hold|talk|wait|waiting|response) time",
    re.IGNORECASE,
)
_MAX_LENGTH = 40  # of a cell, and of a name
_UNITS = {
    "d|days?|tagen?|tage?|j|jours?|d[ií]as?|giorn[io]|dag(?:en|ar|e)?|dn[ií]|gün|дн|день|дн[яе]й?"
    "|天|日|일": _HOURS_OF_A_DAY,
    "h|hrs?|hours?|std|stunden?|heures?|horas?|or[ae]|uur|u|tim(?:m?er|mar|e)?|godz|hod|sa|saat|ч"
    "|час(?:а|ов)?|год|時間|小时|小時|시간": 1,
    "m|mins?|minut(?:e[ns]?|os?|i|er|y)|minuut|dk|dakika|мин|хв|分钟|分鐘|分|분|['′]": 1 / 60,
    "s|secs?|seconds?|sek|sekunde?[nr]?|secondes?|segundos?|second[io]|sn|saniye|с|сек|秒|초"
    '|["″]': 1 / 3600,
}
_UNITS_IN_ORDER = re.compile(
    "(-?)"
    + "".join(
        rf"(?:(\d{{1,6}}(?:[.,]\d{{1,3}})?) ?(?:{unit})\.?(?:,? |(?=\d)|$))?" for unit in _UNITS
    ),
    re.IGNORECASE,
)
_BARE_MINUTES = re.compile(r"(-?)(\d{1,4}) ?h ?([0-5]\d)()", re.IGNORECASE | re.ASCII)
_DAYS = re.compile(r"(\d{1,5}) ?(?:d|days?),? (\d\d?:[\d:.]{2,15})", re.IGNORECASE | re.ASCII)
_UNIT_SIGN = re.compile(r"[^\d\s:.,+-]")  # spares numbers and clocks the patterns of units
_ISO_8601 = re.compile(
    r"P(?=T?\d)(?:\d{1,5}D)?(?:T(?:\d{1,6}H)?(?:\d{1,6}M)?(?:\d{1,6}(?:\.\d{1,6})?S)?)?"
)


def is_duration(cell: str) -> bool:
    """Return whether a cell is a duration, or a time of day: 3:10 or 03:10:00."""
    return parse_hours(cell) is not None


def has_several_units(cell: str) -> bool:
    """Return whether a cell is a duration of several units: 2 min 50 s or 1h05, but not 50 s."""
    if len(cell) > _MAX_LENGTH or not _UNIT_SIGN.search(cell):
        return False
    parts = _UNITS_IN_ORDER.fullmatch(cell.strip())
    is_of_several = parts is not None and sum(map(bool, parts.groups()[1:])) > 1
    return is_of_several or any(form.fullmatch(cell) for form in (_BARE_MINUTES, _DAYS, _ISO_8601))


def are_durations(name: str, cells: Collection[str]) -> bool:
    """Return whether the name of a column or its cells distinguish durations from times of day."""
    start = name[:_MAX_LENGTH]
    if _DURATION_NAMES.search(start) and not _CLOCK_NAMES.search(start):
        return True
    matches = filter(None, map(_CLOCK.fullmatch, cells))
    is_long = any(int(match[2]) > _HOURS_OF_A_DAY for match in matches)
    return is_long or any(map(has_several_units, cells))


def are_under_an_hour(cells: Collection[str]) -> bool:
    """Return whether all clocks, such as 00:04:24, have seconds and no hour."""
    clocks = [match for match in map(_CLOCK.fullmatch, cells) if match]
    return bool(clocks) and all(match[4] and not int(match[2]) for match in clocks)


def are_minutes_and_seconds(cells: Collection[str]) -> bool:
    """Return whether 51:46 is minutes and seconds: it is if another cell is 1:05:28.

    It is not if another cell is 0:51:46, as hours are then written even if there are none.
    """
    clocks = [match for match in map(_CLOCK.fullmatch, cells) if match]
    long = [match for match in clocks if match[4]]
    return 0 < len(long) < len(clocks) and all(int(match[2]) for match in long)


def parse_hours(cell: str, *, has_minutes_and_seconds: bool = False) -> float | None:
    """Return the hours of a duration; None for another cell.

    ``has_minutes_and_seconds``: whether 51:46 is minutes and seconds.
    """
    if len(cell) > _MAX_LENGTH:
        return None
    days = _DAYS.fullmatch(cell)
    clock = days[2] if days else cell
    if match := _CLOCK.fullmatch(clock) or _BARE_MINUTES.fullmatch(clock):
        seconds = 3600 * int(match[2]) + 60 * int(match[3]) + _parse_number(match[4])
        if has_minutes_and_seconds and match.re is _CLOCK and not match[4]:
            seconds /= 60
        hours = seconds / 3600 + _HOURS_OF_A_DAY * int(days[1] if days else 0)
        return -hours if match[1] else hours
    plain = cell[1:].replace("T", "") if _ISO_8601.fullmatch(cell) else cell.strip()
    match = _UNITS_IN_ORDER.fullmatch(plain)
    if match is None or not any(match.groups()[1:]):
        return None
    numbers = map(_parse_number, match.groups()[1:])
    hours = sum(n * size for n, size in zip(numbers, _UNITS.values(), strict=True))
    return -hours if match[1] else hours


def _parse_number(text: str | None) -> float:
    return float(text.replace(",", ".")) if text else 0.0
