"""Parse dates without a year, or with one that may be a day."""

import datetime as dt
from collections.abc import Sequence
from itertools import pairwise

from app.tables.answers import DateOrder
from app.tables.dates.cells import LEAP_YEAR, ParsedDate, make_date, match_form, normalize_croatian
from app.tables.dates.forms import SHORT_YEAR_FORMS, YEARLESS_FORMS, DateForm, DateParts
from app.tables.dates.notation import has_croatian_months
from app.tables.dates.part_values import EPOCH_DAY
from app.timeseries.seconds import DAY_SECONDS

# A larger change of the month is a change of the year, such as from November to January; a smaller
# one, as from March to February, is within a year.
_HALF_YEAR_MONTHS = 6
_MAX_WEEKS = 53
_MIN_SHORT_YEAR_FRACTION = 0.8  # of the cells; the others may be totals and notes


def read_yearless(
    cells: Sequence[str], order: DateOrder, first_year: int
) -> list[ParsedDate | None]:
    """Parse dates without a year: it changes between December and January."""
    matches = _match_cells(cells, YEARLESS_FORMS)
    read: dict[tuple[str, int], ParsedDate | None] = {}  # cells repeat each year
    dates: list[ParsedDate | None] = []
    for cell, passed in zip(cells, years_passed(cells, order), strict=True):
        match = matches[cell]
        year = first_year + (passed or 0)
        # Raising an error for each date beyond the last year would take ten times as long.
        if not match or passed is None or not dt.MINYEAR <= year <= dt.MAXYEAR:
            dates.append(None)
            continue
        if (cell, year) not in read:
            read[cell, year] = make_date(*match, order, year)
        dates.append(read[cell, year])
    return dates


def years_passed(cells: Sequence[str], order: DateOrder) -> list[int | None]:
    """Return how many years after the first date each date without a year is."""
    matches = _match_cells(cells, YEARLESS_FORMS)
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


def _month_of(form: DateForm, parts: DateParts, order: DateOrder) -> int | None:
    """Return the month of a date without a year; None if there is no such day."""
    if "week" in parts:  # the first one may begin in December
        week = int(parts["week"])
        return 1 + (week - 1) * 12 // _MAX_WEEKS if 0 < week <= _MAX_WEEKS else None
    date = make_date(form, parts, order, LEAP_YEAR)
    return date and dt.date.fromordinal(EPOCH_DAY + date.seconds // DAY_SECONDS).month


def has_short_years(cells: Sequence[str]) -> bool:
    """Return whether ``24`` in cells such as ``Jan 24`` is a year: the month changes more often."""
    matches = _match_cells(cells, SHORT_YEAR_FORMS)
    matched = [match[1] for match in map(matches.get, cells) if match]
    if len(matched) < max(2, _MIN_SHORT_YEAR_FRACTION * len(cells)):
        return False
    months = [parts.get("name", parts.get("month")) for parts in matched]
    return _count_changes(months) > _count_changes([parts["short"] for parts in matched])


def read_short_years(cells: Sequence[str]) -> list[ParsedDate | None]:
    """Parse months with a year of two digits."""
    matches = _match_cells(cells, SHORT_YEAR_FORMS)
    dates = {c: match and make_date(*match, DateOrder.MONTH) for c, match in matches.items()}
    return [dates[cell] for cell in cells]


def _match_cells(
    cells: Sequence[str], forms: tuple[DateForm, ...]
) -> dict[str, tuple[DateForm, DateParts] | None]:
    matches = {cell: match_form(cell, forms) for cell in set(cells)}
    if not has_croatian_months(matches, forms):
        return matches
    return {c: match and (match[0], normalize_croatian(match[1])) for c, match in matches.items()}


def _count_changes(entries: Sequence[str | None]) -> int:
    return sum(earlier != later for earlier, later in pairwise(entries))
