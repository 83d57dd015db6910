"""Find months by their names and abbreviations, and write them and weekdays alike."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from app.tables.dates.languages import (
    ABBREVIATIONS,
    CROATIAN,
    CROATIAN_ABBREVIATIONS,
    FIRST_LANGUAGES,
    OTHER_LANGUAGES,
    OTHER_NAMES,
    WEEKS,
)
from app.tables.numbers.digits import PLAIN_DIGITS
from app.timeseries.seconds import MONTHS_PER_YEAR

_FIRST = [*map(str.split, FIRST_LANGUAGES.splitlines())]
_FULL = [*_FIRST, *map(str.split, OTHER_LANGUAGES.splitlines())]
_ABBREVIATED = [*map(str.split, ABBREVIATIONS.splitlines())]
_CROATIAN = [*map(str.split, CROATIAN.splitlines())]
_SHORT_CROATIAN = CROATIAN_ABBREVIATIONS.split()
_MIN_LENGTH, _MAX_LENGTH = 3, 30
MIN_WEEKDAY_LETTERS = 2
_SHORT = [[name[:_MIN_LENGTH] for name in names] for names in _FULL]
_COUNTED = re.compile(r"(?:thang|thg) ?(\d{1,2})|(\d{1,2}) ?[月월]", re.ASCII)
_MARKS = ".׳॰"  # of abbreviations
# Letters and digits that do not decompose to ASCII.
_PLAIN = PLAIN_DIGITS | str.maketrans("ıİ", "iI")
_ENGLISH_MONTHS = {"january", "february", "march", "june", "july", "october"}
_LETTERS = re.compile("[a-z]+")
_WORD = re.compile(r"[^\W\d_]+")
MAY_BE_CROATIAN = re.compile(r"\b(?:lip|lis|srp)", re.IGNORECASE)
_WEEKS = [*map(str.split, WEEKS.splitlines()), [*"月火水木金土日"], [*"월화수목금토일"]]


def fold_text(string: str) -> str:
    """Return a string in lower case without accents, with single spaces."""
    spaced = " ".join(string.split())
    if spaced.isascii():
        return spaced.lower()
    letters = unicodedata.normalize("NFD", spaced.translate(_PLAIN))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", plain).lower()  # the syllables of Korean are composed


def _unambiguous_prefixes(languages: Iterable[list[str]]) -> dict[str, int]:
    """Return every unambiguous prefix of a month's name, with the month."""
    months_by_prefix: dict[str, set[int]] = {}
    for names in languages:
        for number, name in enumerate(map(fold_text, names), 1):
            for length in range(min(_MIN_LENGTH, len(name)), len(name) + 1):
                months_by_prefix.setdefault(name[:length], set()).add(number)
    return {start: months.pop() for start, months in months_by_prefix.items() if len(months) == 1}


def _prefix_pattern(rest: str) -> str:
    return f"(?:{rest[0]}{_prefix_pattern(rest[1:])})?" if rest else ""


_MONTHS_BY_PREFIX = (
    _unambiguous_prefixes([*_FULL, *_ABBREVIATED])
    | {fold_text(name): month for names in _FULL for month, name in enumerate(names, 1)}
    | _unambiguous_prefixes(_FIRST)
    | {fold_text(name): month for month, names in OTHER_NAMES.items() for name in names.split(", ")}
)
_FOLDED = [
    [*map(fold_text, names)] for names in (*_FULL, *_ABBREVIATED, *_CROATIAN, _SHORT_CROATIAN)
]
_CROATIAN_MONTHS = _unambiguous_prefixes([*_CROATIAN, _SHORT_CROATIAN])
_WORDS_OF_MONTHS = {
    word for name in (*_MONTHS_BY_PREFIX, *_CROATIAN_MONTHS) for word in _LETTERS.findall(name)
}
# The names of the days in each language, from Monday on.
WEEKDAY_NAMES = [[*map(fold_text, names.split())] for names in WEEKS.splitlines()]
_WEEKDAYS = dict.fromkeys(name for names in WEEKDAY_NAMES for name in names if len(name) > 1)
# A pattern for the name of a day of the week, in full or abbreviated.
WEEKDAY = "|".join(name[:2] + _prefix_pattern(name[2:]) for name in _WEEKDAYS)
_WEEKDAY_BEGINNINGS = {
    name[:end] for name in _WEEKDAYS for end in range(MIN_WEEKDAY_LETTERS, len(name) + 1)
}
WEEKDAY_MARK = "\x01"


def may_have_month(folded: str) -> bool:
    """Return whether a folded text may have the name of a month: all but ASCII may."""
    return not folded.isascii() or not _WORDS_OF_MONTHS.isdisjoint(_LETTERS.findall(folded))


def mark_weekdays(folded: str) -> list[str]:
    """Return a folded text with marks for its first and last weekday, or for one, or none of them.

    Words such as mar and sam may be other words. A text without weekdays is the only one.
    """
    spans = [word.span() for word in _WORD.finditer(folded) if word[0] in _WEEKDAY_BEGINNINGS]
    first, last = {*spans[:1]}, {*spans[-1:]}
    texts: dict[str, None] = {}
    for marked in (first | last, first, last, ()):
        text = folded
        for start, end in sorted(marked, reverse=True):
            text = text[:start] + WEEKDAY_MARK + text[end:]
        texts[text] = None
    return [*texts]


