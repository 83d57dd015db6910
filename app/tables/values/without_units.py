"""Take units off the cells of a column, and turn durations into hours."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pandas as pd

from app.tables.answers import DecimalMark, Summary
from app.tables.errors import WrongAnswerError
from app.tables.header.heading import Heading
from app.tables.messages import quote, shorten
from app.tables.numbers.durations import (
    are_minutes_and_seconds,
    has_several_units,
    is_duration,
    parse_hours,
)
from app.tables.numbers.parsing import (
    StoredNumber,
    is_missing,
    is_numeric,
    is_plain,
    scale,
    strip_unit,
    value_of,
)
from app.tables.reading import Choice, Reading, Suggestion, cut_name
from app.tables.table import SAMPLE_CELLS, is_mostly
from app.tables.units.unit_letters import (
    minus_of,
    plain_unit,
    resolve_units,
    scale_abbreviations,
    signs_of,
    split_word,
    unit_in,
)
from app.tables.units.unit_multiples import Conversion, find_conversion
from app.tables.values.summary import summary_by_name
from app.timeseries.words import count_of

_HOUR_UNIT = "h"
_MAX_UNITS_OFFERED = 10
# Words of this many letters after a few of many numbers are notes, not units.
_MIN_NOTE_LETTERS = 4
_MAX_NOTED_FRACTION = 0.05
# Cells with a single unit, such as 45 s, are durations if this fraction of the column is.
_MIN_DURATION_FRACTION = 0.9
_HOUR_DECIMALS = 10


@dataclass(frozen=True)
class PlainColumn:
    """A column of numbers without their units.

    Attributes:
        cells: "" where another unit than the chosen one was.
        unit: The unit that was taken off; "" for plain numbers, and for units that
            ``read_numbers`` knows.
        units: Those of its numbers, and the cells that have each.
        is_mixed: Whether it has several units, and none is chosen.
    """

    cells: pd.Series
    unit: str = ""
    units: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_mixed: bool = False


def plain_columns(
    heading: Heading, columns: Sequence[int], numeric: Collection[int], reading: Reading
) -> dict[int, PlainColumn]:
    """Return columns without their units; leave out columns that lack the answered unit.

    ``numeric``: all columns of numbers. Raise WrongAnswerError if no column has that unit.
    """
    signs = _account_signs(heading, {*columns, *numeric}) if reading.answers.unit is None else None
    plain = {column: _plain_column(heading, column, signs, reading) for column in columns}
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
        choices = ", ".join(map(shorten, [*offered][:_MAX_UNITS_OFFERED]))
        raise WrongAnswerError("unit", f"no column has values in this unit; send one of: {choices}")
    for column in [column for column in plain if plain[column].is_mixed]:
        units_text = ", ".join(map(shorten, plain[column].units))
        name = heading.names[column]
        text = f"Not read: “{shorten(name)}” has values in {units_text}."
        suggestion = Suggestion("columns", name, "To read it, name only it in `columns`.")
        reading.add_remark("column_not_read", text, suggestion=suggestion)
        del plain[column]
    return plain


def _account_signs(heading: Heading, columns: Collection[int]) -> tuple[str, str] | None:
    """Return the units that are signs of an account, alike in all columns; None without any."""
    counts = Counter[str]()
    for column in columns:
        cells = heading.body[column].unique()
        units = Counter(unit_in(cell) for cell in cells if not (is_plain(cell) or is_missing(cell)))
        if signs_of(units):
            counts += units
    return signs_of(counts)


def _plain_column(
    heading: Heading, column: int, signs: tuple[str, str] | None, reading: Reading
) -> PlainColumn:
    """Return the cells of a column without units, all in one if that is known."""
    name, cells = heading.names[column], heading.body[column]
    filled = [cell for cell in cells.unique() if not is_missing(cell)]
    if all(map(is_plain, filled)):
        return PlainColumn(cells)
    # Durations below a minute are written as numbers with a unit: 45 s.
    sample = filled[:: max(1, len(filled) // SAMPLE_CELLS)]
    has_parts = any(map(has_several_units, sample))
    is_of_hours = has_parts and is_mostly(sample, is_duration, _MIN_DURATION_FRACTION)
    plain_cells = set() if is_of_hours else {cell for cell in filled if is_numeric(cell)}
    if is_of_hours or (2 * len(plain_cells) <= len(filled) and is_mostly(filled, is_duration)):
        return _in_hours(name, cells, filled, reading)
    words = {cell: split_word(cell) for cell in filled if cell not in plain_cells}
    bare = {cell: number for cell, (number, unit) in words.items() if unit and is_numeric(number)}
    bare = _without_notes(bare, words, plain_cells)
    if 2 * (len(plain_cells) + len(bare)) <= len(filled):
        return PlainColumn(cells)
    numbers = {**{cell: cell for cell in filled if cell in plain_cells}, **bare}
    units = Counter(map(unit_in, numbers))
    own_signs = signs if signs_of(units) else None
    if reading.answers.unit is None and (minus := minus_of(units)):
        own_signs = "", minus
    if own_signs:
        return PlainColumn(_with_signs(name, cells, bare, own_signs, reading))
    return _NumbersWithUnits(name, cells, numbers, reading).plain_column()


def _in_hours(name: str, cells: pd.Series, filled: Sequence[str], reading: Reading) -> PlainColumn:
    """Return a column of durations as numbers; ``filled``: its distinct cells."""
    has_minutes = are_minutes_and_seconds(filled)
    hours = {cell: parse_hours(cell, has_minutes_and_seconds=has_minutes) for cell in filled}
    hours_by_cell = {cell: number for cell, number in hours.items() if number is not None}
    short = [cell for cell in hours_by_cell if cell.count(":") == 1] if has_minutes else []
    examples = dict.fromkeys([next(iter(hours_by_cell)), *short[:1]])
    examples_read = " and ".join(f"{quote(cell)} is {hours_by_cell[cell]:.4g}" for cell in examples)
    text = f"In {quote(name)}, durations are read as hours: {examples_read}."
    reading.add_remark("durations", text)
    numbers = {
        cell: StoredNumber(round(number, _HOUR_DECIMALS)) for cell, number in hours_by_cell.items()
    }
    return PlainColumn(_replace_cells(cells, numbers), _HOUR_UNIT)


def _with_signs(
    name: str, cells: pd.Series, bare: Mapping[str, str], signs: tuple[str, str], reading: Reading
) -> pd.Series:
    """Return a column of debits and credits as numbers; the second sign makes them negative."""
    positive, negative = signs
    reading_text = f"{positive} is read as positive and {negative} as negative"
    text = reading_text if positive else f"{negative} is read as minus"
    reading.add_remark("debit_and_credit", f"In {quote(name)}, {text}.")
    signed = {}
    for cell in cells.unique():
        if is_plain(cell) or is_missing(cell):
            continue
        number = bare.get(cell, strip_unit(cell)).strip()
        if unit_in(cell).lower() == negative.lower():
            number = number[1:] if number.startswith("-") else f"-{number}"
        signed[cell] = number
    return _replace_cells(cells, signed)


def _without_notes(
    numbers: dict[str, str], words: dict[str, tuple[str, str]], plain_cells: set[str]
) -> dict[str, str]:
    """Return the numbers with units; a word after a few of many plain numbers is a note.

    ``0.25 Dividend`` is a note.
    """
    if len(numbers) > _MAX_NOTED_FRACTION * sum(map(is_plain, plain_cells)):
        return numbers
    return {
        cell: number for cell, number in numbers.items() if len(words[cell][1]) < _MIN_NOTE_LETTERS
    }


class _NumbersWithUnits:
    """A column in which some cells have units.

    Args:
        cells: The cells of the column, shape (n,).
        numbers: Its distinct numbers, without units that ``read_numbers`` does not know.
    """

    def __init__(
        self, name: str, cells: pd.Series, numbers: Mapping[str, str], reading: Reading
    ) -> None:
        self._name, self._cells, self._reading = name, cells, reading
        self._units, wrong_cases = resolve_units(numbers, name)
        has_sums = summary_by_name(name, "") is Summary.TOTAL
        plain = [cell for cell, unit in self._units.items() if not unit]
        resolved = {cell for cell, unit in self._units.items() if unit != unit_in(cell)}
        self._numbers = {
            cell: strip_unit(number) if cell in resolved else number
            for cell, number in numbers.items()
        } | scale_abbreviations(plain, name, has_sums=has_sums)
        for cell in wrong_cases:
            number = f"{self._numbers[cell]} {self._units[cell]}"
            text = (
                f"In {quote(name)}, {quote(cell)} is read as {number}, like the others; check it."
            )
            reading.add_remark("unlikely_value", text, self._rows_of([cell]))

    def plain_column(self) -> PlainColumn:
        """Return the column without units, all in one if that is known."""
        units: dict[str, list[str]] = {}
        for cell, unit in self._units.items():
            units.setdefault(unit, []).append(cell)
        by_unit = {unit: [self._numbers[cell] for cell in cells] for unit, cells in units.items()}
        units.pop("", None)
        unit = max(units, key=lambda name: len(units[name]), default="")
        wanted = self._reading.answers.unit and plain_unit(self._reading.answers.unit)
        conversion = find_conversion(by_unit, wanted)
        is_mixed = len(units) > 1 and conversion is None and wanted not in units
        cells, numbers = self._cells, self._numbers
        if conversion is not None:
            unit = conversion.unit
            cells, numbers = self._convert(conversion)
        elif wanted and len(units) > 1 and wanted in units:
            unit = wanted
            cells = self._only_with({wanted, ""})
        changed = {cell: number for cell, number in numbers.items() if cell != number}
        is_taken_off = any(self._units[cell] == unit for cell in changed)
        plain = _replace_cells(cells, changed)
        return PlainColumn(plain, unit if is_taken_off else "", units, is_mixed)

    def _convert(self, conversion: Conversion) -> tuple[pd.Series, dict[str, str]]:
        """Return the column and its numbers, all in one unit.

        Numbers that may be in any unit are left out, except for zeros.
        """
        zeros = {cell for cell in self._units if value_of(cell, DecimalMark.POINT) == 0}
        factors = {
            cell: conversion.factors.get(unit, Fraction(1)) for cell, unit in self._units.items()
        }
        changed = [cell for cell in factors if factors[cell] != 1 and cell not in zeros]
        if changed:
            text = f"In {quote(self._name)}, values are converted: {conversion}."
            self._reading.add_remark("converted_units", text, self._rows_of(changed))
        scaled = {cell: scale(self._numbers[cell], factors[cell]) for cell in changed}
        return self._only_with({*conversion.factors}, zeros), {**self._numbers, **scaled}

    def _only_with(self, units: Collection[str], zeros: Collection[str] = ()) -> pd.Series:
        """Return the column with "" for numbers in another unit, and report how many these are."""
        others = [cell for cell, unit in self._units.items() if unit not in units]
        is_other = self._cells.isin([cell for cell in others if cell not in zeros])
        rows = self._cells.index[is_other].tolist()
        if rows:
            left_out = count_of(len(rows), "value")
            text = f"Left out in {quote(self._name)}: {left_out} in another unit."
            self._reading.add_remark("other_unit", text, rows)
        return self._cells.where(~is_other, "")

    def _rows_of(self, cells: Collection[str]) -> list[int]:
        return self._cells.index[self._cells.isin(cells)].tolist()


def _replace_cells(cells: pd.Series, changed: Mapping[str, str]) -> pd.Series:
    return cells.map(lambda cell: changed.get(cell, cell))


def _ask_unit(heading: Heading, column: int, plain: PlainColumn, reading: Reading) -> None:
    units = sorted(plain.units, key=lambda unit: -len(plain.units[unit]))[:_MAX_UNITS_OFFERED]
    cells = heading.body[column]
    choices = []
    for unit in units:
        unit_cells = plain.units[unit]
        example = (
            f"{count_of(cells.isin(unit_cells).sum(), 'value')}, such as {shorten(unit_cells[0])}"
        )
        choices.append(Choice(cut_name(unit), f"those in {unit}", example))
    name = shorten(heading.names[column])
    units_text = ", ".join(map(shorten, units))
    reading.chosen.unit = reading.answers.unit
    reading.ask(
        "unit",
        f"“{name}” has values in {len(units)} units: {units_text}. Which are wanted?",
        choices,
        required=plain.is_mixed and reading.answers.unit is None,
    )
