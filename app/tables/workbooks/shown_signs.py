"""Give numbers of a workbook the signs that only their formats show."""

import re
from enum import IntEnum

import numpy as np

from app.tables.numbers.parsing import StoredNumber
from app.tables.results import Reading
from app.tables.table import Table
from app.tables.workbooks.format_syntax import (
    DATE_CODE,
    DEBIT_OR_CREDIT,
    DIGITS,
    MAX_FORMAT_LENGTH,
    MINUS,
    format_sections,
)
from app.tables.workbooks.sheet_marks import CellMarks
from app.timeseries.types import BoolArray

_CONDITION = re.compile(r"\[[<>=]")


class ShownSign(IntEnum):
    """What a number format shows besides the digits of a positive number."""

    MINUS = 1
    REVERSED = 2  # a minus, and none with a negative number
    DEBIT = 3
    CREDIT = 4


def shown_sign(number_format: str) -> ShownSign | None:
    """Return the sign that a format shows with a positive number, None without one."""
    if len(number_format) > MAX_FORMAT_LENGTH or _CONDITION.search(number_format):
        return None
    positive, *others = format_sections(number_format)
    side = DEBIT_OR_CREDIT.search(positive)
    if side:
        return ShownSign.DEBIT if side[1].lower() == "dr" else ShownSign.CREDIT
    if not _shows_minus(positive):
        return None
    is_reversed = bool(others) and not _shows_minus(others[0])
    return ShownSign.REVERSED if is_reversed else ShownSign.MINUS


def _shows_minus(section: str) -> bool:
    digits = DIGITS.search(section)
    if digits is None or DATE_CODE.search(section):
        return False
    before, after = section[: digits.start()], section[digits.end() :]
    has_minus = any(mark in before or after.startswith(mark) for mark in MINUS)
    return has_minus or ("(" in before and ")" in after)


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
    _report_signs(table, at[0][np.asarray(cells[at] != before)], is_credit, reading)
    return table.with_cells(cells)


def _report_signs(table: Table, rows: np.ndarray, is_credit: BoolArray, reading: Reading) -> None:
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
