"""Parse the dates in cells."""

import datetime as dt
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from app.tables.dates.forms import (
    AMBIGUOUS_FORMS,
    FISCAL_FORMS,
    FORMS,
    HALVES_WITH_S,
    ROMAN_FORMS,
    SEASON_FORM,
    YEARLESS_FORMS,
    DateForm,
)
from app.tables.dates.month_names import fold_text, month_of
from app.tables.results import DateOrder
from app.timeseries.calendar.frequency import DAY_SECONDS

MAX_DATE_LENGTH = 80
_NOT_A_DATE = re.compile(r"[+-]?\d{0,3}(?:[.,]\d{0,3})?", re.ASCII)  # most numbers
EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
EXCEL_EPOCH = 25_569  # days from Excel's day 0 to 1970-01-01
_EXCEL_SERIAL = re.compile(r"\d{5}(?:[.,]\d+)?", re.ASCII)
_MAX_SERIAL_DAYS = 73_050  # 2099-12-31
_WEEK_WITH_S = re.compile(
    r"\d[- /]*s[ .]?\d{1,2}$|^s[ .]?\d{1,2}[ ,/-]+\d", re.ASCII | re.IGNORECASE
)
LEAP_YEAR = 2000
_DAY_PARTS, _QUARTER_PARTS = {"day", "one", "week"}, {"quarter", "roman"}
_HALF_PARTS = {"term", "roman_term", "half_one", "half_two"}
ROMAN_NUMERALS = ["", *["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"]]
_MAX_QUARTER = 4
BUDDHIST_YEARS = 543  # Thailand's calendar is this far ahead
BUDDHIST = range(2443, 2644)  # 1900 to 2100
_BUDDHIST_CENTURY, _FIRST_SHORT_BUDDHIST = 2500, "50"  # 2007
_THAI = re.compile("[\u0e00-\u0e7f]")
ERAS = {"昭和": 1925, "平成": 1988, "令和": 2018}  # the years before the first

Parts = dict[str, str]  # keys: the group names in ``forms.py``


class ParsedDate(NamedTuple):
    """A parsed date.

    ``seconds``: local time since 1970; ``suffix``: empty, ``Z`` or an offset; ``form``: None for a
    serial number; ``coarseness``: 0 for days and shorter units, 1 month, 2 quarter, 3 half-year,
    4 year.
    """

    seconds: int
    suffix: str
    form: DateForm | None
    coarseness: int


DateReader = Callable[[str], ParsedDate | None]


def date_reader(
    order: DateOrder = DateOrder.MONTH,
    *,
    has_roman_months: bool = False,
    has_weeks_with_s: bool = False,
    has_buddhist_years: bool = True,
) -> DateReader:
    """Return a function that parses a cell; it tries the form of the previous date first.

    ``has_buddhist_years``: whether years such as 2567 are Buddhist ones; ``has_weeks_with_s``:
    whether 2024-S1 is a week.
    """
    forms = tuple(f for f in FORMS if f not in HALVES_WITH_S) if has_weeks_with_s else FORMS
    last_form: list[DateForm] = []

    def read(cell: str) -> ParsedDate | None:
        match = match_form(cell, (*last_form, *forms))
        if match is None:
            return None
        form, parts = match
        last_form[:] = [form]
        if has_roman_months and "roman" in parts:
            parts["month"] = str(ROMAN_NUMERALS.index(parts.pop("roman")))
        if not has_buddhist_years and "year" in parts:
            parts["gregorian"] = parts.pop("year")
        return make_date(form, parts, order)

    return read


def is_roman_month(cell: str) -> bool:
    """Return whether a cell is a date such as VII/2024: IV is then a month, not a quarter."""
    match = match_form(cell, ROMAN_FORMS)
    return match is not None and ROMAN_NUMERALS.index(match[1]["roman"]) > _MAX_QUARTER


def is_week_with_s(cell: str) -> bool:
    """Return whether a cell is a week such as 2024-S12: S1 is then a week, not a half-year."""
    return _WEEK_WITH_S.search(cell) is not None and match_form(cell, HALVES_WITH_S) is None


def written_year(cell: str) -> int:
    """Return the year in a date as it is written, 0 for none of four digits."""
    match = match_form(cell, FORMS)
    return int(match[1].get("year", 0)) if match else 0


def has_last_day(cell: str) -> bool:
    """Return whether a cell is a period, with its first and its last day."""
    match = match_form(cell, FORMS)
    return match is not None and "last_day" in match[1]


def is_short_buddhist(cell: str) -> bool:
    """Return whether a cell is a date such as ม.ค. 65, in January 2022."""
    match = match_form(cell, FORMS)
    return match is not None and has_short_buddhist_year(match[1])


def is_date(cell: str) -> bool:
    """Return whether a cell is a date in any order of day and month."""
    return _can_be_date(cell) and _is_date(cell)


@lru_cache(maxsize=65_536)
def _is_date(cell: str) -> bool:
    match = match_form(cell, FORMS)
    return match is not None and any(make_date(*match, order) for order in DateOrder)


def is_written_date(cell: str) -> bool:
    """Return whether a cell is a date that cannot be a number."""
    return _can_be_date(cell) and _is_written_date(cell)


