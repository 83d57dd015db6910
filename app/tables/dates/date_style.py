"""Describe how a table writes its dates, so that forecast dates can be written alike."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.tables.answers import DateOrder
from app.tables.dates.cells import match_form
from app.tables.dates.clocks import HALVES
from app.tables.dates.forms import (
    COUNTED_FORM,
    FISCAL_FORMS,
    FORMS,
    LAST_MONTH_GROUPS,
    NAME_GROUPS,
    SERIAL_FORM,
    DateForm,
)
from app.tables.dates.month_names import fold_text, month_names_like, months_of, weekday_names_like
from app.tables.dates.notation import has_thirds, is_roman_month
from app.tables.dates.part_values import BUDDHIST_OFFSET, count_months, has_short_buddhist_year
from app.tables.dates.rows import RowDates
from app.tables.notation import DateStyle
from app.timeseries.calendar.weekdays import weekdays_of
from app.timeseries.types import IntArray

_MAX_SAMPLE_CELLS = 400
# Either both have leading zeros, or neither.
_DAY_AND_MONTH = ("day", "month", "one", "two")
_ORDERED = {
    DateOrder.DAY: {"one": "day", "two": "month", "three": "short"},
    DateOrder.MONTH: {"one": "month", "two": "day", "three": "short"},
    DateOrder.YEAR: {"one": "short", "two": "month", "three": "day"},
}
# The parts of forms that imply a unit, the shortest first.
_UNITS = (
    ("second", ("second", "epoch")),
    ("minute", ("minute",)),
    ("hour", ("hour",)),
    ("day", ("day", "ordinal", "nth")),
    ("week", ("week",)),
    ("month", ("month", "name")),
    ("quarter", ("quarter", "quarter_sign", "roman", "last_name")),
    ("half", ("term",)),
)
# Parts that cannot be written for other dates.
_UNWRITABLE = {"era", "roc", "roman_term", "half_one", "half_two", "end_day"}
_WEEKDAYS = ("weekday", "weekday_after")
_LETTERS = re.compile(r"[^\W\d_]+")  # in the text after a date, such as (Mon)
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th)\b")  # after a day
_FIRST_DAY_SUFFIX = re.compile(r"er\b")  # after the first day, and no other
# These are written as the example has them, or not at all.
_UNWRITTEN = ("mark", "zone", "with_t", "code", "point", "gap")
_HALF_WORDS = ("half_before", "half_word")
_UNITS_OF_TIME = ("second", "minute", "hour")
_BEFORE_TIME = re.compile(r"(?:[T, ]{0,8}|,? [^\W\d_]{1,4}\.? )\{(?:half|hour):")
_DECIMALS_OF_DAYS = re.compile(r"\{serial:\d{1,3}\}")


def find_date_style(rows: RowDates) -> DateStyle | None:
    """Return the style of the last date; None if other dates cannot be written like it."""
    usable = np.flatnonzero(~rows.is_coarse).tolist()  # not 2024 among months
    dated = ((i, form) for i in reversed(usable) if (form := rows.forms[i]))
    position, form = next(dated, (0, None))
    if form is None or form is COUNTED_FORM or (form in FISCAL_FORMS and rows.months_later is None):
        return None  # counted periods and days within months have no form of the calendar
    cells = rows.cells.tolist()
    if form is SERIAL_FORM:
        return _style_of_serials(cells[position])
    sample = [i for i in usable if rows.forms[i] is form][-_MAX_SAMPLE_CELLS:]
    same_form = [" ".join(cells[i].split()) for i in sample]
    year = 1970 + int(rows.times[position].astype("datetime64[Y]").astype(int))
    style = _style_of_dates(form, same_form, rows.suffixes[position], rows.order, year)
    if style and rows.months_later:
        return replace(style, months_later=rows.months_later)
    if style is None or "{weekday" not in style.pattern:
        return style
    names = _weekdays_in(same_form, weekdays_of(rows.times[sample]), form)
    return replace(style, weekdays=weekday_names_like(names)) if names else None


def style_of_days(style: DateStyle | None, suffix: str, *, had_days: bool) -> DateStyle:
    """Return the style for series of days or longer steps.

    It has no time of day, unless the table ``had_days`` with one, and is ISO 8601 where ``style``
    cannot write them.
    """
    if style is None or style.suffix != suffix:
        return DateStyle("{year:4}-{month:2}-{day:2}", "day", suffix)
    if had_days or style.unit not in _UNITS_OF_TIME:
        return style
    date = _BEFORE_TIME.split(style.pattern, maxsplit=1)[0]
    return replace(style, pattern=_DECIMALS_OF_DAYS.sub("{serial:0}", date), unit="day")


def _style_of_serials(cell: str) -> DateStyle:
    mark = "," if "," in cell else "."
    decimals = len(cell.partition(mark)[2])
    return DateStyle(f"{{serial:{decimals}}}", "second", "", mark=mark)


def _style_of_dates(
    form: DateForm, cells: Sequence[str], suffix: str, order: DateOrder, year: int
) -> DateStyle | None:
    """Return the style of cells that all have one form; ``year`` is that of the last."""
    example = next((cell for cell in reversed(cells) if not _is_first(cell, form)), cells[-1])
    template, match = _without_ending(example, form)
    matches = [match for match in map(form.pattern.fullmatch, map(fold_text, cells)) if match]
    if match is None or not _is_writable(match, template, cells, matches):
        return None
    pattern, start = "", 0
    parts: set[str] = set()
    for group in sorted(filter(match.group, match.groupdict()), key=match.start):
        if group in _UNWRITTEN:
            continue
        part, first, last = _part_at(match, group, order, year)
        width = _digit_count(matches, _DAY_AND_MONTH if group in _DAY_AND_MONTH else (group,))
        is_fraction = group in ("fraction", "decimals")
        written = "0" * len(match[group]) if is_fraction else f"{{{part}:{width}}}"
        pattern += template[start:first] + written
        start = last
        parts.add(part)
    return DateStyle(
        pattern + template[start:],
        next((unit for unit, parts_of_unit in _UNITS if parts.intersection(parts_of_unit)), "year"),
        suffix,
        names=month_names_like(_names_in(cells, form)) if parts & NAME_GROUPS else None,
        halves=_halves_like(template, match) if "half" in parts else None,
        months=count_months(_given_parts(match)) if parts & LAST_MONTH_GROUPS else None,
    )


def _without_ending(cell: str, form: DateForm) -> tuple[str, re.Match[str] | None]:
    """Return a date without its end, flag and name of a zone, and its match in a form."""
    match = form.pattern.fullmatch(fold_text(cell))
    for ending in ("until", "last_day", "flag", "zone_name"):  # not of the dates that follow
        if match and match.groupdict().get(ending):
            cell = cell[: match.start(ending)].rstrip()
            unmarked = match_form(cell, (form,)) or match_form(cell, FORMS)
            match = unmarked and unmarked[0].pattern.fullmatch(fold_text(cell))
    return cell, match


def _is_writable(
    match: re.Match[str], template: str, cells: Sequence[str], matches: Sequence[re.Match[str]]
) -> bool:
    """Return whether other dates can be written like the ``template``, with this match."""
    parts = _given_parts(match)
    return not (
        parts.keys() & _UNWRITABLE
        or (parts.keys() & {*_HALF_WORDS} and any(int(row["hour"]) == 0 for row in matches))
        or ("roman" in parts and any(map(is_roman_month, cells)))
        or ("with_t" in parts and has_thirds(cells))
        or len(fold_text(template)) != len(template)  # folding changed the positions of letters
    )


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
    if name == "day" and (ordinal := _ORDINAL_SUFFIX.match(match.string, end)):
        return "ordinal", start, ordinal.end()
    if name in NAME_GROUPS and match.string[end : end + 1] == ".":
        end += 1  # the point belongs to the name
    part = "half" if name in _HALF_WORDS else _ORDERED[order].get(name, name)
    if name == "year" and int(match[name]) == year + BUDDHIST_OFFSET:
        part = "buddhist"
    if name == "short" and has_short_buddhist_year(match.groupdict()):
        part = "short_buddhist"
    return part, start, end


def _digit_count(matches: Sequence[re.Match[str]], names: Sequence[str]) -> int:
    parts = [name for name in names if name in matches[-1].groupdict()]
    return min(len(match[name]) for match in matches for name in parts if match[name])


def _names_in(cells: Sequence[str], form: DateForm) -> dict[int, str]:
    spellings = {}
    for cell in cells:
        match = form.pattern.fullmatch(fold_text(cell))
        if match and len(fold_text(cell)) == len(cell):
            for name in [name for name in NAME_GROUPS if name in match.groupdict()]:
                end = match.end(name) + (cell[match.end(name) :][:1] == ".")
                spellings[match[name]] = cell[match.start(name) : end]
    return {month or 0: spellings[name] for name, month in months_of(spellings).items()}


def _is_first(cell: str, form: DateForm) -> bool:
    match = form.pattern.fullmatch(fold_text(cell))
    if match is None or not match.groupdict().get("day"):
        return False
    return _FIRST_DAY_SUFFIX.match(match.string, match.end("day")) is not None


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


def _span_of_weekday(match: re.Match[str]) -> tuple[int, int]:
    name = next(name for name in _WEEKDAYS if match[name])
    letters = _LETTERS.search(match.string, *match.span(name))
    return letters.span() if letters else match.span(name)
