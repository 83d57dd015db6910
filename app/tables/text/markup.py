"""Read the tables of a web page, or of a workbook as XML (2003): what programs save as ``.xls``."""

import html
import math
import re
from collections.abc import Iterator

from app.tables.errors import SAVE_REMEDY, UnreadableTableError
from app.tables.numbers.parsing import stored_number
from app.tables.table import MAX_COLUMNS, Table, check_size, frame_of_rows

_MARKUP = re.compile(
    r"\s*<(?:!doctype|\?xml|(?:html|head|body|meta|style|table|workbook)[\s>])", re.IGNORECASE
)
# Other text, such as Markdown, may also begin with these.
_MAYBE_MARKUP = re.compile(r"\s*<(?:!--|(?:div|center|h[1-6])[\s>])", re.IGNORECASE)
_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)
_MAX_MARKS = 400_000  # tags and entities: 100,000 cells of a page, which take a second
_ROWS = ("tr", "row")
_CELLS = ("td", "th", "cell")
_SPACES = ("br", "p", "div", "li")
_UNSHOWN = ("title", "script", "style", "comment")  # a comment is one of a workbook
_SPREADSHEET = "urn:schemas-microsoft-com:office:spreadsheet"  # the namespace of a workbook as XML
_MAX_ESCAPED_LENGTH = 4_000  # of a cell: no number has more digits than Python converts
_COUNT = re.compile(r"[\"']?(\d{1,4})\b", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?:E[+-]?\d{1,3})?", re.ASCII)


def is_markup(text: str) -> bool:
    """Return whether a text begins as HTML or XML."""
    if _MAYBE_MARKUP.match(text):
        return _TABLE.search(text) is not None
    return _MARKUP.match(text) is not None


def read_markup(text: str) -> Table:
    """Return all rows of a page or workbook one below the other, as a spreadsheet shows them.

    What a page has outside of tables is a row of one cell. A merged cell has its text at its first
    row and column. Malformed markup is read as far as it goes. Raise UnreadableTableError if no
    row has several cells, or there are too many cells or tags.
    """
    marks = text.count("<") + text.count("&")
    if marks > _MAX_MARKS:
        issue = f"the page has {marks:,} tags and entities: send the table in it as CSV"
        raise UnreadableTableError(issue, is_too_large=True)
    sheet = _Sheet(keeps_text_between=_SPREADSHEET not in text[:2_000])
    for tag, content in _split_tags(text):
        name, is_end = _name_of(tag), tag.startswith("/")
        if name == "table":
            sheet.end_table()
        elif name in _ROWS:
            sheet.end_row()
            if not is_end:
                sheet.start_row(tag)
        elif name in _CELLS:
            sheet.end_cell()
            if not is_end:
                sheet.start_cell(tag)
        elif name in _SPACES:
            sheet.add_text(" ")
        elif name == "data" and not is_end:
            sheet.is_number = "number" in tag
        sheet.add_text(content)
    sheet.end_table()
    return sheet.table()


def _split_tags(text: str) -> Iterator[tuple[str, str]]:
    """Yield each tag, without brackets, in lower case, and the text after it; "" for a comment.

    Elements that are not shown are left out. Each character is searched once, or twice, so that
    this takes linear time.
    """
    start = text.find("<")
    while start >= 0:
        tag, end = _tag_at(text, start)
        if end < 0:
            return
        if _name_of(tag) in _UNSHOWN and tag[0] != "/" and not tag.endswith("/"):
            start = _find_end(text, end, _name_of(tag))
            continue
        following = text.find("<", end)
        yield tag, text[end : following if following >= 0 else None]
        start = following


def _tag_at(text: str, start: int) -> tuple[str, int]:
    """Return the tag that begins at ``start``, and where it ends, -1 if it stays open."""
    is_comment = text.startswith("<!--", start)
    closing = "-->" if is_comment else ">"
    end = text.find(closing, start)
    tag = "" if is_comment else text[start + 1 : end].strip().lower()
    return tag, end + len(closing) if end >= 0 else -1


def _find_end(text: str, start: int, name: str) -> int:
    """Return where the end tag of an element that began before ``start`` is, -1 without one."""
    while (start := text.find("</", start)) >= 0:
        start += 2
        end = text.find(">", start, start + len(name) + 20)
        if end >= 0 and _name_of(text[start:end].lower()) == name:
            return start - 2
    return -1


def _name_of(tag: str) -> str:
    words = tag.split(None, 1)
    return words[0].rpartition(":")[2].strip("/") if words else ""


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
        self._started = 0  # rows, empty ones among them
        self._width = 1  # of the widest row
        self._pieces: list[str] = []  # the text since the last cell began or ended
        self._columns = 0  # of the cell that has begun, 0 outside of cells
        self._covered_until: dict[int, int] = {}  # the last row of a merged cell, by column

    def start_row(self, tag: str) -> None:
        self._number = max(self._number, _number_of(tag, ":index="))

    def start_cell(self, tag: str) -> None:
        column = max(len(self._row), _number_of(tag, ":index=") - 1)
        while self._covered_until and self._covered_until.get(column, 0) >= self._number:
            column += 1
        self._columns = max(1, _number_of(tag, "colspan="), _number_of(tag, "mergeacross=") + 1)
        width = column + self._columns
        if width > MAX_COLUMNS:
            issue = f"row {self._number} has more than {MAX_COLUMNS:,} cells: send fewer columns"
            raise UnreadableTableError(issue, self._number, MAX_COLUMNS + 1)
        self._width = max(self._width, width)
        self._row.extend([""] * (column - len(self._row)))
        rows_below = max(_number_of(tag, "rowspan=") - 1, _number_of(tag, "mergedown="))
        if rows_below > 0:
            last_row = self._number + rows_below
            self._covered_until |= dict.fromkeys(range(column, width), last_row)

    def add_text(self, text: str) -> None:
        self._pieces.append(text)

    def end_cell(self) -> None:
        """End the cell, or the text outside of cells."""
        text = "".join(self._pieces)
        is_escaped = "&" in text and len(text) <= _MAX_ESCAPED_LENGTH
        text = " ".join((html.unescape(text) if is_escaped else text).split())
        if self._columns:
            self._row.append(_stored_cell(text) if self.is_number else text)
            self._row.extend([""] * (self._columns - 1))
        elif text and not self._row and self._keeps_text_between:
            self._add_row([text])
        self._pieces, self._columns, self.is_number = [], 0, False

    def end_row(self) -> None:
        self.end_cell()
        if self._row:
            self._add_row(self._row)
            self._row = []

    def end_table(self) -> None:
        self.end_row()
        self._covered_until.clear()

    def _add_row(self, row: list[str]) -> None:
        self._started += 1
        check_size(self._started, self._width)
        if any(row):
            self._rows[self._number] = row
        self._number += 1

    def table(self) -> Table:
        if all(len(row) < 2 for row in self._rows.values()):
            raise UnreadableTableError(
                f"this is a web page or XML without a table of several columns: {SAVE_REMEDY}", 1, 1
            )
        return Table(frame_of_rows(self._rows, self._width))


def _number_of(tag: str, attribute: str) -> int:
    if attribute not in tag:
        return 0
    match = _COUNT.match(tag.partition(attribute)[2].lstrip())
    return int(match[1]) if match else 0


def _stored_cell(text: str) -> str:
    """Return the cell of a number that is stored as one; other texts as they are."""
    is_number = _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))
    return stored_number(float(text)) if is_number else text
