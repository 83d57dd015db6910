"""Check bounds on an OpenDocument spreadsheet (.ods) in streaming mode, before it is parsed.

A cell, a row or a space can say how often it is repeated: a tag can stand for a billion cells.
"""

from collections.abc import Iterator
from xml.parsers import expat

from app.tables.results import NotATableError
from app.tables.table import MAX_CELLS, MAX_COLUMNS, check_size, check_total_size
from app.tables.workbook_xml import (
    MAX_ATTRIBUTES,
    MAX_BYTES_WITHOUT_TAG,
    MAX_CELL_LENGTH,
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_NAMES,
    MAX_TEXT_LENGTH,
)

_CELLS = ("table:table-cell", "table:covered-table-cell")
_OF_VALUES = ("office:", "table:formula", "calcext:")
"""How the names of attributes begin that may give a cell a value."""
_TYPES = ("office:value-type", "calcext:value-type")
_MAX_DIGITS = 8
_SEND = "save it as .xlsx or CSV, and send that file"


def check_spreadsheet(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the chunks of ``content.xml``, each after it was checked.

    Raises:
        NotATableError: It is not XML, or exceeds a bound.
    """
    checker = _Checker()
    try:
        for chunk in chunks:
            checker.parse(chunk)
            yield chunk
        checker.parse(b"", is_last=True)
    except expat.ExpatError as error:
        raise NotATableError(f"the spreadsheet is broken ({error}): {_SEND}") from error


class _Checker:
    """Counts the cells as calamine expands them: all of a row but empty ones at its end."""

    def __init__(self) -> None:
        # Calamine reads UTF-8, whatever the file declares. So must this parser.
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._add_text
        self._parser.StartDoctypeDeclHandler = self._reject_doctype
        self._elements = self._depth = self._bytes_without_tag = 0
        self._total_cells = self._expanded = self._total_text = 0
        self._row = self._last_row = self._last_column = 0
        self._row_repeats = self._column = self._pending = 0
        self._has_value = False
        self._cell_text = 0

    def parse(self, chunk: bytes, is_last: bool = False) -> None:
        if b"\x00" in chunk:
            raise self._refusal("null bytes, as in UTF-16")
        before = self._elements
        self._parser.Parse(chunk, is_last)
        if self._elements > MAX_ELEMENTS:
            raise self._refusal(f"more than {MAX_ELEMENTS:,} elements of XML", is_too_large=True)
        self._bytes_without_tag = 0 if self._elements > before else self._bytes_without_tag
        self._bytes_without_tag += len(chunk)
        if self._bytes_without_tag > MAX_BYTES_WITHOUT_TAG:
            raise self._refusal(f"more than {MAX_BYTES_WITHOUT_TAG:,} bytes without a tag")
        if len(self._parser.intern) > MAX_NAMES:
            raise self._refusal(f"more than {MAX_NAMES:,} names of elements and attributes")

    def _refusal(self, problem: str, is_too_large: bool = False) -> NotATableError:
        return NotATableError(f"the spreadsheet has {problem}: {_SEND}", is_too_large=is_too_large)

    def _reject_doctype(self, *_declaration: object) -> None:
        raise self._refusal("a document type, which none needs")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._depth > MAX_DEPTH or len(attributes) > MAX_ATTRIBUTES:
            raise self._refusal(f"elements {MAX_DEPTH} deep, or {MAX_ATTRIBUTES} attributes in one")
        if name in _CELLS:
            self._start_cell(attributes)
        elif name == "table:table-row":
            self._row_repeats = self._number(attributes.get("table:number-rows-repeated"))
            self._column = self._pending = 0
        elif name == "table:table":
            self._row = self._last_row = self._last_column = 0
        elif name == "text:s":
            self._add_length(self._number(attributes.get("text:c")))

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
            raise self._refusal(f"more than {MAX_COLUMNS:,} columns, or {MAX_CELLS:,} cells", True)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name in _CELLS:
            self._end_cell()
        elif name == "table:table-row":
            self._row += self._row_repeats
        elif name == "table:table":
            check_size(self._last_row, self._last_column)
            self._total_cells += self._last_row * self._last_column
            check_total_size(self._total_cells)

    def _end_cell(self) -> None:
        if not (self._has_value or self._cell_text):
            return
        cells = self._pending * self._row_repeats
        self._expand()
        self._last_column = max(self._last_column, self._column)
        self._last_row = self._row + self._row_repeats
        check_size(self._last_row, self._last_column)
        self._total_text += self._cell_text * cells
        if self._total_text > MAX_TEXT_LENGTH:
            raise self._refusal(f"more than {MAX_TEXT_LENGTH:,} characters", is_too_large=True)

    def _add_text(self, text: str) -> None:
        self._add_length(len(text))

    def _add_length(self, count: int) -> None:
        self._cell_text += count
        if self._cell_text > MAX_CELL_LENGTH:
            raise self._refusal(f"a cell of more than {MAX_CELL_LENGTH:,} characters")

    def _number(self, digits: str | None) -> int:
        if digits is None:
            return 1
        if not digits.isascii() or not digits.isdigit() or len(digits) > _MAX_DIGITS:
            raise self._refusal("a repetition that is not a number")
        return int(digits)
