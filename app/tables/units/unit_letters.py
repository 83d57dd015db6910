"""Decide what letters after numbers mean, by the other cells of a column: M is m among metres."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from fractions import Fraction

import pandas as pd

from app.tables.answers import DecimalMark
from app.tables.dated_values import ValueColumn
from app.tables.dates.month_names import fold_text
from app.tables.messages import quote
from app.tables.numbers.parsing import abbreviation_of, is_plain, scale, strip_unit, value_of
from app.tables.reading import Reading, cut_name
from app.tables.units.cell_units import unit_in
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
    """Return the number in a cell without its unit, with the mark that makes it one."""
    number = strip_unit(cell)
    return next(filter(None, (value_of(number, mark) for mark in DecimalMark)), 0.0)
