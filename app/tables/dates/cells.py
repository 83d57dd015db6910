"""Parse the dates in cells."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from app.tables.dates.forms import (
    AMBIGUOUS_FORMS,
    FISCAL_FORMS,
    FORMS,
    SHORT_YEAR_FORMS,
    YEARLESS_FORMS,
    DateForm,
)
from app.tables.dates.month_names import fold_text, month_of
from app.tables.results import DateOrder

DAY_SECONDS = 86_400
MAX_DATE_LENGTH = 80
_NOT_A_DATE = re.compile(r"[+-]?\d{0,3}(?:[.,]\d{0,3})?", re.ASCII)  # most numbers
_EPOCH = dt.date(1970, 1, 1).toordinal()
EXCEL_EPOCH = 25_569  # days from Excel's day 0 to 1970-01-01
_EXCEL_SERIAL = re.compile(r"\d{5}(?:[.,]\d+)?", re.ASCII)
_MAX_SERIAL_DAYS = 73_050  # 2099-12-31
_LEAP_YEAR = 2000
_HALF_YEAR_MONTHS = 6
_MAX_WEEKS = 53
_MIN_SHORT_YEAR_SHARE = 0.8
_DAY_PARTS, _QUARTER_PARTS = {"day", "one", "week"}, {"quarter", "term"}

Parts = dict[str, str]  # by the group names in ``forms.py``


class ParsedDate(NamedTuple):
    """A parsed date.

    ``seconds``: local time since 1970; ``suffix``: empty, ``Z`` or an offset; ``form``: None for a
    serial number; ``coarseness``: 0 for days and shorter units, 1 month, 2 quarter, 3 year.
    """

    seconds: int
    suffix: str
    form: DateForm | None
    coarseness: int


DateReader = Callable[[str], ParsedDate | None]


def date_reader(order: DateOrder = DateOrder.MONTH) -> DateReader:
    """Return a function that parses a cell; it tries the form of the previous date first."""
    last_form: list[DateForm] = []

    def read(cell: str) -> ParsedDate | None:
        match = _match(cell, (*last_form, *FORMS))
        if match is None:
            return None
        last_form[:] = [match[0]]
        return _make_date(*match, order)

    return read


def is_date(cell: str) -> bool:
    """Return whether a cell is a date in any order of day and month."""
    return _can_be_date(cell) and _is_date(cell)


@lru_cache(maxsize=65_536)
def _is_date(cell: str) -> bool:
    match = _match(cell, FORMS)
    return match is not None and any(_make_date(*match, order) for order in DateOrder)


def is_written_date(cell: str) -> bool:
    """Return whether a cell is a date that cannot be a number."""
    return _can_be_date(cell) and _is_written_date(cell)


@lru_cache(maxsize=65_536)
def _is_written_date(cell: str) -> bool:
    match = _match(cell, FORMS)
    return match is not None and not match[0].is_digits and is_date(cell)


def is_yearless(cell: str) -> bool:
    """Return whether a cell is a day or a month without a year."""
    return _can_be_date(cell) and _is_yearless(cell)


@lru_cache(maxsize=65_536)
def _is_yearless(cell: str) -> bool:
    match = _match(cell, YEARLESS_FORMS)
    return match is not None and _make_date(*match, DateOrder.MONTH, _LEAP_YEAR) is not None


def read_fiscal(cell: str) -> ParsedDate | None:
    """Parse a period of a fiscal year as if that were a calendar year."""
    if not _can_be_date(cell):
        return None
    match = _match(cell, FISCAL_FORMS)
    return None if match is None else _make_date(*match, DateOrder.MONTH)


def read_serial(cell: str) -> ParsedDate | None:
    """Parse one of Excel's serial numbers of days, 1927 to 2099."""
    if len(cell) > MAX_DATE_LENGTH or not _EXCEL_SERIAL.fullmatch(cell):
        return None
    days = float(cell.replace(",", "."))
    seconds = round((days - EXCEL_EPOCH) * DAY_SECONDS)
    return ParsedDate(seconds, "", None, 0) if days < _MAX_SERIAL_DAYS else None


