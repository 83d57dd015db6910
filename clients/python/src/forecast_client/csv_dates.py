"""Dates as people write them; where day and month may be swapped, that is refused."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from forecast_client.errors import DataError

_NAMES = (
    "january januar jänner janvier enero",
    "february februar février febrero",
    "march märz mars marzo maerz",
    "april avril abril",
    "may mai mayo",
    "june juni juin junio",
    "july juli juillet julio",
    "august août agosto",
    "september septembre septiembre setiembre",
    "october oktober octobre octubre",
    "november novembre noviembre",
    "december dezember décembre diciembre",
)
_TIME_OF_DAY = r"\d{1,2}:\d{2}(?::\d{2})?(?:\.0+)?(?: ?[aApP]\.?[mM]\.?)?"
_CLOCK = rf"(?:[T ,]+(?P<clock>{_TIME_OF_DAY}))?"
_YEAR = re.compile(r"(\d{4})")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_ISO = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}.*)?)?")
_YEAR_FIRST = re.compile(rf"(?P<y>\d{{4}})[/.](?P<m>\d{{1,2}})(?:[/.](?P<d>\d{{1,2}}))?{_CLOCK}")
_WEEK = re.compile(r"(?P<y>\d{4})[- ]?[wW](?P<w>\d{1,2})(?:-(?P<d>[1-7]))?")
_QUARTER = re.compile(
    r"(?P<y>\d{4})[- ]?[qQ](?P<q>[1-4])|[qQ](?P<q2>[1-4])[-/ ](?P<y2>\d{4})",
)
_NUMBERS = re.compile(
    rf"(?P<a>\d{{1,2}})(?P<sep>[/.-])(?P<b>\d{{1,2}})(?P=sep)(?P<y>\d{{4}}|\d{{2}}){_CLOCK}"
)
_MONTH_YEAR = re.compile(r"(?P<m>\d{1,2})[/.-](?P<y>\d{4})")
_NAMED = re.compile(
    rf"(?:(?P<d>\d{{1,2}})(?:\.|st|nd|rd|th)?[ -]+(?:de )?)?(?P<name>[^\W\d_]{{3,}})\.?"
    rf"(?:[ -]+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,)?[ -]*(?:de )?['’]?(?P<y>\d{{4}}|\d{{2}}){_CLOCK}"
)
_PIVOT = 69  # POSIX: 69 to 99 are of the last century
Reader = Callable[[str], datetime | None]


def parse_dates(
    cells: Sequence[str],
    lines: Sequence[int],
    date_format: str | None = None,
    day_first: bool | None = None,
) -> list[datetime]:
    """Return a column as times; all cells are read by one form, that of the first.

    ``date_format`` is one of ``strptime``; ``day_first`` says what 03/04/2024 is, None: the column
    must show it.

    Raises:
        DataError: A cell is not a date, or day and month may be swapped.
    """
    texts = [" ".join(cell.split()) for cell in cells]
    if date_format is not None:
        return _all(texts, lines, lambda text: datetime.strptime(text, date_format), date_format)
    readers: list[Reader] = [_iso, _year_first, _week, _quarter, _month_year, _named]
    if _NUMBERS.fullmatch(texts[0]):
        is_day_first = _is_day_first(texts, lines) if day_first is None else day_first
        return _all(texts, lines, lambda text: _numbers(text, is_day_first=is_day_first))
    for reader in readers:
        if _tried(reader, texts[0]) is not None:
            return _all(texts, lines, reader)
    return _all(texts, lines, _compact)


def looks_like_date(cell: str) -> bool:
    """Return whether a cell may be a date; a bare number may be one too, and is not."""
    text = " ".join(cell.split())
    if _NUMBERS.fullmatch(text):
        return True
    readers = (_iso, _year_first, _week, _quarter, _month_year, _named)
    return not _YEAR.fullmatch(text) and any(_tried(reader, text) for reader in readers)


def looks_like_clock(cell: str) -> bool:
    """Return whether a cell is a time of day."""
    return re.fullmatch(_TIME_OF_DAY, cell.strip()) is not None


def _tried(reader: Reader, text: str) -> datetime | None:
    try:
        return reader(text)
    except ValueError:
        return None


def _all(
    texts: Sequence[str], lines: Sequence[int], reader: Reader, date_format: str | None = None
) -> list[datetime]:
    moments = []
    for text, line in zip(texts, lines, strict=True):
        moment = _tried(reader, text)
        if moment is None:
            raise DataError(_no_date(text, line, date_format))
        moments.append(moment)
    return moments


def _no_date(text: str, line: int, date_format: str | None) -> str:
    if not text:
        return f"line {line} has no date: give it, or leave the line out"
    if date_format is not None:
        return f"line {line}: {text!r} does not match --date-format {date_format}"
    remedy = (
        "correct it or leave the line out, or say how dates are written: --date-format %d.%m.%Y"
    )
    if text.isdigit():
        remedy = "convert numbers of days or seconds to dates first"
    return f"line {line}: {text!r} is not a date, or is not written as the others are: {remedy}"


def _iso(text: str) -> datetime | None:
    if not _ISO.fullmatch(text):
        return None
    return datetime.fromisoformat(f"{text}-01" if len(text) == len("2024-01") else text)


def _year_first(text: str) -> datetime | None:
    match = _YEAR_FIRST.fullmatch(text)
    return match and _at(match, int(match["y"]), int(match["m"]), int(match["d"] or 1))


def _week(text: str) -> datetime | None:
    match = _WEEK.fullmatch(text)
    return match and datetime.fromisocalendar(
        int(match["y"]), int(match["w"]), int(match["d"] or 1)
    )


def _quarter(text: str) -> datetime | None:
    match = _QUARTER.fullmatch(text)
    if match is None:
        return None
    return datetime(int(match["y"] or match["y2"]), 3 * int(match["q"] or match["q2"]) - 2, 1)


def _month_year(text: str) -> datetime | None:
    match = _MONTH_YEAR.fullmatch(text)
    return match and datetime(int(match["y"]), int(match["m"]), 1)


def _named(text: str) -> datetime | None:
    match = _NAMED.fullmatch(text)
    month = match and month_of(match["name"])
    if not match or not month:
        return None
    return _at(match, _year(match["y"]), month, int(match["d"] or match["d2"] or 1))


def _compact(text: str) -> datetime | None:
    """A year, or digits of a date without signs between them."""
    if _YEAR.fullmatch(text):
        return datetime(int(text), 1, 1)
    match = _COMPACT.fullmatch(text)
    return match and datetime(int(match[1]), int(match[2]), int(match[3]))


def _numbers(text: str, *, is_day_first: bool) -> datetime | None:
    match = _NUMBERS.fullmatch(text)
    if match is None:
        return None
    day, month = (match["a"], match["b"]) if is_day_first else (match["b"], match["a"])
    return _at(match, _year(match["y"]), int(month), int(day))


def _is_day_first(texts: Sequence[str], lines: Sequence[int]) -> bool:
    """Return whether 03/04/2024 is in April: another date of the column or the points show it."""
    shown: dict[bool, int] = {}
    for text, line in zip(texts, lines, strict=True):
        if match := _NUMBERS.fullmatch(text):
            if int(match["a"]) > 12:
                shown.setdefault(True, line)
            if int(match["b"]) > 12:
                shown.setdefault(False, line)
            if match["sep"] == ".":  # months never come first with points
                shown.setdefault(True, line)
    if len(shown) == 2:
        raise DataError(
            f"the day comes first in line {shown[True]} and the month in line {shown[False]}: "
            "write all dates alike"
        )
    if shown:
        return next(iter(shown))
    raise DataError(
        f"line {lines[0]}: {texts[0]} may have the day or the month first, and no other date of "
        "the column shows which: say --day-first or --month-first"
    )


def _at(match: re.Match[str], year: int, month: int, day: int) -> datetime:
    """Return a date at the time of day after it."""
    date, clock = datetime(year, month, day), match["clock"]
    if not clock:
        return date
    digits = [int(part) for part in re.findall(r"\d+", clock)[:3]]
    hour, minute, second = [*digits, 0][:3]
    if half := re.search("[apAP]", clock):
        if not 1 <= hour <= 12:
            raise ValueError("not an hour of a half of a day")
        hour = hour % 12 + 12 * (half[0] in "pP")
    if hour > 23:
        raise ValueError("not an hour of a day")
    return date + timedelta(hours=hour, minutes=minute, seconds=second)


def _year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _PIVOT else 2000)


def month_of(name: str) -> int | None:
    """Return the month of an English, German, French or Spanish name or its beginning."""
    start = _plain(name)
    found = {
        number
        for number, names in enumerate(_NAMES, 1)
        if any(_plain(each).startswith(start) for each in names.split())
    }
    return found.pop() if len(found) == 1 else None


def _plain(name: str) -> str:
    """Return a name in lower case without accents."""
    letters = unicodedata.normalize("NFD", name.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
