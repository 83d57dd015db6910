"""The values of a date's parts: the first day of its period, its time of day, its offset."""

import datetime as dt
import re
from functools import lru_cache

from app.tables.answers import DateOrder
from app.tables.dates.clocks import SECOND_HALVES
from app.tables.dates.forms import HALF_GROUPS, QUARTER_GROUPS, DateParts
from app.tables.dates.month_names import month_of
from app.timeseries.seconds import HOUR_SECONDS, MINUTE_SECONDS

EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
ROMAN_NUMERALS = ["", *["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"]]
MAX_ROMAN_QUARTER = 4
QUARTER_SIGNS = "〇一二三四"
_MONTHS_PER_QUARTER = 3
BUDDHIST_OFFSET = 543  # Thailand's calendar is this far ahead
BUDDHIST_YEARS = range(2443, 2644)  # 1900 to 2100
_BUDDHIST_CENTURY = 2500
_FIRST_SHORT_BUDDHIST = "50"  # 2007
_THAI = re.compile("[\u0e00-\u0e7f]")
ROC_OFFSET = 1911  # the years before the first of the Republic of China, in Taiwan
# The years before the first one of an era.
ERAS = {"昭和": 1925, "平成": 1988, "令和": 2018, "民國": ROC_OFFSET, "民国": ROC_OFFSET}
_ERA_LETTERS = {"s": "昭和", "h": "平成", "r": "令和"}


def first_day(parts: DateParts, order: DateOrder, default_year: int) -> int:
    """Return the first day of a date's period, in days since 1970."""
    year = _year_of(parts) or default_year
    if "one" in parts:
        return _ordered_day(parts, order, year)
    if "week" in parts:
        day = dt.date.fromisocalendar(year, int(parts["week"]), int(parts.get("nth", 1)))
        return day.toordinal() - EPOCH_DAY
    if "end_day" in parts:
        return _first_before_end(parts, year)
    month = _first_month(parts)
    if month is None:
        month = month_of(parts["name"]) if "name" in parts else int(parts.get("month", 1))
    return _day_of(year, month or 0, int(parts.get("day", 1)))


def _first_before_end(parts: DateParts, year: int) -> int:
    """Return the first day of a period whose last day has the year: 29 Dec - 4 Jan 2024."""
    first, last = (
        month_of(parts[name]) if name in parts else int(parts.get(number, 0))
        for name, number in (("name", "month"), ("end_name", "end_month"))
    )
    first, last = first or last or 0, last or first or 0
    day = _day_of(year - (first > last), first, int(parts["day"]))
    if day > _day_of(year, last, int(parts["end_day"])):
        raise ValueError("ends before it begins")
    return day


def count_months(parts: DateParts) -> int:
    """Return the number of months in ``Apr-Jun``; 0 or less if the last is before the first.

    Those of a quarter with the name of its last month only are 3.
    """
    if "last_month" in parts:
        return int(parts["last_month"]) - int(parts["month"]) + 1
    if "name" not in parts:
        return _MONTHS_PER_QUARTER
    first, last = (month_of(parts[name]) or 0 for name in ("name", "last_name"))
    return last - first + 1


def _first_month(parts: DateParts) -> int | None:
    """Return the first month of a part of a year that is longer than a month; None for others."""
    if "roman" in parts:
        count = ROMAN_NUMERALS.index(parts["roman"])
        return count if count > MAX_ROMAN_QUARTER else 3 * count - 2
    if parts.keys() & QUARTER_GROUPS:
        number = parts.get("quarter") or QUARTER_SIGNS.index(parts["quarter_sign"])
        return 3 * int(number) - 2
    if "third" in parts:
        return 4 * int(parts["third"]) - 3
    if parts.keys() & HALF_GROUPS:
        half = parts.get("term") or parts.get("roman_term")
        is_second = "half_two" in parts or half in ("2", "ii")
        return 7 if is_second else 1
    if "last_name" in parts and "name" not in parts:
        last = month_of(parts["last_name"]) or 0
        return last - 2 if last % _MONTHS_PER_QUARTER == 0 else 0  # no quarter ends in others
    return None


def _year_of(parts: DateParts) -> int:
    """Return the year of our era; 0 for none."""
    if "year" in parts:
        year = int(parts["year"])
        return year - BUDDHIST_OFFSET if year in BUDDHIST_YEARS else year
    if "gregorian" in parts:
        return int(parts["gregorian"])
    if "era" in parts:
        return year_of_era(parts["era"], parts["nth_year"])
    if "short" not in parts:
        return ROC_OFFSET + int(parts["roc"]) if "roc" in parts else 0
    if has_short_buddhist_year(parts):
        return _BUDDHIST_CENTURY + int(parts["short"]) - BUDDHIST_OFFSET
    return _full_year(parts["short"])


def year_of_era(era: str, nth: str) -> int:
    """Return the year of our era that is the ``nth`` of another; 元 is the first."""
    name = _ERA_LETTERS.get(era.lower(), era)
    return ERAS[name] + (1 if nth == "元" else int(nth))


def has_short_buddhist_year(parts: DateParts) -> bool:
    """Return whether a year of two digits is a Buddhist one, as after a month's Thai name."""
    short, name = parts.get("short") or "", parts.get("name") or ""
    return short >= _FIRST_SHORT_BUDDHIST and bool(_THAI.match(name))


def _ordered_day(parts: DateParts, order: DateOrder, default_year: int) -> int:
    first, second = int(parts["one"]), int(parts["two"])
    if order is DateOrder.YEAR and "three" in parts:
        return _day_of(_full_year(parts["one"].zfill(2)), second, int(parts["three"]))
    year = _full_year(parts["three"]) if "three" in parts else default_year
    return _day_of(year, second, first) if order is DateOrder.DAY else _day_of(year, first, second)


@lru_cache(maxsize=16_384)
def _day_of(year: int, month: int, day: int) -> int:
    return dt.date(year, month, day).toordinal() - EPOCH_DAY


def seconds_of_day(parts: DateParts) -> int:
    hour, minute, second = (int(parts.get(name, 0)) for name in ("hour", "minute", "second"))
    word = parts.get("half_before") or parts.get("half_word")
    if half := word or parts.get("half"):  # with words, midnight may be 0
        if not (0 if word else 1) <= hour <= 12:
            raise ValueError("not an hour of half a day")
        hour = hour % 12 + 12 * (half == "p" or half in SECOND_HALVES)
    is_end = (hour, minute, second) == (24, 0, 0)
    if not is_end and (hour > 23 or minute > 59 or second > 59):
        raise ValueError("not a time of day")
    return HOUR_SECONDS * hour + MINUTE_SECONDS * minute + second


def _full_year(digits: str) -> int:
    """Return the year of two digits, 1969 to 2068."""
    return int(("20" if digits < "69" else "19") + digits)


def offset_suffix(zone: str) -> str:
    if not zone[-1].isdigit():
        return "Z"
    digits = zone.replace(":", "")[-5:].ljust(5, "0")  # without GMT or UTC
    if int(digits[1:3]) > 23 or int(digits[3:]) > 59:
        raise ValueError("not an offset")
    return f"{digits[:3]}:{digits[3:]}"
