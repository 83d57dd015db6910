"""Take units off the cells of a column, and turn durations into hours."""

from dataclasses import dataclass

import pandas as pd

from app.tables.durations import hours_of, is_duration, is_spelled
from app.tables.heading import Heading
from app.tables.numbers import StoredNumber, is_missing, is_numeric, is_plain, strip_unit
from app.tables.results import Choice, Reading, cut_name
from app.tables.samples import SAMPLE_CELLS, is_mostly
from app.tables.table import shorten
from app.tables.units import count_units, signs_of, split_word, unit_in

_HOURS = "h"
_MAX_UNITS_OFFERED = 10
_MAX_NOTE_SHARE, _MIN_NOTE_LETTERS = 0.05, 4
_MIN_DURATIONS = 0.9  # of the cells, if most have a single unit
_DIGITS = 10  # digits of a fraction of an hour


@dataclass(frozen=True)
class PlainColumn:
    """A column of numbers without their units.

    Attributes:
        cells: "" where another unit than the chosen one was.
        unit: The unit that was taken off; "" for plain numbers, and for units that
            ``read_numbers`` knows.
        is_of_several: Whether the column has several units, and one is chosen.
    """

    cells: pd.Series
    unit: str
    is_of_several: bool


def plain_column(heading: Heading, column: int, reading: Reading) -> PlainColumn:
    """Return the cells of a column without units; ask which unit is wanted if there are several."""
    cells = heading.body[column]
    filled = [cell for cell in cells.unique() if not is_missing(cell)]
    if all(map(is_plain, filled)):
        return PlainColumn(cells, "", False)
    # Durations below a minute are written as numbers with a unit: 45 s.
    sample = filled[:: max(1, len(filled) // SAMPLE_CELLS)]
    is_of_hours = any(map(is_spelled, sample)) and is_mostly(sample, is_duration, _MIN_DURATIONS)
    known = set() if is_of_hours else {cell for cell in filled if is_numeric(cell)}
    if is_of_hours or (2 * len(known) <= len(filled) and is_mostly(filled, is_duration)):
        hours = {cell: _hours(cell) for cell in cells.unique()}
        return PlainColumn(cells.map(hours), _HOURS, False)
    words = {cell: split_word(cell) for cell in filled if cell not in known}
    numbers = {
        cell: number for cell, (number, unit) in words.items() if unit and is_numeric(number)
    }
    numbers = _without_notes(numbers, words, known)
    if 2 * (len(known) + len(numbers)) <= len(filled):
        return PlainColumn(cells, "", False)
    units = count_units(
        [*(cell for cell in filled if cell in known and not is_plain(cell)), *numbers]
    )
    units.pop("", None)
    if reading.answers.unit is None and (signs := signs_of(units)) is not None:
        return PlainColumn(_signed(heading, column, signs, words, reading), "", False)
    unit = units.most_common(1)[0][0] if units else ""
    wanted = reading.answers.unit
    is_of_several = len(units) > 1 and min(units.values()) > 0
    if is_of_several:
        offered = [name for name, _ in units.most_common(_MAX_UNITS_OFFERED)]
        _ask_unit(heading, column, offered, reading)
    if is_of_several and wanted is not None and wanted in units:
        unit = wanted
        cells = _only_with_unit(heading, column, {*known, *numbers}, wanted, reading)
    if not numbers:
        return PlainColumn(cells, "", is_of_several)
    cells = cells.map(lambda cell: numbers.get(cell, cell))
    is_taken_off = unit in {written for _, written in words.values()}
    return PlainColumn(cells, unit if is_taken_off else "", is_of_several)


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
    if len(numbers) > _MAX_NOTE_SHARE * sum(map(is_plain, known)):
        return numbers
    return {
        cell: number for cell, number in numbers.items() if len(words[cell][1]) < _MIN_NOTE_LETTERS
    }


def _only_with_unit(
    heading: Heading, column: int, numbers: set[str], unit: str, reading: Reading
) -> pd.Series:
    """Return a column with "" for numbers in another unit, and report how many these are."""
    cells = heading.body[column]
    is_other = cells.isin({cell for cell in numbers if unit_in(cell) not in (unit, "")})
    rows = cells.index[is_other].tolist()
    if rows:
        where = shorten(heading.names[column])
        text = f"Left out in “{where}”: {len(rows):,} values in another unit."
        reading.add_remark("other_unit", text, rows)
    return cells.where(~is_other, "")


def _hours(cell: str) -> str:
    hours = hours_of(cell)
    return cell if hours is None else StoredNumber(round(hours, _DIGITS))


def _ask_unit(heading: Heading, column: int, units: list[str], reading: Reading) -> None:
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
        required=reading.answers.unit not in units,
    )