def month_of(name: str) -> int | None:
    """Return the month with this name or abbreviation, 1 to 12."""
    return _month_of_short(name) if len(name) <= _MAX_LENGTH else None


@lru_cache(maxsize=1_024)
def _month_of_short(name: str) -> int | None:
    folded = fold_text(name).rstrip(_MARKS)
    counted = _COUNTED.fullmatch(folded)
    month = int(counted[1] or counted[2]) if counted else _MONTHS_BY_PREFIX.get(folded)
    month = month or _CROATIAN_MONTHS.get(folded)
    return month if month and month <= MONTHS_PER_YEAR else None


@lru_cache(maxsize=1_024)
def languages_of(name: str) -> frozenset[int]:
    """Return the indices of the languages that have a month whose name begins with ``name``."""
    start = fold_text(name).rstrip(_MARKS)
    return frozenset(
        line for line, names in enumerate(_FOLDED) if any(n.startswith(start) for n in names)
    )


def are_croatian(names: Iterable[str]) -> bool:
    """Return whether one of the month names exists only in Croatian.

    Other names, such as listopad, mean other months in Polish and Czech.
    """
    folded = {fold_text(name).rstrip(_MARKS) for name in names}
    return any(MAY_BE_CROATIAN.match(name) for name in folded) and any(
        name in _CROATIAN_MONTHS and name not in _MONTHS_BY_PREFIX for name in folded
    )


def are_english(dates: Iterable[str]) -> bool:
    """Return whether a month name in the dates exists only in English.

    May and Dec count only together: may is also Spanish, dec Swedish.
    """
    words = {word for date in dates for word in _LETTERS.findall(date.lower())}
    return not words.isdisjoint(_ENGLISH_MONTHS) or words >= {"may", "dec"}


def from_croatian(name: str) -> str:
    """Return the English name of a month with a Croatian one, and others as they are."""
    month = _CROATIAN_MONTHS.get(fold_text(name).rstrip(_MARKS))
    return _FULL[0][month - 1] if month else name


def months_of(names: Iterable[str]) -> dict[str, int | None]:
    """Return the months with these names, which are of one language."""
    distinct = dict.fromkeys(names)
    normalize = from_croatian if are_croatian(distinct) else str
    return {name: month_of(normalize(name)) for name in distinct}


def month_names_like(seen: Mapping[int, str]) -> list[str | None]:
    """Return the names of all months in the style of the names in ``seen``, by month.

    Abbreviations may end with a point. A month that is not in ``seen`` is None if the language is
    unknown.
    """
    has_points = any(name.endswith(".") for name in seen.values())
    # English has Oct and Nov as well, but without a point.
    full, short = [*_FULL, *_CROATIAN], [_SHORT_CROATIAN, *_ABBREVIATED]
    lists = [*full, *short, *_SHORT] if has_points else [*full, *_SHORT, *short]
    bare = {month: fold_text(name).rstrip(_MARKS) for month, name in seen.items()}
    fitting = (
        names for names in lists if all(fold_text(names[m - 1]) == name for m, name in bare.items())
    )
    written = next(fitting, None)
    if written is None:
        return [seen.get(month) for month in range(1, MONTHS_PER_YEAR + 1)]
    sample = next(iter(seen.values()))
    return [
        seen.get(month) or _in_case_of(sample, _with_point(written[month - 1], month, has_points))
        for month in range(1, MONTHS_PER_YEAR + 1)
    ]


def weekday_names_like(seen: Mapping[int, str]) -> list[str | None]:
    """Return the names of all days of the week in the style of ``seen``, Monday first.

    A day that is not in ``seen`` is None if the language is unknown, or several fit that differ.
    """
    sample = next(iter(seen.values()))
    folded = {day: fold_text(name) for day, name in seen.items()}
    fitting: list[list[str]] = []
    for names in _WEEKS:
        for length in range(max(map(len, names)), 0, -1):
            cut = [name[:length] for name in names]
            is_whole = len({*cut}) == len(names)
            if is_whole and all(fold_text(cut[day]) == name for day, name in folded.items()):
                fitting.append([_in_case_of(sample, name) for name in cut])
                break
    of_days = [{*names} for names in zip(*fitting, strict=True)] or [set()] * len(_WEEKS[0])
    return [
        seen.get(day) or (next(iter(names)) if len(names) == 1 else None)
        for day, names in enumerate(of_days)
    ]


def _with_point(name: str, month: int, has_points: bool) -> str:
    is_whole = any(names[month - 1] == name for names in [*_FULL, *_CROATIAN])
    return name + "." * (has_points and not is_whole)


def _in_case_of(sample: str, name: str) -> str:
    if sample.isupper():
        return name.upper()
    return name[0].upper() + name[1:] if sample[0].isupper() else name
