"""Read the tables of a web page, or of a workbook as XML (2003): what programs save as ``.xls``."""

import html
import re
from collections.abc import Iterator

import pandas as pd

from app.tables.numbers.parsing import stored_number
from app.tables.results import UnreadableTableError
from app.tables.table import MAX_COLUMNS, Table, check_size

_MARKUP = re.compile(
    r"\s*<(?:!doctype|!--|\?xml|"
    r"(?:html|head|body|meta|style|table|div|center|h[1-6]|workbook)[\s>])",
    re.IGNORECASE,
)
_MAX_MARKS = 400_000  # tags and entities: 100,000 cells of a page, which take a second
_ROWS, _CELLS, _SPACES = ("tr", "row"), ("td", "th", "cell"), ("br", "p", "div", "li")
_UNSHOWN = ("head", "script", "style")
_SPREADSHEET = "urn:schemas-microsoft-com:office:spreadsheet"  # the namespace of a workbook as XML
_MAX_ESCAPED_LENGTH = 4_000  # of a cell: no number has more digits than Python converts
_COUNT = re.compile(r"[\"']?(\d{1,4})\b", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?:E[+-]?\d{1,3})?", re.ASCII)


def is_markup(text: str) -> bool:
    """Return whether a text begins as HTML or XML."""
    return _MARKUP.match(text) is not None


def read_markup(text: str) -> Table:
    """Return all rows of a page or workbook one below the other, as a spreadsheet shows them.

    What a page has outside of tables is a row of one cell. A merged cell has its text at its first
    row and column. Malformed markup is read as far as it goes.

    Raises:
        UnreadableTableError: There is no row of several cells, or there are too many cells or tags.
    """
    marks = text.count("<") + text.count("&")
    if marks > _MAX_MARKS:
        issue = f"the page has {marks:,} tags and entities: send the table in it as CSV"
        raise UnreadableTableError(issue, is_too_large=True)
    sheet = _Sheet(keeps_text_between=_SPREADSHEET not in text[:2_000])
    unshown = ""  # the element that is skipped to its end
    for tag, content in _tags(text):
        is_end = tag.startswith("/")
        name = tag.split(None, 1)[0].rpartition(":")[2].strip("/") if tag else ""
        if unshown:
            if is_end and name == unshown:
                unshown = ""
                sheet.add_text(content)
            continue
        if name in _ROWS or name == "table":
            sheet.end_row()
            if name in _ROWS and not is_end:
                sheet.start_row(tag)
        elif name in _CELLS:
            sheet.end_cell()
            if not is_end:
                sheet.start_cell(tag)
        elif name in _SPACES:
            sheet.add_text(" ")
        elif name == "data" and not is_end:
            sheet.is_number = 'type="number"' in tag
        elif name in _UNSHOWN and not is_end and not tag.endswith("/"):
            unshown = name
            continue
        sheet.add_text(content)
    sheet.end_row()
    return sheet.table()


def _tags(text: str) -> Iterator[tuple[str, str]]:
    """Yield each tag, without brackets, in lower case, and the text after it; "" for a comment.

    Each character is searched once, or twice, so that this takes linear time.
    """
    start = text.find("<")
    while start >= 0:
        is_comment = text.startswith("<!--", start)
        closing = "-->" if is_comment else ">"
        end = text.find(closing, start)
        if end < 0:
            return
        content_start = end + len(closing)
        following = text.find("<", content_start)
        content = text[content_start : following if following >= 0 else None]
        yield "" if is_comment else text[start + 1 : end].strip().lower(), content
        start = following


def _count(tag: str, attribute: str) -> int:
    """Return the number that is the value of an attribute, 0 if it has none."""
    if attribute not in tag:
        return 0
    match = _COUNT.match(tag.partition(attribute)[2].lstrip())
    return int(match[1]) if match else 0


class _Sheet:
    """Collects rows of cells.

    Attributes:
        is_number: Whether the cell that has begun is stored as a number.
    """

    def __init__(self, *, keeps_text_between: bool) -> None:
        self.is_number = False
        self._keeps_text_between = keeps_text_between
        self._rows: dict[int, list[str]] = {}
        self._row: list[str] = []
        self._number = 1  # of this row
        self._width = 1  # of the widest row
        self._pieces: list[str] = []  # the text since the last cell began or ended
        self._columns = 0  # of the cell that has begun, 0 outside of cells
        self._covered_until: dict[int, int] = {}  # the last row of a merged cell, by column

    def start_row(self, tag: str) -> None:
        self._number = max(self._number, _count(tag, ":index="))

    def start_cell(self, tag: str) -> None:
        column = max(len(self._row), _count(tag, ":index=") - 1)
        while self._covered_until and self._covered_until.get(column, 0) >= self._number:
            column += 1
        self._columns = max(_count(tag, "colspan="), _count(tag, "mergeacross=") + 1)
        width = column + self._columns
        if width > MAX_COLUMNS:
            issue = f"row {self._number} has more than {MAX_COLUMNS:,} cells: send fewer columns"
            raise UnreadableTableError(issue, self._number, MAX_COLUMNS + 1)
        self._width = max(self._width, width)
        check_size(len(self._rows) + 1, self._width)
        self._row.extend([""] * (column - len(self._row)))
        rows_below = max(_count(tag, "rowspan=") - 1, _count(tag, "mergedown="))
        if rows_below > 0:
            last_row = self._number + rows_below
            self._covered_until |= dict.fromkeys(range(column, width), last_row)

    def add_text(self, text: str) -> None:
        self._pieces.append(text)

    def end_cell(self) -> None:
        """End the cell, or the text outside of cells."""
        text = " ".join(_unescape("".join(self._pieces)).split())
        if self._columns:
            is_number = self.is_number and _NUMBER.fullmatch(text)
            self._row.append(stored_number(float(text)) if is_number else text)
            self._row.extend([""] * (self._columns - 1))
        elif text and not self._row and self._keeps_text_between:
            self._add_row([text])
        self._pieces, self._columns, self.is_number = [], 0, False

    def end_row(self) -> None:
        self.end_cell()
        if self._row:
            self._add_row(self._row)
            self._row = []

    def _add_row(self, row: list[str]) -> None:
        if any(row):
            self._rows[self._number] = row
        self._number += 1

    def table(self) -> Table:
        if all(len(row) < 2 for row in self._rows.values()):
            raise UnreadableTableError(
                "this is a web page or XML without a table of several columns: open it in its "
                "program, save it as .xlsx or CSV, and send that file",
                1,
                1,
            )
        rows = [row + [""] * (self._width - len(row)) for row in self._rows.values()]
        return Table(pd.DataFrame(rows, index=[*self._rows], dtype=object), row_noun="row")


def _unescape(text: str) -> str:
    is_escaped = "&" in text and len(text) <= _MAX_ESCAPED_LENGTH
    return html.unescape(text) if is_escaped else text
