"""Recognize years of calendars other than the Gregorian."""

import itertools
import re
from collections.abc import Sequence

from app.tables.dates.cells import is_short_buddhist, written_year
from app.tables.dates.part_values import BUDDHIST_OFFSET, BUDDHIST_YEARS
from app.tables.dates.year_labels import report_roc
from app.tables.errors import UnreadableTableError
from app.tables.reading import Reading

_HIJRI = range(1330, 1481)  # 1912 to 2058
# Digits of Persian, or a month of 31 days, which Hijri months never have.
_PERSIAN = re.compile(r"[۰-۹]|^\d{4}([/.-])0?[1-6]\1\s?31\b|^31([/.-])0?[1-6]\2\d{4}\b", re.ASCII)


def report_calendar(cells: Sequence[str], reading: Reading) -> None:
    """Report years that are not Gregorian; raise UnreadableTableError if they are Persian."""
    report_roc(cells, reading)
    years = filter(None, map(written_year, cells))
    first = next(years, 0)
    calendar = BUDDHIST_YEARS if first in BUDDHIST_YEARS else _HIJRI
    if first and not all(year in calendar for year in itertools.chain([first], years)):
        return
    if first in BUDDHIST_YEARS or (not first and any(map(is_short_buddhist, cells))):
        reading.add_remark(
            "buddhist_years", f"The years are Buddhist ones, {BUDDHIST_OFFSET} more than ours."
        )
    elif first:
        if cell := next(filter(_PERSIAN.search, cells), None):
            raise UnreadableTableError(
                f"dates such as “{cell}” are of the Persian calendar, whose months begin on other "
                "days: send Gregorian dates, such as 2024-01-31"
            )
        reading.add_remark(
            "hijri_years",
            f"Years such as {first} are taken as they are. If they are of the Hijri calendar,"
            " send dates of the Gregorian one: a forecast would mistake its seasons.",
        )
