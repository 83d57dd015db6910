"""Parse the numbers in cells: decimal marks, thousands, missing values."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import filterfalse

import numpy as np
import pandas as pd

from app.tables.answers import DecimalMark
from app.tables.numbers.number_parts import (
    MAX_KEPT_CELLS,
    MAX_NUMBER_LENGTH,
    PLAIN,
    NumberParts,
    can_begin_number,
    number_parts,
)
from app.tables.table import SAMPLE_CELLS
from app.timeseries.types import MAX_MAGNITUDE, FloatArray

_MAX_MISSING_LENGTH = 10
_MAX_EXACT_INTEGER = 1e15
MIN_UNIT_FRACTION = 0.1  # of the cells of a column; a unit in fewer may be a typing error
_MISSING = re.compile(
    r"(?:n\.?/?a\.?|n\.?d\.?|k\.?a\.?|nan|null|nil|none|void|missing|\\n"
    r"|#(?:n/?a|ref|div/0|value|name|num|null|wert|bezug)[!?]?"
    r"|[-–—?.…*]{1,3})?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def _grouped_pattern(mark: DecimalMark) -> re.Pattern[str]:
    """Match thousands in groups of three, or as in India, of two before the last three digits."""
    sign = re.escape(mark.character)
    return re.compile(
        rf"[+-]?(?:[1-9]\d{{0,2}}(?:{sign}\d{{3}})+|[1-9]\d?(?:{sign}\d{{2}})+{sign}\d{{3}})",
        re.ASCII,
    )


GROUPED = {mark: _grouped_pattern(mark) for mark in DecimalMark}
_GROUPING = {
    mark: re.compile(
        rf"\d([\{mark.other.character}'’ʼ´`\u0020\u00a0\u2009\u202f])\d{{3}}(?!\d)", re.ASCII
    )
    for mark in DecimalMark
}


class StoredNumber(str):
    """The cell of a number that is stored as one, as in workbooks: it is never ambiguous."""

    __slots__ = ()


def stored_number(value: float) -> StoredNumber:
    """Return the cell of a number; a whole one has no point."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _MAX_EXACT_INTEGER
    return StoredNumber(int(value) if is_whole else value)


class FormattedNumber(StoredNumber):
    """A stored number with the format in which its workbook shows it."""

    __slots__ = ("number_format",)
    number_format: str


@dataclass(frozen=True)
class NumberForm:
    """The notation of numbers.

    It is the decimal mark, the digits after it, the unit around them, the mark between thousands
    ("" if none is seen), and the format of a workbook's numbers.
    """

    decimal: DecimalMark
    decimals: int
    before: str
    after: str
    grouping: str
    number_format: str = ""


def is_numeric(cell: str) -> bool:
    """Return whether a cell is a number with either decimal mark."""
    return len(cell) <= MAX_NUMBER_LENGTH and _is_cached_numeric(cell)


@lru_cache(maxsize=MAX_KEPT_CELLS, typed=True)
def _is_cached_numeric(cell: str) -> bool:
    return can_begin_number(cell) and any(value_of(cell, mark) is not None for mark in DecimalMark)


def is_missing(cell: str) -> bool:
    """Return whether a cell marks a missing value."""
    return len(cell) <= _MAX_MISSING_LENGTH and _MISSING.fullmatch(cell) is not None


def without_missing(cells: Iterable[str]) -> list[str]:
    return [cell for cell in cells if not is_missing(cell)]


def value_of(cell: str, mark: DecimalMark) -> float | None:
    """Return the value of a cell with the decimal mark ``mark``; None if it is not a number."""
    if len(cell) > MAX_NUMBER_LENGTH:
        return None  # do not cache it
    if cell.isdecimal() and cell.isascii():
        return float(cell)
    if isinstance(cell, StoredNumber):
        value = float(cell)
        return value if abs(value) <= MAX_MAGNITUDE else None
    return _cached_value(cell, mark)


@lru_cache(maxsize=MAX_KEPT_CELLS)
def _cached_value(cell: str, mark: DecimalMark) -> float | None:
    return _value_of_cell(number_parts(cell), mark)


def scale(cell: str, factor: Fraction) -> str:
    """Return a number without its unit, as a cell that is read as its value times ``factor``."""
    clean = number_parts(cell)
    return f"{clean.number}⋅{factor * Fraction(clean.factor)}"


def strip_unit(cell: str) -> str:
    return number_parts(cell).number


def is_plain(cell: str) -> bool:
    """Return whether a cell has only digits, a sign and marks, or is a stored number."""
    return isinstance(cell, StoredNumber) or PLAIN.fullmatch(cell) is not None


def abbreviation_of(cell: str) -> str:
    """Return the letters after a number that multiply it, such as k and Mio, "" if none do."""
    return number_parts(cell).abbreviation


def unit_of(cell: str) -> str:
    """Return the unit of a number, "" if it has none that is known."""
    clean = number_parts(cell)
    return clean.after.strip() or clean.before.strip()


def read_numbers(cells: pd.Series, mark: DecimalMark) -> FloatArray:
    """Parse a column; NaN where a cell is not a number."""
    codes, distinct = pd.factorize(cells)
    values = [value_of(cell, mark) for cell in distinct]
    numbers: FloatArray = np.array([math.nan if value is None else value for value in values])
    return numbers[codes]


def read_likely_numbers(cells: pd.Series) -> FloatArray:
    """Parse a column with the decimal mark that makes most of its cells numbers."""
    numbers = (read_numbers(cells, mark) for mark in DecimalMark)
    return max(numbers, key=lambda values: int(np.isfinite(values).sum()))


def number_form(cells: Sequence[str], mark: DecimalMark) -> NumberForm:
    """Return the notation that the last numbers in cells show."""
    units = [
        cell
        for cell in map(number_parts, filterfalse(PLAIN.fullmatch, cells))
        if cell.number and (cell.before or cell.after)
    ]
    # A currency may be next to only the first number; a letter after a single one is a typo.
    is_typo = not any(cell.before for cell in units) and len(units) < MIN_UNIT_FRACTION * len(cells)
    with_unit = units[0] if units and not is_typo else None
    decimals = [_decimals_of(number_parts(cell), mark) for cell in cells[-SAMPLE_CELLS:]]
    before, after = (with_unit.before, with_unit.after) if with_unit else ("", "")
    grouped = next(filter(None, map(_GROUPING[mark].search, cells[-SAMPLE_CELLS:])), None)
    grouping = grouped[1] if grouped else ""
    return NumberForm(mark, max([0, *decimals]), before, after, grouping)


def _decimals_of(cell: NumberParts, mark: DecimalMark) -> int:
    value = _value_of_cell(cell, mark)
    if value is None:
        return 0
    digits = cell.number.partition(mark.character)[2]
    if "e" in cell.number.lower():
        plain = format(float(cell.number.replace(mark.character, ".")), ".15f")
        digits = plain.rstrip("0").partition(".")[2]
    return len(digits) - round(math.log10(cell.factor))


def _value_of_cell(cell: NumberParts, mark: DecimalMark) -> float | None:
    whole, *rest = cell.number.split(mark.character)
    group = mark.other.character
    if len(rest) > 1 or (rest and group in rest[0]):
        return None
    if group in whole:
        if not GROUPED[mark.other].fullmatch(whole):
            return None
        whole = whole.replace(group, "")
    plain = ".".join([whole, *rest])
    if not _NUMBER.fullmatch(plain):
        return None
    value = float(plain) * cell.factor
    if not abs(value) <= MAX_MAGNITUDE:
        return None
    return value if cell.factor == 1 else float(f"{value:.15g}")