def possible_orders(cells: Iterable[str]) -> tuple[list[DateOrder], str]:
    """Return the orders that all ambiguous cells allow, and an example of these cells."""
    possible, example, seen = list(DateOrder), "", set()
    for cell in cells:
        match = _match(cell, AMBIGUOUS_FORMS)
        if match is None:
            continue
        form, parts = match
        key = (parts["one"], parts["two"], parts.get("three"), parts.get("year"))
        if key in seen:
            continue
        seen.add(key)
        orders = [order for order in possible if _make_date(form, parts, order, _LEAP_YEAR)]
        if orders:  # else it is not a date
            example = example or cell
            possible = [
                order for order in orders if order is not DateOrder.YEAR or "three" in parts
            ]
    return (possible, example) if example else ([], "")


def read_yearless(
    cells: Sequence[str], order: DateOrder, first_year: int
) -> list[ParsedDate | None]:
    """Parse dates without a year: it changes between December and January."""
    matches = {cell: _match(cell, YEARLESS_FORMS) for cell in set(cells)}
    read: dict[tuple[str, int], ParsedDate | None] = {}  # cells repeat each year
    moments: list[ParsedDate | None] = []
    for cell, passed in zip(cells, years_passed(cells, order), strict=True):
        match, year = matches[cell], first_year + (passed or 0)
        # Raising an error for each date beyond the last year would take ten times as long.
        if not match or passed is None or not dt.MINYEAR <= year <= dt.MAXYEAR:
            moments.append(None)
            continue
        if (cell, year) not in read:
            read[cell, year] = _make_date(*match, order, year)
        moments.append(read[cell, year])
    return moments


def years_passed(cells: Sequence[str], order: DateOrder) -> list[int | None]:
    """Return how many years after the first date each date without a year is."""
    matches = {cell: _match(cell, YEARLESS_FORMS) for cell in set(cells)}
    months = {cell: match and _month_of(*match, order) for cell, match in matches.items()}
    passed: list[int | None] = []
    years, previous = 0, 0
    for month in map(months.get, cells):
        if month:
            if previous and abs(month - previous) > _HALF_YEAR_MONTHS:
                years += 1 if month < previous else -1
            previous = month
        passed.append(years if month else None)
    return passed