@lru_cache(maxsize=65_536)
def _is_written_date(cell: str) -> bool:
    match = match_form(cell, FORMS)
    return match is not None and not match[0].is_digits and is_date(cell)


def is_yearless(cell: str) -> bool:
    """Return whether a cell is a day or a month without a year."""
    return _can_be_date(cell) and _is_yearless(cell)


@lru_cache(maxsize=65_536)
def _is_yearless(cell: str) -> bool:
    match = match_form(cell, YEARLESS_FORMS)
    return match is not None and make_date(*match, DateOrder.MONTH, LEAP_YEAR) is not None


def read_fiscal(cell: str) -> ParsedDate | None:
    """Parse a period of a fiscal year as if that were a calendar year."""
    if not _can_be_date(cell):
        return None
    match = match_form(cell, FISCAL_FORMS)
    return None if match is None else make_date(*match, DateOrder.MONTH)


def read_season(cell: str) -> ParsedDate | None:
    """Parse a year such as 2019/20 or 2019/2020 as its first day, in the calendar's first year."""
    match = match_form(cell, (SEASON_FORM,)) if len(cell) <= MAX_DATE_LENGTH else None
    if match is None:
        return None
    form, parts = match
    is_season = f"{int(parts['year']) + 1}".endswith(parts["next"])
    return make_date(form, parts, DateOrder.MONTH) if is_season else None


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
        match = match_form(cell, AMBIGUOUS_FORMS)
        if match is None:
            continue
        form, parts = match
        key = (parts["one"], parts["two"], parts.get("three"), parts.get("year"))
        if key in seen:
            continue
        seen.add(key)
        orders = [order for order in possible if make_date(form, parts, order, LEAP_YEAR)]
        if orders:  # else it is not a date
            example = example or cell
            possible = [
                order for order in orders if order is not DateOrder.YEAR or "three" in parts
            ]
    return (possible, example) if example else ([], "")


def _can_be_date(cell: str) -> bool:
    """Return whether a cell is worth matching: not long, and not a short number."""
    return len(cell) <= MAX_DATE_LENGTH and not _NOT_A_DATE.fullmatch(cell)


def match_form(cell: str, forms: Iterable[DateForm]) -> tuple[DateForm, Parts] | None:
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


def make_date(form: DateForm, parts: Parts, order: DateOrder, year: int = 0) -> ParsedDate | None:
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
        kinds = ({"month", "name"}, _QUARTER_PARTS, _HALF_PARTS)
        coarseness = next((i for i, kind in enumerate(kinds, 1) if parts.keys() & kind), 4)
    return ParsedDate(seconds, suffix, form, coarseness)


def _day_of(parts: Parts, order: DateOrder, year: int) -> int:
    """Return the first day of a date's period, in days since 1970."""
    year = _year_of(parts) or year
    if "one" in parts:
        return _ordered_day(parts, order, year)
    if "week" in parts:
        day = dt.date.fromisocalendar(year, int(parts["week"]), int(parts.get("nth", 1)))
        return day.toordinal() - EPOCH_DAY
    if "roman" in parts:
        count = ROMAN_NUMERALS.index(parts["roman"])
        return _days(year, count if count > _MAX_QUARTER else 3 * count - 2, 1)
    if "quarter" in parts:
        return _days(year, 3 * int(parts["quarter"]) - 2, 1)
    if parts.keys() & _HALF_PARTS:
        is_second = "half_two" in parts or "2" in parts.values() or "ii" in parts.values()
        return _days(year, 7 if is_second else 1, 1)
    month = month_of(parts["name"]) if "name" in parts else int(parts.get("month", 1))
    return _days(year, month or 0, int(parts.get("day", 1)))


def _year_of(parts: Parts) -> int:
    """Return the year of our era; 0 for none."""
    if "year" in parts:
        year = int(parts["year"])
        return year - BUDDHIST_YEARS if year in BUDDHIST else year
    if "gregorian" in parts:
        return int(parts["gregorian"])
    if "era" in parts:
        return ERAS[parts["era"]] + int(parts["nth_year"])
    if "short" not in parts:
        return 0
    if has_short_buddhist_year(parts):
        return _BUDDHIST_CENTURY + int(parts["short"]) - BUDDHIST_YEARS
    return _full_year(parts["short"])


def has_short_buddhist_year(parts: Parts) -> bool:
    """Return whether a year of two digits is a Buddhist one, as behind a month's Thai name."""
    short, name = parts.get("short") or "", parts.get("name") or ""
    return short >= _FIRST_SHORT_BUDDHIST and bool(_THAI.match(name))


def _ordered_day(parts: Parts, order: DateOrder, year: int) -> int:
    first, second = int(parts["one"]), int(parts["two"])
    if order is DateOrder.YEAR and "three" in parts:
        return _days(_full_year(parts["one"].zfill(2)), second, int(parts["three"]))
    year = _full_year(parts["three"]) if "three" in parts else year
    return _days(year, second, first) if order is DateOrder.DAY else _days(year, first, second)


@lru_cache(maxsize=16_384)
def _days(year: int, month: int, day: int) -> int:
    return dt.date(year, month, day).toordinal() - EPOCH_DAY


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
