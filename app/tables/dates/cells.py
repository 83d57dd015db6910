"""Parse the dates in cells."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache, wraps
from typing import NamedTuple

from app.tables.answers import DateOrder
from app.tables.dates.forms import (
    AMBIGUOUS_FORMS,
    FISCAL_FORMS,
    FORMS,
    HALF_GROUPS,
    HALVES_WITH_S,
    LAST_MONTH_GROUPS,
    NAME_GROUPS,
    QUARTER_GROUPS,
    SERIAL_FORM,
    SPLIT_YEAR_FORM,
    YEARLESS_FORMS,
    DateForm,
    DateParts,
    pattern_of_any,
    without_names,
)
from app.tables.dates.month_names import (
    WEEKDAY_MARK,
    fold_text,
    from_croatian,
    mark_weekdays,
    may_have_month,
    month_of,
)
from app.tables.dates.part_values import (
    ROMAN_NUMERALS,
    count_months,
    first_day,
    has_short_buddhist_year,
    offset_suffix,
    seconds_of_day,
)
from app.timeseries.seconds import DAY_SECONDS

MAX_DATE_LENGTH = 80  # characters; longer cells are not matched
# Numbers that are never dates: they are most cells of a table, and are not matched.
_SHORT_NUMBER = re.compile(r"[+-]?\d{0,3}(?:[.,]\d{0,3})?", re.ASCII)
_MIN_FILTERED = 5  # fewer forms are matched one by one
_FORMS_WITHOUT_HALVES = tuple(form for form in FORMS if form not in HALVES_WITH_S)
LEAP_YEAR = 2000  # for dates without a year: it has a 29 February
EXCEL_EPOCH = 25_569  # days from Excel's day 0 to 1970-01-01
_MAX_SERIAL_DAYS = 73_050  # 2099-12-31


class DateGranularity(IntEnum):
    """The length of a date's period in months, 0 for days and shorter units."""

    DAY = 0
    MONTH = 1
    QUARTER = 3
    THIRD = 4
    HALF = 6
    YEAR = 12


# The groups that make a date this coarse: the first set of which a date has a group decides.
_GROUPS_BY_GRANULARITY = {
    DateGranularity.DAY: {"day", "one", "week"},
    DateGranularity.MONTH: {"month", "name"},
    DateGranularity.QUARTER: QUARTER_GROUPS,
    DateGranularity.THIRD: {"third"},
    DateGranularity.HALF: HALF_GROUPS,
}


class ParsedDate(NamedTuple):
    """A parsed date.

    Attributes:
        seconds: Local time since 1970, of the first day of a period.
        suffix: "", ``Z`` or an offset.
    """

    seconds: int
    suffix: str
    form: DateForm
    granularity: DateGranularity


@dataclass(frozen=True)
class DateNotation:
    """How the dates of one column are written, which a single cell does not show.

    Attributes:
        order: What 3/4/24 begins with.
        has_roman_months: Whether IV 2024 is a month, and not a quarter.
        has_weeks_with_s: Whether 2024-S1 is a week, and not a half-year.
        has_thirds: Whether T1 2024 is a third of a year, and not a quarter.
        has_croatian_months: Whether listopad is October, and not November.
        has_buddhist_years: Whether 2567 is Buddhist, and not far in the future.
    """

    order: DateOrder = DateOrder.MONTH
    has_roman_months: bool = False
    has_weeks_with_s: bool = False
    has_thirds: bool = False
    has_croatian_months: bool = False
    has_buddhist_years: bool = True

    def parts_in(self, parts: DateParts) -> DateParts:
        """Return the parts of a date, renamed to what they are in this notation."""
        names = {} if self.has_buddhist_years else {"year": "gregorian"}
        if self.has_thirds and "with_t" in parts:
            names["quarter"] = "third"
        renamed = {names.get(name, name): part for name, part in parts.items()}
        if self.has_roman_months and "roman" in parts:
            renamed["month"] = str(ROMAN_NUMERALS.index(renamed.pop("roman")))
        return normalize_croatian(renamed) if self.has_croatian_months else renamed


DateReader = Callable[[str], ParsedDate | None]
_MONTH_FIRST = DateNotation()


def date_reader(notation: DateNotation = _MONTH_FIRST) -> DateReader:
    """Return a function that parses a cell; it tries the form of the previous date first."""
    forms = _FORMS_WITHOUT_HALVES if notation.has_weeks_with_s else FORMS
    last_form: tuple[DateForm, ...] = ()

    def read(cell: str) -> ParsedDate | None:
        nonlocal last_form
        match = match_form(cell, last_form) or match_form(cell, forms)
        if match is None:
            return None
        form, parts = match
        last_form = (form,)
        return make_date(form, notation.parts_in(parts), notation.order)

    return read


