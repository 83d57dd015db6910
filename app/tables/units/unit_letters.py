"""Find the units in a column, and what letters mean by its other cells: M is m among metres."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import pandas as pd

from app.tables.answers import DecimalMark
from app.tables.dated_values import ValueColumn
from app.tables.dates.cells import is_date, is_yearless
from app.tables.dates.month_names import fold_text
from app.tables.messages import quote
from app.tables.numbers.parsing import (
    abbreviation_of,
    is_numeric,
    is_plain,
    scale,
    strip_unit,
    unit_of,
    value_of,
    without_missing,
)
from app.tables.reading import Reading, cut_name
from app.tables.units.unit_multiples import UnitMultiple, multiple_of

_MAX_WRONG_CASES = 2  # of one column: three cells in MW among mW are intended
# 97 MW among 92 and 95 mW is in the wrong case; a number three times as large or more is not.
_MAX_SIZE_RATIO = 3.0
# Abbreviations that have another meaning: metres, millimetres, bytes, and thousands in Turkish.
_AMBIGUOUS_ABBREVIATIONS = {"m", "mm", "b", "md"}
# Words, without accents, for what is measured in metres or minutes: there, m is not a million.
_NAMES_WITH_M = re.compile(
    r"depth|height|distanc|length|\blevel|altitude|elevation|\btide|gauge|\bwave|swim"
    r"|tiefe|hohe\b|strecke|distanz|pegel|wasserstand|hauteur|profond|altura|nivel del?\b|niveau"
    r"|durat|dauer|duree|elapsed|\bminut|latenc|run ?time|uptime|downtime"
)
_THOUSAND = 1000
_CPU_NAMES = re.compile(r"cpu|millicore|\bpods?\b", re.IGNORECASE)
_MAX_PLAIN_CPUS = 500  # of a machine
_MIN_PLAIN_NUMBERS = 3
_MAX_UNIT_LENGTH = 20
_MAX_UNITS = 5  # of a column: more words are descriptions such as 3 large boxes
_MIN_CELLS = 3
_MIN_UNIT_FRACTION = 0.9  # of the filled cells, the others may say why a number is missing
_DIGITS = frozenset("0123456789")
_AFTER_DIGITS = ("- ", ") ")  # a minus or a bracket, before a unit
_SIGNS = ({"dr", "cr"}, {"db", "cr"}, {"d", "c"}, {"s", "h"})  # S and H are of German books
_MINUS_SIGNS = {"CR", "DR", "DB"}  # where more numbers have none; Cr may be crore
_SAME_UNITS = {"eur": "€", "usd": "$", "us$": "$", "gbp": "£", "jpy": "¥", "fr": "chf"}


def resolve_units(cells: Collection[str], name: str) -> tuple[dict[str, str], list[str]]:
    """Return the units of numbers by the most common one, or by the name of their column.

    The unit of a number is "" for none. The second result has those whose letters are in the wrong
    case.

    Letters that abbreviate a factor are a unit among others of its kind: 800m and 1.3km, and
    900 B and 1.2 kB. So are letters in the wrong case: 5 KWH, and 97 M among 92 m and 95 m.
    """
    units = {cell: unit_in(cell) for cell in cells}
    counts = Counter(filter(None, units.values()))
    if not counts and not _NAMES_WITH_M.search(fold_text(cut_name(name))):
        return units, []
    common = counts.most_common(1)[0][0] if counts else "m"
    letters = {
        cell: written
        for cell, unit in units.items()
        if unit != common and (written := unit or abbreviation_of(cell))
    }
    resolved = {written: _resolve_letters(written, common) for written in {*letters.values()}}
    units |= {cell: unit for cell, written in letters.items() if (unit := resolved[written])}
    units |= dict.fromkeys(_find_wrong_cases(units, common), common)
    wrong_cases = [
        cell
        for cell in letters
        if units[cell] == common and _has_other_meaning(cell, letters[cell], common)
    ]
    return units, wrong_cases


def scale_abbreviations(cells: Collection[str], name: str, *, has_sums: bool) -> dict[str, str]:
    """Return cells with their letters in numbers: M where others are MM, a Turkish B, or milli.

    ``has_sums``: whether the name of the column says sums, such as sales.
    """
    letters = {cell: abbreviation_of(cell) for cell in cells}
    abbreviations = {*letters.values()}
    if "m" in abbreviations <= {"", "m"} and _are_thousandths(letters, name, has_sums=has_sums):
        return {cell: scale(cell, Fraction(1, 10**9)) for cell in cells if letters[cell]}
    if {"M", "MM"} <= abbreviations:
        return {cell: scale(cell, Fraction(1, 10**3)) for cell in cells if letters[cell] == "M"}
    plain = [_number_in(cell) for cell in cells if not letters[cell]]
    is_turkish = "B" in abbreviations <= {"", "B", "Mn"} and len(plain) >= _MIN_PLAIN_NUMBERS
    if is_turkish and max(map(abs, plain)) < _THOUSAND:
        return {cell: scale(cell, Fraction(1, 10**6)) for cell in cells if letters[cell] == "B"}
    return {}


def _are_thousandths(letters: Mapping[str, str], name: str, *, has_sums: bool) -> bool:
    """Return whether m is milli, as Kubernetes writes shares of a CPU: 250m, 1, 1500m.

    That is so in a column of CPUs, and beside plain numbers as small as of CPUs, except sums.
    Among numbers of the size of the others, a letter was forgotten.
    """
    numbers = [strip_unit(cell) for cell in letters if letters[cell]]
    if not all(map(str.isdecimal, numbers)):
        return False
    plain = [_number_in(cell) for cell in letters if not letters[cell]]
    most_plain = max(plain, default=0)
    sizes = sorted(map(int, numbers))
    is_small = 0 < most_plain < _MAX_PLAIN_CPUS
    is_likely = sizes[-1] > _THOUSAND or (sizes[0] > 2 * most_plain and not has_sums)
    return bool(_CPU_NAMES.search(name)) or (is_small and is_likely)


def report_abbreviations(column: ValueColumn, cells: pd.Series, reading: Reading) -> None:
    """Say how abbreviations that may be units are read; ``cells`` are those of the column."""
    examples: dict[str, str] = {}
    for cell in cells.unique():
        letters = "" if is_plain(cell) else abbreviation_of(cell)
        if letters.casefold() in _AMBIGUOUS_ABBREVIATIONS:
            examples.setdefault(letters, cell)
    values = {cell: column.values[int((cells == cell).argmax())] for cell in examples.values()}
    readings = [
        f"{quote(cell)} is read as {value:,.15g}"
        for cell, value in values.items()
        if abs(value) not in (0, abs(_number_in(cell)))
    ]
    if readings:
        readings_text = " and ".join(readings)
        reading.add_remark("abbreviation", f"In {quote(column.name)}, {readings_text}.")


def _resolve_letters(letters: str, common: str) -> str | None:
    """Return the unit that letters mean among cells of a common one, None if that is unclear."""
    common_multiple = multiple_of(common)

    def is_of_kind(size: UnitMultiple | None) -> bool:
        return (
            size is not None and common_multiple is not None and size.base == common_multiple.base
        )

    if letters.casefold() == common.casefold():
        size = multiple_of(letters)
        return letters if is_of_kind(size) and size != common_multiple else common
    variants = (letters, letters.lower(), letters.upper())
    return next((variant for variant in variants if is_of_kind(multiple_of(variant))), None)


def _find_wrong_cases(units: Mapping[str, str], common: str) -> list[str]:
    """Return cells such as 97 MW whose numbers have the size of the others, which are in mW."""
    others = ((cell, unit) for cell, unit in units.items() if unit != common)
    odd = [cell for cell, unit in others if unit.casefold() == common.casefold()]
    if not 0 < len(odd) <= _MAX_WRONG_CASES:
        return []
    sizes = [
        abs(value) for cell, unit in units.items() if unit == common and (value := _number_in(cell))
    ]
    if not sizes or max(sizes) >= _THOUSAND * min(sizes):
        return []
    low, high = min(sizes) / _MAX_SIZE_RATIO, max(sizes) * _MAX_SIZE_RATIO
    return [cell for cell in odd if low <= abs(_number_in(cell)) <= high]


def _has_other_meaning(cell: str, letters: str, unit: str) -> bool:
    """Return whether the letters of a cell, in another case than its unit, mean something else."""
    is_same = letters == unit or letters.casefold() != unit.casefold()
    return not is_same and (
        abbreviation_of(cell) != "" or multiple_of(letters) != multiple_of(unit)
    )


def _number_in(cell: str) -> float:
    number = strip_unit(cell)
    return next(filter(None, (value_of(number, mark) for mark in DecimalMark)), 0.0)


def split_word(cell: str) -> tuple[str, str]:
    """Split a cell such as ``12 Flaschen`` or ``12- ST`` after its number; "" without a unit."""
    if len(cell) > _MAX_UNIT_LENGTH * 2:
        return cell, ""
    end = next((i for i in range(len(cell), 0, -1) if cell[i - 1] in _DIGITS), 0)
    if end and cell[end : end + 2] in _AFTER_DIGITS:
        end += 1
    unit = cell[end:].strip()
    is_unit = 0 < len(unit) <= _MAX_UNIT_LENGTH and unit[0].isalpha() and unit.count(" ") < 2
    return (cell[:end], unit) if is_unit and end else (cell, "")


@lru_cache(maxsize=65_536)
def unit_in(cell: str) -> str:
    """Return the unit of a cell: one of a kind for `€` and `EUR`, `Stk` and `Stk.`."""
    return plain_unit(unit_of(cell) or ("" if is_numeric(cell) else split_word(cell)[1]))


def plain_unit(unit: str) -> str:
    unit = unit.strip().rstrip(".")
    return _SAME_UNITS.get(unit.lower(), unit)


def signs_of(units: Counter[str]) -> tuple[str, str] | None:
    """Return the units that are signs of an account, the positive one first; None for others.

    A bank's credit (C) is positive; of debits and credits in books, the more frequent one.
    """
    names = {unit.lower(): unit for unit in units}
    if len(names) != 2 or not any(names.keys() == signs for signs in _SIGNS):
        return None
    if any(len(unit) == 1 and unit.islower() for unit in units):  # such as 30 s and 2 h
        return None
    if "c" in names:
        return names["c"], names["d"]
    first, second = sorted(names.values(), key=lambda unit: -units[unit])
    return first, second


def minus_of(units: Counter[str]) -> str:
    """Return the only unit if it says minus, such as CR after fewer than half of the numbers.

    Else return "". ``units`` counts the numbers with each unit; "" is for none.
    """
    names = [*filter(None, units)]
    is_sign = len(names) == 1 and names[0] in _MINUS_SIGNS
    return names[0] if is_sign and units[names[0]] < units[""] else ""


def have_units(cells: Sequence[str]) -> bool:
    """Return whether cells are numbers with a few units, known or not."""
    filled = without_missing(cells)
    if len(filled) < _MIN_CELLS or 2 * len(filled) < len(cells):
        return False
    if is_date(filled[0]) or is_yearless(filled[0]):
        return False
    fitting = [cell for cell in filled if is_numeric(cell) or _has_word(cell)]
    units = {unit_in(cell) for cell in fitting}
    return len(fitting) >= _MIN_UNIT_FRACTION * len(filled) and len(units) <= _MAX_UNITS


def _has_word(cell: str) -> bool:
    number, unit = split_word(cell)
    return bool(unit) and is_numeric(number)
