"""Number formats of workbooks: which are kept, and which cells have them."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from app.tables.numbers.number_parts import is_currency
from app.tables.numbers.parsing import FormattedNumber, StoredNumber
from app.tables.reading import Reading
from app.tables.table import Table
from app.tables.workbooks.format_syntax import (
    DIGITS,
    HIDDEN,
    MAX_FORMAT_LENGTH,
    QUOTED_TEXT,
    ShownSign,
    is_date_format,
    shown_sign,
)
from app.tables.workbooks.sheet_marks import CellMarks
from app.timeseries.types import BoolArray

MAX_FORMATS = 200  # of a workbook; more are not kept
# ECMA-376, 18.8.30: those that a workbook does not define, by their ids.
_BUILT_IN = {
    "1": "0", "2": "0.00", "3": "#,##0", "4": "#,##0.00", "9": "0%", "10": "0.00%",
    "14": "m/d/yyyy", "15": "d-mmm-yy", "16": "d-mmm", "17": "mmm-yy", "22": "m/d/yy h:mm",
    "37": "#,##0 ;(#,##0)", "38": "#,##0 ;[Red](#,##0)",
    "39": "#,##0.00;(#,##0.00)", "40": "#,##0.00;[Red](#,##0.00)",
}  # fmt: skip
# Quotes and brackets are closed, and there are no control characters: Excel rejects other formats.
_WELL_FORMED = re.compile(
    r'(?:[^"\\_*\[\]\x00-\x1f]|"[^"\x00-\x1f]*"|[\\_*][^\x00-\x1f]|\[[^\[\]"\x00-\x1f]*\])+'
)
_CURRENCY_IN_BRACKETS = re.compile(r"\[\$([^\]-]{0,10})[^\]]{0,20}\]")


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
    indices = rows[is_changed], columns[is_changed]
    cells = table.cells.to_numpy(copy=True)
    before = cells[indices]
    cells[indices] = [
        _negate_cell(cell, keeps_negative=sign == ShownSign.MINUS)
        for cell, sign in zip(before.tolist(), signs[is_changed].tolist(), strict=True)
    ]
    _report_signs(table, indices[0][np.asarray(cells[indices] != before)], is_credit, reading)
    return table.with_cells(cells)


def _report_signs(table: Table, rows: np.ndarray, is_credit: BoolArray, reading: Reading) -> None:
    numbers = table.cells.index[np.unique(rows)].tolist()
    if numbers:
        mark = "Cr, beside others with Dr" if is_credit.any() else "a minus or brackets"
        changed = "1 row is" if len(numbers) == 1 else f"{len(numbers):,} rows are"
        text = f"Numbers in {changed} negative: only their format shows {mark}."
        reading.add_remark("sign_of_format", text, numbers)


def _negate_cell(cell: str, *, keeps_negative: bool) -> str:
    if not isinstance(cell, StoredNumber) or not float(cell):
        return cell
    if cell.startswith("-"):
        return cell if keeps_negative else StoredNumber(cell[1:])
    return StoredNumber(f"-{cell}")


class FormattedDate(str):
    """The cell of a date, with the format in which its workbook shows it."""

    __slots__ = ("number_format",)
    number_format: str


class FormatList:
    """The formats of a workbook that are kept; ``positions`` among them by their ids."""

    def __init__(self) -> None:
        self.codes = [*_BUILT_IN.values()]
        self.positions = {id_: position for position, id_ in enumerate(_BUILT_IN)}

    def add(self, id_: str, code: str) -> None:
        """Add a format, if it is safe and there is room."""
        if len(self.codes) < MAX_FORMATS and _is_kept(code):
            self.positions[id_] = len(self.codes)
            self.codes.append(code)


def apply_formats(table: Table, formats: CellMarks, codes: Sequence[str]) -> Table:
    """Return the table of a sheet whose numbers and dates have their formats."""
    indices, positions = formats.in_table(table)
    if not positions.size:
        return table
    of_cells = np.array(codes, dtype=object)[positions]
    are_dates = {code: is_date_format(code) for code in codes}
    cells = table.cells.to_numpy(copy=True)
    cells[indices] = [
        _formatted_cell(cell, code, is_date=are_dates[code])
        for cell, code in zip(cells[indices].tolist(), of_cells.tolist(), strict=True)
    ]
    return table.with_cells(cells)


def _is_kept(code: str) -> bool:
    """Return whether a format is safe, and of dates or numbers.

    A format that shows a sign is not kept: the numbers are read with that sign.
    """
    if len(code) > MAX_FORMAT_LENGTH or not _WELL_FORMED.fullmatch(code) or shown_sign(code):
        return False
    return is_date_format(code) or DIGITS.search(code) is not None


def _formatted_cell(cell: str, number_format: str, *, is_date: bool) -> str:
    if isinstance(cell, StoredNumber) == is_date or not cell:
        return cell
    formatted = FormattedDate(cell) if is_date else FormattedNumber(cell)
    formatted.number_format = number_format
    return formatted


def common_format(cells: Iterable[str]) -> str:
    """Return the most common format of cells, "" without one."""
    formats = Counter(filter(None, map(_format_of, cells)))
    return formats.most_common(1)[0][0] if formats else ""


def currency_of(number_format: str) -> tuple[str, str]:
    """Return the currency that a format shows before and after positive numbers, "" for none."""
    section = _CURRENCY_IN_BRACKETS.sub(r"\1", number_format.partition(";")[0])
    plain = QUOTED_TEXT.sub(lambda match: match[1] or match[2] or "", HIDDEN.sub("", section))
    digits = DIGITS.search(plain)
    if digits is None:
        return "", ""
    before, after = plain[: digits.start()], plain[digits.end() :]
    return before if is_currency(before) else "", after if is_currency(after) else ""


def formats_by_name(cells: Sequence[str], names: np.ndarray) -> dict[str, str]:
    """Return the last format of the cells of each name; empty if all cells have the same.

    A row of visitors may be above one of percentages.
    """
    formats = [*map(_format_of, cells)]
    if len({*formats}) <= 1:
        return {}
    frame = pd.DataFrame({"name": names, "format": formats}, dtype=object)
    last = frame[frame["format"] != ""].drop_duplicates("name", keep="last")
    return dict(zip(last["name"], last["format"], strict=True))


def _format_of(cell: str) -> str:
    return cell.number_format if isinstance(cell, (FormattedNumber, FormattedDate)) else ""