def readers_in_any_order() -> list[DateReader]:
    """Return a reader for each order of day, month and year."""
    return [date_reader(DateNotation(order)) for order in DateOrder]


def written_year(cell: str) -> int:
    """Return the year in a date as it is written, 0 if it has none of four digits."""
    return int(parts_of(cell).get("year", 0))


def has_last_day(cell: str) -> bool:
    """Return whether a cell is a period, with its first and its last day."""
    return not parts_of(cell).keys().isdisjoint(("last_day", "end_day"))


def may_be_split(cell: str) -> bool:
    """Return whether a date may be two cells: a year and a count, or a day and a number."""
    return bool(parts_of(cell).keys() & {"gap", "point"})


def year_of_taiwan(cell: str) -> int:
    """Return the year before 年 in a date such as 99年 or 112年1月, 0 for others."""
    return int(parts_of(cell).get("roc", 0))


def may_be_code(cell: str) -> bool:
    """Return whether a date looks like a code: 2021K1, C1 2021, 1T21 or 2023 01."""
    parts = parts_of(cell).keys()
    return bool(parts & {"code", "gap"}) or parts >= {"with_t", "short"}


def is_short_buddhist(cell: str) -> bool:
    """Return whether a cell is a date such as ม.ค. 65, in January 2022."""
    return has_short_buddhist_year(parts_of(cell))


def normalize_croatian(parts: DateParts) -> DateParts:
    """Return the parts of a date whose months have Croatian names, with English ones."""
    return {k: from_croatian(part) if k in NAME_GROUPS else part for k, part in parts.items()}


def parts_of(cell: str) -> DateParts:
    """Return the parts of a date, {} if the cell is not one."""
    match = match_form(cell, FORMS)
    return match[1] if match else {}


def _cached_for_likely_cells(is_fitting: Callable[[str], bool]) -> Callable[[str], bool]:
    """Cache a predicate; cells that cannot be dates do not fill the cache."""
    cached = lru_cache(maxsize=65_536)(is_fitting)

    @wraps(is_fitting)
    def fits(cell: str) -> bool:
        return _can_be_date(cell) and cached(cell)

    return fits


def _can_be_date(cell: str) -> bool:
    """Return whether a cell is worth matching: not long, and not a short number."""
    return len(cell) <= MAX_DATE_LENGTH and not _SHORT_NUMBER.fullmatch(cell)


@_cached_for_likely_cells
def is_date(cell: str) -> bool:
    """Return whether a cell is a date in any order of day and month."""
    match = match_form(cell, FORMS)
    return match is not None and any(make_date(*match, order) for order in DateOrder)


@_cached_for_likely_cells
def is_written_date(cell: str) -> bool:
    """Return whether a cell is a date that cannot be a number."""
    match = match_form(cell, FORMS)
    return match is not None and not match[0].is_digits and is_date(cell)


@_cached_for_likely_cells
def is_yearless(cell: str) -> bool:
    """Return whether a cell is a day or a month without a year."""
    match = match_form(cell, YEARLESS_FORMS)
    return match is not None and make_date(*match, DateOrder.MONTH, LEAP_YEAR) is not None


def read_fiscal(cell: str) -> ParsedDate | None:
    """Parse a period of a fiscal year as if that were a calendar year."""
    match = match_form(cell, FISCAL_FORMS)
    return make_date(*match, DateOrder.MONTH) if match and _is_next_year(match[1]) else None


@lru_cache(maxsize=16_384)
def read_split_year(cell: str) -> ParsedDate | None:
    """Parse a year such as 2019/20 or 2019/2020 as its first day, in the calendar's first year."""
    match = match_form(cell, (SPLIT_YEAR_FORM,)) if len(cell) <= MAX_DATE_LENGTH else None
    if match is None:
        return None
    return make_date(*match, DateOrder.MONTH) if _is_next_year(match[1]) else None


def _is_next_year(parts: DateParts) -> bool:
    year = parts.get("year") or parts["short"]
    return f"{int(year) + 1:02}".endswith(parts.get("next", ""))