def _month_of(form: DateForm, parts: Parts, order: DateOrder) -> int | None:
    """Return the month of a date without a year; None if there is no such day."""
    if "week" in parts:  # the first one may begin in December
        week = int(parts["week"])
        return 1 + (week - 1) * 12 // _MAX_WEEKS if 0 < week <= _MAX_WEEKS else None
    date = _make_date(form, parts, order, _LEAP_YEAR)
    return date and dt.date.fromordinal(_EPOCH + date.seconds // DAY_SECONDS).month


def has_short_years(cells: Sequence[str]) -> bool:
    """Return whether ``24`` in cells such as ``Jan 24`` is a year: the month changes more often."""
    parts_of = {cell: _match(cell, SHORT_YEAR_FORMS) for cell in set(cells)}
    matched = [match[1] for match in map(parts_of.get, cells) if match]
    if len(matched) < max(2, _MIN_SHORT_YEAR_SHARE * len(cells)):
        return False
    months = [parts.get("name", parts.get("month")) for parts in matched]
    return _count_changes(months) > _count_changes([parts["short"] for parts in matched])


def read_short_years(cells: Sequence[str]) -> list[ParsedDate | None]:
    """Parse months with a year of two digits."""
    moments = {}
    for cell in set(cells):
        match = _match(cell, SHORT_YEAR_FORMS)
        moments[cell] = _make_date(*match, DateOrder.MONTH) if match else None
    return [moments[cell] for cell in cells]


def _count_changes(entries: Sequence[str | None]) -> int:
    return sum(before != after for before, after in pairwise(entries))


def _can_be_date(cell: str) -> bool:
    """Return whether a cell is worth matching: not long, and not a short number."""
    return len(cell) <= MAX_DATE_LENGTH and not _NOT_A_DATE.fullmatch(cell)


def _match(cell: str, forms: Iterable[DateForm]) -> tuple[DateForm, Parts] | None:
    """Return the form that a cell matches, and its parts."""
    if not _can_be_date(cell):
        return None
    folded = fold_text(cell)
    for form in forms:
        match = form.pattern.fullmatch(folded)
        if match is not None:
            parts = {name: part for name, part in match.groupdict().items() if part}
            if "name" not in parts or month_of(parts["name"]):
                return form, parts
    return None


def _make_date(form: DateForm, parts: Parts, order: DateOrder, year: int = 0) -> ParsedDate | None:
    """Return the date with these parts; None if it does not exist, such as 30 February."""
    if "epoch" in parts:
        return ParsedDate(int(parts["epoch"]), "Z", form, 0)
    try:
        seconds = DAY_SECONDS * _day_of(parts, order, year)
        seconds += _seconds_of_day(parts) if "hour" in parts else 0
        suffix = _suffix(parts["zone"]) if "zone" in parts else ""
    except ValueError:
        return None
    coarseness = 0
    if not parts.keys() & _DAY_PARTS:
        coarseness = (
            1 if parts.keys() & {"month", "name"} else 2 if parts.keys() & _QUARTER_PARTS else 3
        )
    return ParsedDate(seconds, suffix, form, coarseness)


def _day_of(parts: Parts, order: DateOrder, year: int) -> int:
    """Return the first day of a date's period, in days since 1970."""
    year = int(parts["year"]) if "year" in parts else year
    year = _full_year(parts["short"]) if "short" in parts else year
    if "one" in parts:
        return _ordered_day(parts, order, year)
    if "week" in parts:
        day = dt.date.fromisocalendar(year, int(parts["week"]), int(parts.get("nth", 1)))
        return day.toordinal() - _EPOCH
    if "quarter" in parts:
        return _days(year, 3 * int(parts["quarter"]) - 2, 1)
    if "term" in parts:
        return _days(year, 6 * int(parts["term"]) - 5, 1)
    month = month_of(parts["name"]) if "name" in parts else int(parts.get("month", 1))
    return _days(year, month or 0, int(parts.get("day", 1)))


def _ordered_day(parts: Parts, order: DateOrder, year: int) -> int:
    first, second = int(parts["one"]), int(parts["two"])
    if order is DateOrder.YEAR and "three" in parts:
        return _days(_full_year(parts["one"].zfill(2)), second, int(parts["three"]))
    year = _full_year(parts["three"]) if "three" in parts else year
    return _days(year, second, first) if order is DateOrder.DAY else _days(year, first, second)


@lru_cache(maxsize=16_384)
def _days(year: int, month: int, day: int) -> int:
    return dt.date(year, month, day).toordinal() - _EPOCH


def _seconds_of_day(parts: Parts) -> int:
    hour, minute, second = (int(parts.get(name, 0)) for name in ("hour", "minute", "second"))
    if "half" in parts:
        if not 1 <= hour <= 12:
            raise ValueError("not an hour of half a day")
        hour = hour % 12 + 12 * (parts["half"] == "p")
    is_end = (hour, minute, second) == (24, 0, 0)
    if not is_end and (hour > 23 or minute > 59 or second > 59):
        raise ValueError("not a time of day")
    return 3600 * hour + 60 * minute + second


def _full_year(digits: str) -> int:
    """Return the year of two digits, 1969 to 2068."""
    return int(("20" if digits < "69" else "19") + digits)


def _suffix(zone: str) -> str:
    if not zone[-1].isdigit():
        return "Z"
    digits = zone.replace(":", "").ljust(5, "0")
    if int(digits[1:3]) > 23 or int(digits[3:]) > 59:
        raise ValueError("not an offset")
    return f"{digits[:3]}:{digits[3:]}"
