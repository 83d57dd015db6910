"""A CSV file as people have it: whatever its encoding and delimiter; no pandas."""

import codecs
import csv
from collections.abc import Sequence
from dataclasses import dataclass

from forecast_client.csv_dates import looks_like_date
from forecast_client.csv_numbers import looks_numeric
from forecast_client.errors import DataError

DELIMITERS = (";", "\t", "|", ",")  # a comma last: numbers may have one
SNIFFED_LINES = 20
_EXCEL = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


@dataclass(frozen=True)
class Table:
    """The cells of a file, by columns; ``lines`` are the line numbers of the rows."""

    columns: dict[str, list[str]]
    lines: list[int]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.columns)


def read_table(content: bytes, delimiter: str | None = None) -> Table:
    """Return the table that a file holds.

    Raises:
        DataError: It is not CSV, or its rows have different numbers of cells.
    """
    text, notes = _decoded(content)
    lines = text.splitlines()
    first = 0
    if lines and lines[0].lower().startswith("sep=") and len(lines[0]) == len("sep=;"):
        delimiter, first = delimiter or lines[0][-1], 1  # as Excel writes it
    rows = _rows(lines[first:], delimiter or _delimiter_of(lines[first:]), first)
    if not rows:
        raise DataError("the file is empty: it needs a column of times and one of values")
    header = rows[0][1]
    if any(looks_numeric(cell) or looks_like_date(cell) for cell in header):
        header = [f"column {number}" for number in range(1, len(header) + 1)]
        notes.append("the first line is data: columns are named by their number")
    else:
        rows = rows[1:]
    header = [name.strip() or f"column {number}" for number, name in enumerate(header, 1)]
    _check(header, rows)
    columns = {name: [cells[place] for _, cells in rows] for place, name in enumerate(header)}
    return Table(columns, [line for line, _ in rows], tuple(notes))


def _decoded(content: bytes) -> tuple[str, list[str]]:
    if content.startswith(_EXCEL):
        raise DataError("this is an Excel workbook: save the sheet as CSV (File, Save as)")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace"), []
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        # Some bytes mean nothing in cp1252; latin-1 has a sign for each.
        try:
            text, name = content.decode("cp1252"), "Windows-1252"
        except UnicodeDecodeError:
            text, name = content.decode("latin-1"), "Latin-1"
        return text, [f"the file is not UTF-8: it was read as {name}"]


def _delimiter_of(lines: Sequence[str]) -> str:
    """Return the delimiter that gives the same number of cells, two or more, in all lines."""
    sample = [line for line in lines if line.strip()][:SNIFFED_LINES]
    found = []
    for delimiter in DELIMITERS:
        counts = {len(cells) for cells in csv.reader(sample, delimiter=delimiter)}
        if counts == {1} or not counts:
            continue
        if len(counts) == 1:
            return delimiter
        found.append(delimiter)
    if found:
        return found[0] if len(found) == 1 else ","
    if not sample:
        return ","
    raise DataError(
        f"the file has one column ({sample[0][:40]!r}): it needs one of times and one of values; "
        "where cells are separated by another sign, name it by --delimiter"
    )


def _rows(lines: Sequence[str], delimiter: str, first: int) -> list[tuple[int, list[str]]]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    rows = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num + first, cells))
    except csv.Error as error:
        raise DataError(f"line {reader.line_num + first} is not CSV: {error}") from None
    return rows


def _check(header: list[str], rows: list[tuple[int, list[str]]]) -> None:
    """Raise DataError where names or numbers of cells do not fit; drop blank cells at the end."""
    repeated = [name for name in header if header.count(name) > 1]
    if repeated:
        raise DataError(f"two columns are named {repeated[0]!r}: rename one")
    if not rows:
        raise DataError("the file has a header and no rows")
    width = len(header)
    for line, cells in rows:
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        cells.extend([""] * (width - len(cells)))
        if len(cells) > width:
            raise DataError(
                f"line {line} has {len(cells)} cells where the header has {width}: put numbers "
                'such as 1,234 in quotes ("1,234"), or name the sign between cells by --delimiter'
            )
