"""Apply the signs of a workbook's numbers that only their number formats show."""

import re
from enum import IntEnum

import numpy as np

from app.tables.numbers import StoredNumber
from app.tables.results import Reading
from app.tables.sheet_marks import CellMarks
from app.tables.table import Table
from app.timeseries.types import BoolArray

MAX_FORMAT_LENGTH = 255  # as in Excel
# What shows nothing of its own: colors and locales in brackets, spaces as wide as a letter, fills.
_HIDDEN = re.compile(r"\[[^\]]{0,60}\]|[_*].", re.DOTALL)
_CONDITION = re.compile(r"\[[<>=]")
_TEXT = re.compile(r'"([^"]*)"|\\(.)', re.DOTALL)
_DATE = re.compile("[ymdhs]", re.IGNORECASE)
_DIGITS = re.compile("[0#?](?:.*[0#?])?", re.DOTALL)
_SIDE = re.compile(r"\b(dr|cr)\b", re.IGNORECASE)
_MINUS = "-−–"


class ShownSign(IntEnum):
    """What a number format shows beside the digits of a positive number."""

    MINUS = 1
    REVERSED = 2  # a minus, and none beside a negative number
    DEBIT = 3
    CREDIT = 4


def shown_sign(number_format: str) -> ShownSign | None:
    """Return the sign that a format shows beside a positive number, None without one."""
    if len(number_format) > MAX_FORMAT_LENGTH or _CONDITION.search(number_format):
        return None
    positive, *others = _sections(number_format)
    side = _SIDE.search(positive)
    if side:
        return ShownSign.DEBIT if side[1].lower() == "dr" else ShownSign.CREDIT
    if not _shows_minus(positive):
        return None
    is_reversed = bool(others) and not _shows_minus(others[0])
    return ShownSign.REVERSED if is_reversed else ShownSign.MINUS


def is_date_format(number_format: str) -> bool:
    """Return whether a format shows dates or times."""
    return _DATE.search(_sections(number_format)[0]) is not None


def apply_shown_signs(table: Table, shown: CellMarks, reading: Reading) -> Table:
    """Return the table of a sheet with the signs that its formats show; report them.

    A credit is negative in a column that also has debits.
    """
    (rows, columns), signs = shown.in_table(table)
    if not signs.size:
        return table
    with_debits = np.unique(columns[signs == ShownSign.DEBIT])
    is_credit = (signs == ShownSign.CREDIT) & np.isin(columns, with_debits)
    is_changed = is_credit | np.isin(signs, (ShownSign.MINUS, ShownSign.REVERSED))
    at = rows[is_changed], columns[is_changed]
    cells = table.cells.to_numpy(copy=True)
    before = cells[at]
    cells[at] = [
        _negate(cell, keeps_negative=sign == ShownSign.MINUS)
        for cell, sign in zip(before.tolist(), signs[is_changed].tolist(), strict=True)
    ]
    _report(table, at[0][np.asarray(cells[at] != before)], is_credit, reading)
    return table.with_cells(cells)


def _report(table: Table, rows: np.ndarray, is_credit: BoolArray, reading: Reading) -> None:
    numbers = table.cells.index[np.unique(rows)].tolist()
    if numbers:
        what = "Cr, beside others with Dr" if is_credit.any() else "a minus or brackets"
        changed = "1 row is" if len(numbers) == 1 else f"{len(numbers):,} rows are"
        text = f"Numbers in {changed} negative: only their format shows {what}."
        reading.add_remark("sign_of_format", text, numbers)


def _negate(cell: str, *, keeps_negative: bool) -> str:
    if not isinstance(cell, StoredNumber) or not float(cell):
        return cell
    if cell.startswith("-"):
        return cell if keeps_negative else StoredNumber(cell[1:])
    return StoredNumber(f"-{cell}")


def _sections(number_format: str) -> list[str]:
    """Return the parts of a format for positive, negative and other numbers.

    A point replaces each quoted text that has no sign: its letters and digits are not those of the
    format.
    """
    plain = _HIDDEN.sub("", number_format)
    return _TEXT.sub(_text_of, plain).split(";")


def _text_of(match: re.Match[str]) -> str:
    text = match[1] if match[1] is not None else match[2]
    return text if _SIDE.fullmatch(text.strip(" .")) or text.strip() in (*_MINUS, "(", ")") else "."


def _shows_minus(section: str) -> bool:
    digits = _DIGITS.search(section)
    if digits is None or _DATE.search(section):
        return False
    before, after = section[: digits.start()], section[digits.end() :]
    has_minus = any(mark in before or after.startswith(mark) for mark in _MINUS)
    return has_minus or ("(" in before and ")" in after)
