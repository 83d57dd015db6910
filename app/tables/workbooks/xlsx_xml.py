"""Check bounds on the XML of a workbook in streaming mode, before anything else parses it.

A few kilobytes of ZIP can contain a tag with a million attributes, a cell a million rows away, or a
string that a thousand cells refer to. Expat reports each of these without keeping it.
"""

from array import array
from collections.abc import Iterator

from app.tables.errors import UnreadableTableError
from app.tables.messages import quote, shorten
from app.tables.table import MAX_COLUMNS, check_size, check_total_size
from app.tables.workbooks.bounded_xml import MAX_CELL_LENGTH, MAX_TEXT_LENGTH, BoundedXml
from app.tables.workbooks.format_syntax import ShownSign, shown_sign
from app.tables.workbooks.number_formats import FormatList
from app.tables.workbooks.sheet_marks import SheetMarks

_MAX_REFERENCE_LENGTH = 10  # the last cell is XFD1048576
_DIGITS = "0123456789"
_REMEDY = "send a workbook with only the table in it, or the table as CSV"
_FOLDER = "xl/"
_SHEETS = f"{_FOLDER}workbook.xml"
_RELATIONS = f"{_FOLDER}_rels/workbook.xml.rels"
# The part with the number formats of cells: it is checked before theirs.
STYLES = f"{_FOLDER}styles.xml"
_TRUE = ("1", "true")
_STRING_TYPES = ("s", "str", "inlineStr", "e", "d")


