"""Take units off the cells of a column, and turn durations into hours."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from app.tables.durations import hours_of, is_duration, is_spelled
from app.tables.heading import Heading
from app.tables.numbers import (
    StoredNumber,
    is_missing,
    is_numeric,
    is_plain,
    strip_unit,
    value_of,
)
from app.tables.results import Choice, DecimalMark, Reading, WrongAnswerError, cut_name
from app.tables.samples import SAMPLE_CELLS, is_mostly
from app.tables.table import shorten
from app.tables.unit_multiples import Conversion, find_conversion
from app.tables.units import group_by_unit, plain_unit, signs_of, split_word, unit_in

_OF_BYTES = re.compile(r"\d ?[kKMGT]i?[Bb]$", re.ASCII)
_BYTES = re.compile(r"(?<=\d) ?([Bb])$", re.ASCII)
_HOURS = "h"
_MAX_UNITS_OFFERED = 10
_MAX_NOTE_FRACTION, _MIN_NOTE_LETTERS = 0.05, 4
_MIN_DURATIONS = 0.9  # of the cells, if most have a single unit
_DIGITS = 10  # digits of a fraction of an hour


@dataclass(frozen=True)
class PlainColumn:
    """A column of numbers without their units.

    Attributes:
        cells: "" where another unit than the chosen one was.
        unit: The unit that was taken off; "" for plain numbers, and for units that
            ``read_numbers`` knows.
        units: Those of its numbers, and how many distinct ones have each.
        is_mixed: Whether it has several units, and none is chosen.
    """

    cells: pd.Series
    unit: str = ""
    units: Mapping[str, int] = field(default_factory=dict)
    is_mixed: bool = False


def plain_columns(
    heading: Heading, columns: Sequence[int], reading: Reading
) -> dict[int, PlainColumn]:
    """Return columns without their units; leave out those that have several, none as answered.

    Raises:
        WrongAnswerError: The unit that was answered is in no column.
    """
    heading = _spell_bytes(heading, columns)
    plain = {column: _plain_column(heading, column, reading) for column in columns}
    several = [column for column in plain if len(plain[column].units) > 1]
    wanted = reading.answers.unit and plain_unit(reading.answers.unit)
    if several:
        likely = (
            column
            for column in several
            if (plain[column].is_mixed if wanted is None else wanted in plain[column].units)
        )
        column = next(likely, several[0])
        _ask_unit(heading, column, plain[column], reading)
    if wanted is None:
        return plain
    offered = {unit: None for column in several for unit in plain[column].units}
    if not offered:
        raise WrongAnswerError("unit", "no column has several units; leave it out")
    if wanted not in offered:
        shown = ", ".join(map(shorten, [*offered][:_MAX_UNITS_OFFERED]))
        raise WrongAnswerError("unit", f"no column has values in this unit; send one of: {shown}")
    for column in [column for column in plain if plain[column].is_mixed]:
        shown = ", ".join(map(shorten, plain[column].units))
        name = shorten(heading.names[column])
        text = f"Not read: “{name}” has values in {shown}; name only it in `columns`."
        reading.add_remark("column_not_read", text)
        del plain[column]
    return plain


def _spell_bytes(heading: Heading, columns: Sequence[int]) -> Heading:
    """Return a heading with 900 byte for 900 B beside 1.2 kB, which else are billions."""
    body = heading.body
    for column in columns:
        distinct = body[column].unique()
        if any(map(_OF_BYTES.search, distinct)):
            spelled = {cell: _BYTES.sub(_spelled, cell) for cell in distinct}
            body = body.copy()
            body[column] = body[column].map(spelled)
    return replace(heading, body=body)


def _spelled(match: re.Match[str]) -> str:
    return " byte" if match[1] == "B" else " bit"


def _plain_column(heading: Heading, column: int, reading: Reading) -> PlainColumn:
    """Return the cells of a column without units, all in one if that is known."""
    cells = heading.body[column]
    filled = [cell for cell in cells.unique() if not is_missing(cell)]
    if all(map(is_plain, filled)):
        return PlainColumn(cells)
    # Durations below a minute are written as numbers with a unit: 45 s.
    sample = filled[:: max(1, len(filled) // SAMPLE_CELLS)]
    is_of_hours = any(map(is_spelled, sample)) and is_mostly(sample, is_duration, _MIN_DURATIONS)
    known = set() if is_of_hours else {cell for cell in filled if is_numeric(cell)}
    if is_of_hours or (2 * len(known) <= len(filled) and is_mostly(filled, is_duration)):
        hours = {cell: _hours(cell) for cell in cells.unique()}
        return PlainColumn(cells.map(hours), _HOURS)
    words = {cell: split_word(cell) for cell in filled if cell not in known}
    numbers = {
        cell: number for cell, (number, unit) in words.items() if unit and is_numeric(number)
    }
    numbers = _without_notes(numbers, words, known)
    if 2 * (len(known) + len(numbers)) <= len(filled):
        return PlainColumn(cells)
    texts = {**{cell: cell for cell in filled if cell in known}, **numbers}
    by_unit = group_by_unit(texts)
    units = Counter({unit: len(same) for unit, same in by_unit.items() if unit})
    if reading.answers.unit is None and (signs := signs_of(units)) is not None:
        return PlainColumn(_signed(heading, column, signs, words, reading))
    unit = units.most_common(1)[0][0] if units else ""
    wanted = reading.answers.unit and plain_unit(reading.answers.unit)
    conversion = find_conversion(by_unit, wanted)
    is_mixed = len(units) > 1 and conversion is None and wanted not in units
    if conversion is not None:
        unit = conversion.unit
        cells = _converted(heading, column, texts, conversion, reading)
    elif wanted and len(units) > 1 and wanted in units:
        unit = wanted
        cells = _only_with_unit(heading, column, {*texts}, {wanted, ""}, reading)
    if not numbers:
        return PlainColumn(cells, "", units, is_mixed)
    cells = cells.map(lambda cell: numbers.get(cell, cell))
    is_taken_off = unit in {written for _, written in words.values()}
    return PlainColumn(cells, unit if is_taken_off else "", units, is_mixed)


def _signed(
    heading: Heading,
    column: int,
    signs: tuple[str, str],
    words: dict[str, tuple[str, str]],
    reading: Reading,
) -> pd.Series:
    """Return a column of debits and credits as numbers, those of the second sign below zero."""
    positive, negative = signs
    name = shorten(heading.names[column])
    text = f"In “{name}”, {positive} is read as positive and {negative} as negative."
    reading.add_remark("debit_and_credit", text)

    def signed(cell: str) -> str:
        if is_plain(cell):
            return cell
        number = words[cell][0] if cell in words else strip_unit(cell)
        number = number.strip()
        if unit_in(cell).lower() != negative.lower():
            return number
        return number[1:] if number.startswith("-") else f"-{number}"

    cells = heading.body[column]
    written = {cell: cell if is_missing(cell) else signed(cell) for cell in cells.unique()}
    return cells.map(written)


def _without_notes(
    numbers: dict[str, str], words: dict[str, tuple[str, str]], known: set[str]
) -> dict[str, str]:
    """Return the numbers with units, without those of a word among many plain numbers.

    ``0.25 Dividend`` is a note.
    """
    if len(numbers) > _MAX_NOTE_FRACTION * sum(map(is_plain, known)):
        return numbers
    return {
        cell: number for cell, number in numbers.items() if len(words[cell][1]) < _MIN_NOTE_LETTERS
    }


def _converted(
    heading: Heading,
    column: int,
    numbers: Mapping[str, str],
    conversion: Conversion,
    reading: Reading,
) -> pd.Series:
    """Return a column with all numbers in one unit; "" for those that may be in any, but zeros."""
    zeros = {cell for cell in numbers if value_of(cell, DecimalMark.POINT) == 0}
    cells = _only_with_unit(heading, column, {*numbers} - zeros, {*conversion.factors}, reading)
    units = {cell: unit_in(cell) for cell in numbers if cell not in zeros}
    changed = {cell for cell, unit in units.items() if conversion.factors.get(unit, 1) != 1}
    rows = cells.index[cells.isin(changed)].tolist()
    text = f"In “{shorten(heading.names[column])}”, values are converted: {conversion}."
    reading.add_remark("converted_units", text, rows)
    scaled = {cell: conversion.converted(numbers[cell], units[cell]) for cell in changed}
    return cells.map(lambda cell: scaled.get(cell, cell))


def _only_with_unit(
    heading: Heading, column: int, numbers: set[str], units: set[str], reading: Reading
) -> pd.Series:
    """Return a column with "" for numbers in another unit, and report how many these are."""
    cells = heading.body[column]
    is_other = cells.isin({cell for cell in numbers if unit_in(cell) not in units})
    rows = cells.index[is_other].tolist()
    if rows:
        where = shorten(heading.names[column])
        text = f"Left out in “{where}”: {len(rows):,} values in another unit."
        reading.add_remark("other_unit", text, rows)
    return cells.where(~is_other, "")


def _hours(cell: str) -> str:
    hours = hours_of(cell)
    return cell if hours is None else StoredNumber(round(hours, _DIGITS))


def _ask_unit(heading: Heading, column: int, plain: PlainColumn, reading: Reading) -> None:
    units = sorted(plain.units, key=lambda unit: -plain.units[unit])[:_MAX_UNITS_OFFERED]
    cells = heading.body[column]
    choices = []
    for unit in units:
        fitting = [cell for cell in cells if unit_in(cell) == unit]
        choices.append(
            Choice(
                cut_name(unit),
                f"those in {unit}",
                f"{len(fitting):,} values, such as {shorten(fitting[0])}",
            )
        )
    name = shorten(heading.names[column])
    shown = ", ".join(map(shorten, units))
    reading.chosen.unit = reading.answers.unit
    reading.ask(
        "unit",
        f"“{name}” has values in {len(units)} units: {shown}. Which are wanted?",
        choices,
        required=plain.is_mixed and reading.answers.unit is None,
    )
