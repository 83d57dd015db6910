"""Describe the form of a table's dates, so that forecast dates can be written alike."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.tables.answers import DateOrder
from app.tables.dates.ambiguous_forms import has_thirds, is_roman_month
from app.tables.dates.cells import match_form
from app.tables.dates.clocks import HALVES
from app.tables.dates.forms import COUNTED_FORM, FISCAL_FORMS, FORMS, DateForm
from app.tables.dates.month_names import (
    fold_text,
    month_names_like,
    months_of,
    weekday_names_like,
)
from app.tables.dates.part_values import BUDDHIST_YEARS, count_months, has_short_buddhist_year
from app.tables.dates.rows import RowDates
from app.tables.dates.weekdays import weekdays_of
from app.timeseries.types import IntArray

_SAMPLE = 400
# Either both have leading zeros, or neither.
_DAY_AND_MONTH = ("day", "month", "one", "two")
_ORDERED = {
    DateOrder.DAY: {"one": "day", "two": "month", "three": "short"},
    DateOrder.MONTH: {"one": "month", "two": "day", "three": "short"},
    DateOrder.YEAR: {"one": "short", "two": "month", "three": "day"},
}
# The parts of forms that imply a unit, the shortest first.
_UNITS = (
    ("second", ("second", "epoch", "serial")),
    ("minute", ("minute",)),
    ("hour", ("hour",)),
    ("day", ("day", "ordinal", "nth")),
    ("week", ("week",)),
    ("month", ("month", "name")),
    ("quarter", ("quarter", "quarter_sign", "roman", "last_name")),
    ("half", ("term",)),
)
_UNWRITABLE = (
    "until", "last_day", "era", "roc",
    "roman_term", "half_one", "half_two",
)  # fmt: skip
_NAMES = ("name", "last_name")
_WEEKDAYS = ("weekday", "weekday_behind")
_LETTERS = re.compile(r"[^\W\d_]+")  # in the text after a date, such as (Mon)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")  # behind a day
_FIRST = re.compile(r"er\b")  # behind the first day, and no other
_UNWRITTEN = ("mark", "zone", "with_t", "code", "point", "gap")
_HALF_WORDS = ("half_before", "half_word")
_UNITS_OF_TIME = ("second", "minute", "hour")
_BEFORE_TIME = re.compile(r"(?:[T, ]{0,8}|,? [^\W\d_]{1,4}\.? )\{(?:half|hour):")
_DECIMALS_OF_DAYS = re.compile(r"\{serial:\d{1,3}\}")


def find_date_form(rows: RowDates) -> dict[str, Any] | None:
    """Return the form of the last date; None if other dates cannot be written like it.

    ``pattern`` is a date with ``{part:digits}`` in place of its parts: year, buddhist (year), short
    (its last two digits), short_buddhist, next (the last digits of the year after it), month, name
    (of the month), day, ordinal (1st), weekday (its name), week (with the year of its Thursday),
    nth (day of the week, from Monday), quarter, roman and quarter_sign (the number of the
    quarter in Roman and in Chinese), last_month, term (half of the year), hour,
    half (AM or PM; hours are then 1 to 12), minute, second, epoch (seconds since 1970) and serial
    (Excel's days; the digits are decimals). ``unit`` is its shortest unit, ``suffix`` the end of
    its timestamps. A date of a fiscal year is ``months_later`` than what it says. A date of several
    ``months`` also has the name of the last month, as ``last_name``.

    ``names`` are the names of the months, ``weekdays`` of the days of the week, ``halves`` of AM
    and PM; ``mark`` is the decimal mark.
    """
    usable = np.flatnonzero(~rows.is_coarse).tolist()  # not 2024 among months
    position = next((i for i in reversed(usable) if rows.forms[i]), None)
    cells = rows.cells.tolist()
    if position is None:
        last = next((cell for cell in reversed(cells) if cell), "")
        mark = "," if "," in last else "."
        return _describe_form(
            f"{{serial:{len(last.partition(mark)[2])}}}", ["serial"], "", mark=mark
        )
    form = rows.forms[position]
    assert form is not None
    if form is COUNTED_FORM or (form in FISCAL_FORMS and rows.months_later is None):
        return None  # counted periods and days within months have no form of the calendar
    sample = [i for i in usable if rows.forms[i] is form][-_SAMPLE:]
    alike = [" ".join(cells[i].split()) for i in sample]
    year = 1970 + int(rows.times[position].astype("datetime64[Y]").astype(int))
    template = next((cell for cell in reversed(alike) if not _is_first(cell, form)), alike[-1])
    form_of_dates = _describe_date(form, template, alike, rows.suffixes[position], rows.order, year)
    if form_of_dates and rows.months_later:
        return form_of_dates | {"months_later": rows.months_later}
    if form_of_dates is None or "{weekday" not in form_of_dates["pattern"]:
        return form_of_dates
    seen = _weekdays_in(alike, weekdays_of(rows.times[sample]), form)
    return form_of_dates | {"weekdays": weekday_names_like(seen)} if seen else None


def form_of_days(form: dict[str, Any] | None, suffix: str, *, had_days: bool) -> dict[str, Any]:
    """Return the form for series of days or longer steps.

    It has no time of day, unless the table ``had_days`` with one, and is ISO 8601 where ``form``
    cannot write them.
    """
    if form is None or form["suffix"] != suffix:
        return _describe_form("{year:4}-{month:2}-{day:2}", ["day"], suffix)
    if had_days or form["unit"] not in _UNITS_OF_TIME:
        return form
    date = _BEFORE_TIME.split(form["pattern"], maxsplit=1)[0]
    return form | {"pattern": _DECIMALS_OF_DAYS.sub("{serial:0}", date), "unit": "day"}


def _describe_date(
    form: DateForm, example: str, alike: Sequence[str], suffix: str, order: DateOrder, year: int
) -> dict[str, Any] | None:
    matches = [match for match in map(form.pattern.fullmatch, map(fold_text, alike)) if match]
    template = example
    match = form.pattern.fullmatch(fold_text(template))
    for ending in ("flag", "zone_name"):  # not of the dates that follow
        if match and match.groupdict().get(ending):
            template = template[: match.start(ending)].rstrip()
            unmarked = match_form(template, (form, *FORMS))
            match = unmarked and unmarked[0].pattern.fullmatch(fold_text(template))
    if match is None or any(match.groupdict().get(name) for name in _UNWRITABLE):
        return None
    given = _given_parts(match)
    if given.keys() & {*_HALF_WORDS} and any(int(row["hour"]) == 0 for row in matches):
        return None  # hours from 0 to 11
    if match.groupdict().get("roman") and any(map(is_roman_month, alike)):
        return None
    if match.groupdict().get("with_t") and has_thirds(alike):
        return None
    if len(fold_text(template)) != len(template):
        return None  # folding changed the positions of letters
    pattern = ""
    parts = []
    start = 0
    for name in sorted(filter(match.group, match.groupdict()), key=match.start):
        if name in _UNWRITTEN:
            continue
        part, first, last = _part_at(match, name, order, year)
        width = _width(matches, _DAY_AND_MONTH if name in _DAY_AND_MONTH else (name,))
        written = "0" * len(match[name]) if name == "fraction" else f"{{{part}:{width}}}"
        pattern += template[start:first] + written
        start = last
        parts.append(part)
    extra: dict[str, Any] = {}
    if {"last_name", "last_month"} & {*parts}:
        extra["months"] = count_months(dict(_given_parts(match)))
    if {*_NAMES} & {*parts}:
        extra["names"] = month_names_like(_names_in(alike, form))
    if "half" in parts:
        extra["halves"] = _halves_like(template, match)
    return _describe_form(pattern + template[start:], parts, suffix, **extra)


def _given_parts(match: re.Match[str]) -> dict[str, str]:
    return {name: part for name, part in match.groupdict().items() if part}


def _halves_like(template: str, match: re.Match[str]) -> list[str]:
    """Return what the two halves of the day are called, in the case of a date's."""
    word = next((match[name] for name in _HALF_WORDS if match[name]), "")
    pair = next((pair for pair in HALVES if word in pair), ("a", "p"))
    start = next(match.start(name) for name in (*_HALF_WORDS, "half") if match[name])
    return [half.upper() if template[start].isupper() else half for half in pair]


def _part_at(match: re.Match[str], name: str, order: DateOrder, year: int) -> tuple[str, int, int]:
    """Return which part of a form a group of a match is, and where that begins and ends."""
    start, end = match.span(name)
    if name in _WEEKDAYS:
        return "weekday", *_span_of_weekday(match)
    if name == "day" and (ordinal := _ORDINAL.match(match.string, end)):
        return "ordinal", start, ordinal.end()
    if name in _NAMES and match.string[end : end + 1] == ".":
        end += 1  # the point belongs to the name
    part = "half" if name in _HALF_WORDS else _ORDERED[order].get(name, name)
    if name == "year" and int(match[name]) == year + BUDDHIST_YEARS:
        part = "buddhist"
    if name == "short" and has_short_buddhist_year(match.groupdict()):
        part = "short_buddhist"
    return part, start, end


def _describe_form(pattern: str, parts: Sequence[str], suffix: str, **extra: Any) -> dict[str, Any]:
    unit = next((unit for unit, of_unit in _UNITS if set(of_unit) & set(parts)), "year")
    return {"pattern": pattern, "unit": unit, "suffix": suffix, **extra}


def _width(matches: Sequence[re.Match[str]], names: Sequence[str]) -> int:
    """Return the minimum number of digits of these parts."""
    parts = [name for name in names if name in matches[-1].groupdict()]
    return min(len(match[name]) for match in matches for name in parts if match[name])


def _names_in(cells: Sequence[str], form: DateForm) -> dict[int, str]:
    """Return the months' names in cells, with the point of an abbreviation."""
    spellings = {}
    for cell in cells:
        match = form.pattern.fullmatch(fold_text(cell))
        if match and len(fold_text(cell)) == len(cell):
            for name in [name for name in _NAMES if name in match.groupdict()]:
                end = match.end(name) + (cell[match.end(name) :][:1] == ".")
                spellings[match[name]] = cell[match.start(name) : end]
    return {month or 0: spellings[name] for name, month in months_of(spellings).items()}


def _is_first(cell: str, form: DateForm) -> bool:
    match = form.pattern.fullmatch(fold_text(cell))
    if match is None or not match.groupdict().get("day"):
        return False
    return _FIRST.match(match.string, match.end("day")) is not None


def _span_of_weekday(match: re.Match[str]) -> tuple[int, int]:
    """Return where the name of a day of the week is in the text of a match."""
    name = next(name for name in _WEEKDAYS if match[name])
    letters = _LETTERS.search(match.string, *match.span(name))
    return letters.span() if letters else match.span(name)


def _weekdays_in(cells: Sequence[str], days: IntArray, form: DateForm) -> dict[int, str] | None:
    """Return the names of the days of the week in cells, 0 for Monday.

    None if they do not fit the dates.
    """
    seen: dict[int, str] = {}
    for cell, day in zip(cells, days.tolist(), strict=True):
        match = form.pattern.fullmatch(fold_text(cell))
        if match and any(match[name] for name in _WEEKDAYS) and len(match.string) == len(cell):
            start, end = _span_of_weekday(match)
            if seen.setdefault(day, cell[start:end]) != cell[start:end]:
                return None
    return seen if len({*seen.values()}) == len(seen) else None
