"""Units that are written in the cells of a column."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from app.tables.dates.cells import is_date, is_yearless
from app.tables.numbers.parsing import is_numeric, unit_of, without_missing

_MAX_UNIT_LENGTH = 20
_MAX_UNITS = 5  # of a column: more words are descriptions such as 3 large boxes
_MIN_CELLS = 3
_MIN_UNIT_FRACTION = 0.9  # of the filled cells, the others may say why a number is missing
_DIGITS = frozenset("0123456789")
_AFTER_DIGITS = ("- ", ") ")  # a minus or a bracket, before a unit
_SIGNS = ({"dr", "cr"}, {"db", "cr"}, {"d", "c"}, {"s", "h"})  # S and H are of German books
_MINUS_SIGNS = {"CR", "DR", "DB"}  # where more numbers have none; Cr may be crore
_SAME_UNITS = {"eur": "€", "usd": "$", "us$": "$", "gbp": "£", "jpy": "¥", "fr": "chf"}


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
