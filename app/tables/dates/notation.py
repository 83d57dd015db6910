"""Find the notation of a column: what its dates show only together."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.tables.answers import DateOrder
from app.tables.dates.cells import (
    MAX_DATE_LENGTH,
    DateNotation,
    ParsedDate,
    date_reader,
    match_form,
    parts_of,
    written_year,
)
from app.tables.dates.forms import FORMS, HALVES_WITH_S, NAME_GROUPS, ROMAN_FORMS, DateForm
from app.tables.dates.month_names import MAY_BE_CROATIAN, are_croatian
from app.tables.dates.part_values import BUDDHIST_YEARS, MAX_ROMAN_QUARTER, ROMAN_NUMERALS
from app.timeseries.seconds import DAY_SECONDS

_WEEK_WITH_S = re.compile(
    r"\d[- /]*s[ .]?(\d{1,2})$|^s[ .]?(\d{1,2})[ ,/-]+\d", re.ASCII | re.IGNORECASE
)
MAX_SPRINTS = 26  # of two weeks in a year: S27 is a week
_WITH_T = re.compile(r"[tT][1-4]|[1-4][tT]", re.ASCII)
_FUTURE = 1_893_456_000  # 2030-01-01, in seconds as the next ones
_AFTER_PLANS = 2_366_841_600  # 2045-01-01
_FIRST_CERTAIN = -31_536_000  # 1969-01-01
_CENTURY = 36_525 * DAY_SECONDS
_MAX_APART = 20 * 366 * DAY_SECONDS  # years of two digits that follow each other
_MIN_YEARS_OF_THIRDS = 2  # the last year of quarters may lack its T4, two years do not


def read_column(cells: Sequence[str], order: DateOrder) -> list[ParsedDate | None]:
    """Parse the distinct dates of a column in their notation."""
    # A single year such as 2543 among others is a slip, which 2000 would hide.
    is_buddhist = all(year in BUDDHIST_YEARS for year in map(written_year, cells) if year)
    plain = DateNotation(order, has_buddhist_years=is_buddhist)
    dates = list(map(date_reader(plain), cells))
    notation = _find_notation(cells, {date.form for date in dates if date}, plain)
    in_notation = dates if notation == plain else list(map(date_reader(notation), cells))
    return _with_last_century(cells, in_notation)


def _with_last_century(
    cells: Sequence[str], dates: list[ParsedDate | None]
) -> list[ParsedDate | None]:
    """Return dates with 58 as 1958, unless 2058 follows the other dates."""
    pairs = [(date.seconds, cell) for cell, date in zip(cells, dates, strict=True) if date]
    first, cell = min((pair for pair in pairs if pair[0] >= _FUTURE), default=(0, ""))
    if not _has_short_year(cell) or _follows(first, [seconds for seconds, _ in pairs]):
        return dates
    return [
        date._replace(seconds=date.seconds - _CENTURY) if date and date.seconds >= first else date
        for date in dates
    ]


def _follows(first: int, times: list[int]) -> bool:
    """Return whether the times from ``first`` on follow the earlier ones, or are soon without any.

    They do if they are near those, or behind them in a table that is sorted like them.
    """
    before = [seconds for seconds in times if seconds < first]
    if not before:
        return first < _AFTER_PLANS
    is_rising = before[0] <= before[-1]
    is_below = times.index(before[0]) < times.index(first)
    return first - max(before) < _MAX_APART or is_rising == is_below


def find_last_century(
    cells: Sequence[str], dates: Sequence[ParsedDate | None]
) -> tuple[str, ParsedDate] | None:
    """Return the first date before 1969, if its year has two digits, which can mean another one."""
    pairs = zip(cells, dates, strict=True)
    early = next(((c, date) for c, date in pairs if date and date.seconds < _FIRST_CERTAIN), None)
    return early if early and _has_short_year(early[0]) else None


def _has_short_year(cell: str) -> bool:
    return not parts_of(cell).keys().isdisjoint(("short", "three"))


def _find_notation(cells: Sequence[str], forms: set[DateForm], plain: DateNotation) -> DateNotation:
    """Return the notation of cells that have been read with the ``plain`` one, in these forms.

    A form is checked first: few tables have it, and checking all cells takes half as long as
    parsing them.
    """
    groups = {group for form in forms for group in form.pattern.groupindex}
    return replace(
        plain,
        has_roman_months=not forms.isdisjoint(ROMAN_FORMS) and any(map(is_roman_month, cells)),
        has_weeks_with_s=not forms.isdisjoint(HALVES_WITH_S) and any(map(is_week_with_s, cells)),
        has_thirds="with_t" in groups and has_thirds(cells),
        has_croatian_months="name" in groups and has_croatian_months(cells),
    )


def is_roman_month(cell: str) -> bool:
    """Return whether a cell is a date such as VII/2024: IV is then a month, not a quarter."""
    match = match_form(cell, ROMAN_FORMS)
    return match is not None and ROMAN_NUMERALS.index(match[1]["roman"]) > MAX_ROMAN_QUARTER


def is_week_with_s(cell: str) -> bool:
    """Return whether a cell is a week such as 2024-S12: S1 is then a week, not a half-year."""
    return _WEEK_WITH_S.search(cell) is not None and match_form(cell, HALVES_WITH_S) is None


def number_with_s(cell: str) -> int:
    """Return the number of a week or a half-year such as 2024-S12, 0 for other cells."""
    match = _WEEK_WITH_S.search(cell) if len(cell) <= MAX_DATE_LENGTH else None
    return int(match[1] or match[2]) if match else 0


def has_thirds(cells: Iterable[str]) -> bool:
    """Return whether T1 to T3 of cells are thirds of years, as in Sweden: no year has a T4."""
    numbers_by_year: dict[str, set[str]] = {}
    for cell in cells:
        parts = parts_of(cell) if _WITH_T.search(cell) else {}
        if "with_t" in parts:
            year = parts.get("year") or parts.get("short", "")
            numbers_by_year.setdefault(year, set()).add(parts["quarter"])
    complete_years = [numbers for numbers in numbers_by_year.values() if len(numbers) > 2]
    return len(complete_years) >= _MIN_YEARS_OF_THIRDS and not any(
        "4" in numbers for numbers in numbers_by_year.values()
    )


def has_croatian_months(cells: Iterable[str], forms: tuple[DateForm, ...] = FORMS) -> bool:
    """Return whether listopad is October, as other names of the months are Croatian."""
    distinct = {*cells}
    if not any(map(MAY_BE_CROATIAN.search, distinct)):
        return False
    parts = [match[1] for cell in distinct if (match := match_form(cell, forms))]
    return are_croatian(of_date[name] for of_date in parts for name in NAME_GROUPS & of_date.keys())
