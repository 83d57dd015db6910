"""Check bounds on an OpenDocument spreadsheet (.ods) in streaming mode, before it is parsed.

A cell, a row or a space can say how often it is repeated: a tag can stand for a billion cells.
"""

from collections.abc import Iterator

from app.tables.table import MAX_CELLS, MAX_COLUMNS, check_size, check_total_size
from app.tables.workbooks.bounded_xml import MAX_CELL_LENGTH, MAX_TEXT_LENGTH, BoundedXml
from app.tables.workbooks.sheet_marks import SheetMarks

# How the names of attributes begin that may give a cell a value.
_OF_VALUES = ("office:", "table:formula", "calcext:")
_TYPES = ("office:value-type", "calcext:value-type")
_HIDDEN = ("collapse", "filter")
_MAX_DIGITS = 8
_REMEDY = "save it as .xlsx or CSV, and send that file"


def check_spreadsheet(chunks: Iterator[bytes], sheets: dict[str, SheetMarks]) -> Iterator[bytes]:
    """Yield the chunks of ``content.xml``, each after it was checked.

    Adds what each sheet hides to ``sheets``. Raise UnreadableTableError if it is not XML or exceeds
    a bound.
    """
    return _Checker(sheets).check(chunks)


class _Checker(BoundedXml):
    """Counts the cells as calamine expands them: all of a row but empty ones at its end."""

    def __init__(self, sheets: dict[str, SheetMarks]) -> None:
        super().__init__("the spreadsheet", _REMEDY)
        self._sheets = sheets
        self._marks = SheetMarks()
        self.parser.CharacterDataHandler = self._add_text
        self.starts = {
            "table:table-cell": self._start_cell,
            "table:covered-table-cell": self._start_cell,
            "table:table-row": self._start_row,
            "table:table-column": self._start_columns,
            "table:table": self._start_table,
            "text:s": self._add_spaces,
        }
        self.ends = {
            "table:table-cell": self._end_cell,
            "table:covered-table-cell": self._end_cell,
            "table:table-row": self._end_row,
            "table:table": self._end_table,
        }
        self._total_cells = self._expanded = self._total_text = 0
        self._row = self._last_row = self._last_column = 0
        self._row_repeats = self._column = self._pending = 0
        self._column_count = 0  # of the descriptions of columns
        self._is_row_hidden = False
        self._has_value = False
        self._cell_text = 0

    def _start_table(self, attributes: dict[str, str]) -> None:
        self._row = self._last_row = self._last_column = self._column_count = 0
        name = attributes.get("table:name", "")
        self._marks = self._sheets.setdefault(name, SheetMarks())

    def _start_columns(self, attributes: dict[str, str]) -> None:
        first = self._column_count + 1
        self._column_count += self._number(attributes.get("table:number-columns-repeated"))
        if attributes.get("table:visibility") in _HIDDEN:
            last = min(self._column_count, MAX_COLUMNS)
            self._marks.hidden_columns.extend(range(first, last + 1))

    def _end_table(self) -> None:
        self._marks.hidden_columns = [*filter(self._last_column.__ge__, self._marks.hidden_columns)]
        check_size(self._last_row, self._last_column)
        self._total_cells += self._last_row * self._last_column
        check_total_size(self._total_cells)

    def _start_row(self, attributes: dict[str, str]) -> None:
        self._row_repeats = self._number(attributes.get("table:number-rows-repeated"))
        self._is_row_hidden = attributes.get("table:visibility") in _HIDDEN
        self._column = self._pending = 0

    def _end_row(self) -> None:
        self._row += self._row_repeats

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._expand()
        self._pending = self._number(attributes.get("table:number-columns-repeated"))
        values = {name: text for name, text in attributes.items() if name.startswith(_OF_VALUES)}
        self._has_value = bool(values)
        self._cell_text = 0
        self._add_length(sum(len(values[name]) for name in values if name not in _TYPES))

    def _expand(self) -> None:
        """Count the previous cell of the row, which another follows or which has a value."""
        self._column += self._pending
        self._expanded += self._pending
        self._pending = 0
        if self._column > MAX_COLUMNS or self._expanded > MAX_CELLS:
            raise self.rejection(f"more than {MAX_COLUMNS:,} columns, or {MAX_CELLS:,} cells", True)

    def _end_cell(self) -> None:
        if not (self._has_value or self._cell_text):
            return
        cells = self._pending * self._row_repeats
        self._expand()
        self._last_column = max(self._last_column, self._column)
        self._last_row = self._row + self._row_repeats
        check_size(self._last_row, self._last_column)
        if self._is_row_hidden and self._marks.hidden_rows[-1:] != [self._last_row]:
            self._marks.hidden_rows.extend(range(self._row + 1, self._last_row + 1))
        self._total_text += self._cell_text * cells
        if self._total_text > MAX_TEXT_LENGTH:
            raise self.rejection(f"more than {MAX_TEXT_LENGTH:,} characters", is_too_large=True)

    def _add_text(self, text: str) -> None:
        self._add_length(len(text))

    def _add_spaces(self, attributes: dict[str, str]) -> None:
        self._add_length(self._number(attributes.get("text:c")))

    def _add_length(self, count: int) -> None:
        self._cell_text += count
        if self._cell_text > MAX_CELL_LENGTH:
            raise self.rejection(f"a cell of more than {MAX_CELL_LENGTH:,} characters")

    def _number(self, digits: str | None) -> int:
        if digits is None:
            return 1
        if not digits.isascii() or not digits.isdigit() or len(digits) > _MAX_DIGITS:
            raise self.rejection("a repetition that is not a number")
        return int(digits)