def read_serial(cell: str) -> ParsedDate | None:
    """Parse one of Excel's serial numbers of days, 1927 to 2099."""
    if len(cell) > MAX_DATE_LENGTH or not SERIAL_FORM.pattern.fullmatch(cell):
        return None
    days = float(cell.replace(",", "."))
    seconds = round((days - EXCEL_EPOCH) * DAY_SECONDS)
    is_likely = days < _MAX_SERIAL_DAYS
    return ParsedDate(seconds, "", SERIAL_FORM, DateGranularity.DAY) if is_likely else None


class PossibleOrders(NamedTuple):
    """The orders that most ambiguous cells allow.

    Attributes:
        example: One of these cells.
        decided: The cells that allow only one order, by that.
    """

    orders: list[DateOrder]
    example: str
    decided: Mapping[DateOrder, list[str]]


def possible_orders(cells: Iterable[str]) -> PossibleOrders:
    """Return the orders that ambiguous cells allow.

    A slip such as 13/01/2024 among dates of the United States decides nothing.
    """
    allowed = Counter[DateOrder]()
    decided: dict[DateOrder, list[str]] = {}
    example = ""
    seen = set()
    for cell in cells:
        match = match_form(cell, AMBIGUOUS_FORMS)
        if match is None:
            continue
        form, parts = match
        key = tuple(map(parts.get, ("one", "two", "three", "year", "last_day")))
        if key in seen:
            continue
        seen.add(key)
        dates = [parts, *_last_day_parts(parts)]
        orders = [o for o in DateOrder if all(make_date(form, p, o, LEAP_YEAR) for p in dates)]
        if orders:  # else it is not a date
            example = example or cell
            orders = [o for o in orders if o is not DateOrder.YEAR or "three" in parts]
            allowed.update(orders)
            if len(orders) == 1:
                decided.setdefault(orders[0], []).append(cell)
    most = max(allowed.values(), default=0)
    usual = [order for order in DateOrder if most and allowed[order] == most]
    return PossibleOrders(usual, example, decided)


def _last_day_parts(parts: DateParts) -> list[DateParts]:
    """Return the parts of the last day of a period, if its numbers are in the same order."""
    last = parts.get("last_day", "").rsplit(" ", maxsplit=1)[-1].lstrip("-–—~,")
    match = match_form(last, AMBIGUOUS_FORMS) if last else None
    return [match[1]] if match else []


def match_form(cell: str, forms: tuple[DateForm, ...]) -> tuple[DateForm, DateParts] | None:
    """Return the first form that a cell matches, and its parts."""
    if not _can_be_date(cell) or WEEKDAY_MARK in cell:
        return None
    return _match_any_form(cell) if forms is FORMS else _match(cell, forms)


@lru_cache(maxsize=16_384)
def _match_any_form(cell: str) -> tuple[DateForm, DateParts] | None:
    return _match(cell, FORMS)


def _match(cell: str, forms: tuple[DateForm, ...]) -> tuple[DateForm, DateParts] | None:
    folded = fold_text(cell)
    texts = mark_weekdays(folded)
    likely = forms if may_have_month(folded) else without_names(forms)
    if len(likely) >= _MIN_FILTERED:
        matches = filter(None, map(pattern_of_any(likely).fullmatch, texts))
        first = min((match.lastindex or 0 for match in matches), default=len(likely) + 1)
        likely = likely[first - 1 :]
    for form in likely:
        match = form.match(texts)
        if match is not None:
            parts = {name: part for name, part in match.groupdict().items() if part}
            if all(month_of(parts[name]) for name in parts.keys() & NAME_GROUPS):
                return form, parts
    return None


def make_date(
    form: DateForm, parts: DateParts, order: DateOrder, year: int = 0
) -> ParsedDate | None:
    """Return the date with these parts; None if it does not exist, such as 30 February."""
    if "epoch" in parts:
        is_later_half = parts.get("decimals", "") >= "5"  # 59.98 s is the next minute
        return ParsedDate(int(parts["epoch"]) + is_later_half, "Z", form, DateGranularity.DAY)
    try:
        seconds = DAY_SECONDS * first_day(parts, order, year)
        seconds += seconds_of_day(parts) if "hour" in parts else 0
        suffix = offset_suffix(parts["zone"]) if "zone" in parts else ""
    except ValueError:
        return None
    if LAST_MONTH_GROUPS.isdisjoint(parts):
        fitting = (g for g, groups in _GROUPS_BY_GRANULARITY.items() if groups & parts.keys())
    else:
        months = count_months(parts)
        if months <= 1:
            return None
        fitting = (granularity for granularity in DateGranularity if months <= granularity)
    return ParsedDate(seconds, suffix, form, next(fitting, DateGranularity.YEAR))
