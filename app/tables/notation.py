"""How a table is written, so that forecasts can be written alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# The parts in a pattern, such as ``{month:2}``, and their meaning.
DATE_PARTS = {
    "year": "",
    "buddhist": "the Buddhist year",
    "short": "the last two digits of the year",
    "short_buddhist": "those of the Buddhist year",
    "next": "the end of the year after it",
    "month": "",
    "name": "that of the month",
    "last_month": "the number of the last of several",
    "last_name": "that of the last of several months",
    "day": "",
    "ordinal": "1st",
    "weekday": "its name",
    "week": "with the year of its Thursday",
    "nth": "day of the week",
    "quarter": "",
    "roman": "its Roman number",
    "quarter_sign": "its Chinese number",
    "term": "half-year",
    "hour": "",
    "half": "AM or PM",
    "minute": "",
    "second": "",
    "epoch": "seconds since 1970",
    "serial": "Excel's days; `digits` are its decimals",
}


@dataclass(frozen=True)
class DateStyle:
    """How a table writes its dates.

    Attributes:
        pattern: A date with ``{part:digits}`` in place of each part; the parts are ``DATE_PARTS``.
        unit: The shortest unit that a date says.
        suffix: The end of the timestamps.
        names: The names of the months, January first; None where the language is unknown.
        weekdays: The names of the days of the week, Monday first.
        halves: The words or letters of AM and PM; hours are then 1 to 12.
        mark: The decimal mark of Excel's days.
        months: The number of months in a date that has the last of several.
        months_later: How many months a date of a fiscal year is later than it says.
    """

    pattern: str
    unit: str
    suffix: str
    names: Sequence[str | None] | None = None
    weekdays: Sequence[str | None] | None = None
    halves: Sequence[str] | None = None
    mark: str | None = None
    months: int | None = None
    months_later: int | None = None


@dataclass
class Notation:
    """How a table is written.

    Attributes:
        names: The header of the columns that name the series of rows, if ``has_names``.
        date_form: How the dates are written, None if that is unknown.
        date_format: How the workbook shows its dates, "" if that is not kept.
        number_forms: How the numbers of each series are written.
    """

    names: str | None = None
    has_names: bool = False
    encoding: str | None = None
    delimiter: str | None = None
    date_form: DateStyle | None = None
    date_format: str = ""
    number_forms: Sequence[dict[str, Any]] = ()