class WorkbookXml:
    """The sizes of all XML parts of a workbook together."""

    def __init__(self) -> None:
        self.elements = 0
        self.cells = 0  # within the extents of all sheets
        self.text_length = 0
        self.string_lengths: list[int] = []
        self.empty_formulas = 0  # cells with a formula and no stored value
        self.empty_formula_at = ""
        self.references = array("L")  # the shared strings that cells refer to
        self.marks: dict[str, SheetMarks] = {}  # by the path of the part
        self.number_formats: dict[str, ShownSign] = {}  # those that show a sign, by their id
        self.styles: dict[str, ShownSign] = {}  # the same by the number of a cell's style
        self.kept_formats = FormatList()
        self.format_positions: dict[str, int] = {}  # among these, by the number of a style
        self.sheet_ids: dict[str, str] = {}  # the ids of relations by the names of sheets
        self.targets: dict[str, str] = {}  # the paths of parts by the ids of relations

    def check_part(self, name: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the chunks of a part, each after it was checked.

        Raise UnreadableTableError if the part is not XML, or exceeds a bound.
        """
        part = _Part(name, self)
        yield from part.check(chunks)
        part.close()

    def check_shared_strings(self) -> None:
        """Raise UnreadableTableError if the cells together have too much text."""
        lengths = self.string_lengths
        total = self.text_length
        total += sum(lengths[position] for position in self.references if position < len(lengths))
        if total > MAX_TEXT_LENGTH:
            raise UnreadableTableError(
                f"the cells of the workbook have {total:,} characters: send at most "
                f"{MAX_TEXT_LENGTH:,}",
                is_too_large=True,
            )

    def part_of(self, sheet: str) -> str:
        """Return the path of the part with a sheet's cells."""
        target = self.targets.get(self.sheet_ids.get(sheet, ""), "").removeprefix("/")
        return target if target.startswith(_FOLDER) else _FOLDER + target


class _Part(BoundedXml):
    """Parses one part.

    Cells are located as calamine locates them: one without a reference follows the previous one.
    """

    def __init__(self, name: str, workbook: WorkbookXml) -> None:
        super().__init__(f"part {shorten(name)} of the workbook", _REMEDY, workbook.elements)
        self._workbook = workbook
        self.starts = {
            "c": self._start_cell,
            "f": self._start_formula,
            "v": self._start_value,
            "is": self._start_value,
            "row": self._start_row,
            "si": self._start_shared_string,
            "col": self._start_columns,
        }
        if name == _SHEETS:
            self.starts["sheet"] = self._start_sheet
        if name == _RELATIONS:
            self.starts["Relationship"] = self._start_relation
        if name == STYLES:
            self.starts |= {"numFmt": self._start_format, "cellXfs": self._start_styles}
        self.ends = {
            "c": self._end_cell,
            "v": self._end_value,
            "is": self._end_value,
            "row": self._end_row,
            "si": self._end_shared_string,
        }
        self._columns: dict[str, int] = {}
        self._row, self._column = 1, 0
        self._last_row = self._last_column = 0
        self._digits = ""  # digits of the reference that set the row
        self._is_row_hidden = False
        self._marks = workbook.marks.setdefault(name, SheetMarks())
        self._style_count = 0
        self._type: str | None = None
        self._reference = ""
        self._has_formula = self._has_value = False
        self._text: list[str] = []
        self._has_strings_before = bool(workbook.string_lengths)

    def close(self) -> None:
        self._workbook.elements = self.elements
        self._workbook.cells += self._last_row * self._last_column
        self._marks.hidden_columns = [
            column for column in self._marks.hidden_columns if column <= self._last_column
        ]
        check_size(self._last_row, self._last_column)
        check_total_size(self._workbook.cells)

    def _start_row(self, attributes: dict[str, str]) -> None:
        self._column, self._digits = 0, ""
        self._is_row_hidden = attributes.get("hidden") in _TRUE
        if "r" in attributes:
            self._row = self._number(attributes["r"])

    def _start_columns(self, attributes: dict[str, str]) -> None:
        if attributes.get("hidden") in _TRUE:
            first, last = (self._number(attributes.get(end, "0")) for end in ("min", "max"))
            after = max([0, *self._marks.hidden_columns[-1:]])  # a million elements may overlap
            columns = range(max(first, after + 1), min(last, MAX_COLUMNS) + 1)
            self._marks.hidden_columns.extend(columns)

    def _start_sheet(self, attributes: dict[str, str]) -> None:
        ids = (id_ for name, id_ in attributes.items() if name.endswith(":id"))
        self._workbook.sheet_ids[attributes.get("name", "")] = next(ids, "")

    def _start_relation(self, attributes: dict[str, str]) -> None:
        self._workbook.targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def _start_format(self, attributes: dict[str, str]) -> None:
        code, format_id = attributes.get("formatCode", ""), attributes.get("numFmtId", "")
        self._workbook.kept_formats.add(format_id, code)
        if sign := shown_sign(code):
            self._workbook.number_formats[format_id] = sign

    def _start_styles(self, _attributes: dict[str, str]) -> None:
        self.starts["xf"], self.ends["cellXfs"] = self._start_style, self._end_styles

    def _start_style(self, attributes: dict[str, str]) -> None:
        workbook = self._workbook
        format_id = attributes.get("numFmtId", "")
        if sign := workbook.number_formats.get(format_id):
            workbook.styles[str(self._style_count)] = sign
        position = workbook.kept_formats.positions.get(format_id)
        if position is not None:
            workbook.format_positions[str(self._style_count)] = position
        self._style_count += 1

    def _end_styles(self) -> None:
        self.starts["xf"] = None

    def _end_row(self) -> None:
        self._row += 1
        self._digits = ""

    def _start_shared_string(self, _attributes: dict[str, str]) -> None:
        if self._has_strings_before:
            raise self.rejection("shared strings, and so has another part")
        self._collect_text()

    def _end_shared_string(self) -> None:
        self._workbook.string_lengths.append(self._text_length("a shared string"))

    def _start_cell(self, attributes: dict[str, str]) -> None:
        if self.parser.CharacterDataHandler is not None:
            raise self.rejection("a cell inside a string")
        self._type, self._reference = attributes.get("t"), attributes.get("r", "")
        self._has_formula = self._has_value = False
        if self._reference:
            letters = self._reference.rstrip(_DIGITS)
            self._column = self._columns.get(letters) or self._column_number(letters)
            digits = self._reference[len(letters) :]
            if digits != self._digits:
                self._digits = digits
                self._row = self._number(digits)
        else:
            self._column += 1
        style = attributes.get("s", "")
        if sign := self._workbook.styles.get(style):
            self._marks.signs.add(self._row, self._column, sign)
        position = self._workbook.format_positions.get(style)
        if position is not None and self._type not in _STRING_TYPES:
            self._marks.formats.add(self._row, self._column, position)

    def _start_value(self, _attributes: dict[str, str]) -> None:
        """Extend the extent of the sheet to a non-empty cell."""
        self._last_row = max(self._last_row, self._row)
        if self._is_row_hidden and self._marks.hidden_rows[-1:] != [self._row]:
            self._marks.hidden_rows.append(self._row)
        if self._column > self._last_column:
            self._last_column = self._column
            if self._column > MAX_COLUMNS:
                cell = self._reference or self._row
                issue = f"cell {cell} is in column {self._column:,}: send at most {MAX_COLUMNS:,}"
                raise UnreadableTableError(f"{issue} columns", self._row, self._column)
        if self._type in _STRING_TYPES or self._has_formula:
            self._collect_text()

    def _start_formula(self, _attributes: dict[str, str]) -> None:
        self._has_formula = True

    def _end_cell(self) -> None:
        if self._has_formula and not self._has_value:
            self._workbook.empty_formulas += 1
            self._workbook.empty_formula_at = self._workbook.empty_formula_at or self._reference

    def _collect_text(self) -> None:
        if self.parser.CharacterDataHandler is not None:
            raise self.rejection("a string inside another one")
        self._text = []
        self.parser.CharacterDataHandler = self._text.append

    def _end_value(self) -> None:
        if self.parser.CharacterDataHandler is None:
            return
        if self._type == "s":
            self.parser.CharacterDataHandler = None
            self._has_value = True
            index = "".join(self._text).strip()
            if index.isascii() and index.isdigit() and len(index) < _MAX_REFERENCE_LENGTH:
                self._workbook.references.append(int(index))
        else:
            label = f"cell {self._reference}" if self._reference else f"a cell of row {self._row:,}"
            length = self._text_length(label)
            self._workbook.text_length += length
            self._has_value = length > 0

    def _text_length(self, label: str) -> int:
        self.parser.CharacterDataHandler = None
        length = sum(map(len, self._text))
        if length > MAX_CELL_LENGTH:
            raise UnreadableTableError(
                f"{label} has {length:,} characters: a cell may have at most {MAX_CELL_LENGTH:,}"
            )
        return length

    def _column_number(self, letters: str) -> int:
        number = 0
        if not 0 < len(letters) <= 3 or not letters.isascii() or not letters.isalpha():
            raise self.rejection(f"a cell at {quote(self._reference)}")
        for letter in letters.upper():
            number = 26 * number + ord(letter) - 64
        self._columns[letters] = number
        return number

    def _number(self, digits: str) -> int:
        if not digits.isascii() or not digits.isdigit() or len(digits) > _MAX_REFERENCE_LENGTH:
            raise self.rejection(f"a row or column {quote(digits)}")
        return int(digits)
