"""Workbooks (.xlsx) to tables: the stored values of a sheet, whatever else the file holds.

Nothing of a workbook is run or followed: macros, pictures and what is embedded are dropped before
it is read. It is unpacked here first, in bounded memory: its own figures about its size may be
false, and a single cell far away makes a sheet large.
"""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable, Collection
from typing import Any

import pandas as pd
from python_calamine import CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from app.reading.numbers import StoredNumber
from app.reading.results import Choice, NotATableError, Reading, WrongAnswerError
from app.reading.table import MAX_COLUMNS, Table, check_size, shorten

_SAVE = "open it in its program, save it as .xlsx or CSV, and send that file"
_KINDS = (
    ("xl/workbook.bin", "a binary workbook (.xlsb)"),
    ("word/document.xml", "a Word document"),
    ("ppt/presentation.xml", "a presentation"),
    ("content.xml", "an OpenDocument file"),
)
_MOST_PARTS = 10_000
_PART = (".xml", ".rels")
_CHUNK = 1 << 20
_TAG = rb"<(?:\w+:)?%s\s[^<>]*?\br\s*=\s*[\"']%s[\"'][^<>]*(?<!/)>"
_COLUMNS, _ROWS = (
    re.compile(_TAG % (b"c", place))
    for place in (rb"([A-Za-z]{1,3})[0-9]+", rb"[A-Za-z]{1,3}([0-9]{1,8})")
)
_ROW_TAGS = re.compile(_TAG % (b"row", rb"([0-9]{1,8})"))
_UNPLACED = re.compile(rb"<(?:\w+:)?c(?:\s(?![^<>]*\br\s*=)[^<>]*)?(?<!/)>")
_CELL_TAG = re.compile(rb"<(?:\w+:)?c[\s>]")
_SHOWN_CELLS = 3
_LARGEST_EXACT = 1e15


def read_workbook(
    content: bytes,
    limit: int,
    wanted: str | None,
    reading: Reading,
    holds_series: Callable[[Table], bool],
) -> Table | None:
    """Return the table in a sheet of a workbook; None where it is asked which.

    Args:
        content: The file.
        limit: How many bytes it may have when it is unpacked.
        wanted: The name of the sheet, if it was said.
        reading: Where the question is asked.
        holds_series: Whether a table looks like one of series.

    Raises:
        NotATableError: It is not a workbook, is broken, too large or empty.
        WrongAnswerError: It has no sheet of the wanted name.
    """
    tables = _tables(_repacked(content, limit), wanted)
    if not tables:
        raise NotATableError("the workbook is empty: send one with a table in it", 1, 1)
    likely = [name for name, table in tables.items() if holds_series(table)] or [*tables]
    is_open = len(likely) > 1 and wanted is None
    if len(tables) > 1:
        offered = [name for name in tables if len(likely) == 1 or name in (*likely, wanted)]
        choices = [_choice(name, tables[name]) for name in offered]
        reading.ask("sheet", f"The workbook has {len(tables)} sheets.", choices, required=is_open)
    chosen = None if is_open else wanted or likely[0]
    reading.chosen["sheet"] = chosen
    return None if chosen is None else tables[chosen]


def _choice(name: str, table: Table) -> Choice:
    rows, columns = table.cells.shape
    cells = [cell for row in table.cells.to_numpy()[:2] for cell in row if cell][:_SHOWN_CELLS]
    return Choice(name, f"{rows:,} rows, {columns:,} columns", shorten(", ".join(cells)))


def _tables(file: io.BytesIO, wanted: str | None) -> dict[str, Table]:
    """Return the tables of all sheets that are shown and not empty, and of the wanted one."""
    try:
        book = CalamineWorkbook.from_filelike(file)
        shown = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ is SheetTypeEnum.WorkSheet
            and (sheet.visible is SheetVisibleEnum.Visible or sheet.name == wanted)
        ]
        if wanted is not None and wanted not in shown:
            raise WrongAnswerError("sheet", f"unknown sheet; send one of {', '.join(shown[:20])}")
        tables = {name: _table(book.get_sheet_by_name(name)) for name in shown}
    except (WrongAnswerError, NotATableError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # calamine's PanicException is not an Exception
        raise NotATableError(f"the workbook is broken ({type(error).__name__}): {_SAVE}") from error
    found = {name: table for name, table in tables.items() if not table.cells.empty}
    if wanted is not None and wanted not in found:
        raise WrongAnswerError("sheet", "the sheet is empty; send another one")
    return found


def _table(sheet: CalamineSheet) -> Table:
    rows = sheet.to_python()
    top = (sheet.start or (0, 0))[0] + 1
    check_size(len(rows), max(map(len, rows), default=0))
    strings = [[_string_of(cell) for cell in row] for row in rows]
    cells = pd.DataFrame(strings, index=range(top, top + len(rows)), dtype=object).fillna("")
    return Table(cells[(cells != "").any(axis=1)] if rows else cells, place="row")


def _string_of(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, (int, float)):
        is_whole = float(cell).is_integer() and abs(cell) < _LARGEST_EXACT
        return StoredNumber(int(cell) if is_whole else cell)
    if isinstance(cell, dt.datetime):  # kept as a fraction of a day, which is rarely exact
        try:
            cell = (cell + dt.timedelta(microseconds=500_000)).replace(microsecond=0)
        except OverflowError:
            cell = cell.replace(microsecond=0)
        return str(cell).removesuffix(" 00:00:00")
    return str(cell)  # a date, a time of day or a duration


def _repacked(content: bytes, limit: int) -> io.BytesIO:
    """Return the parts of a workbook that hold its cells, not compressed.

    Raises:
        NotATableError: It is another file, is broken, or has more than ``limit`` bytes.
    """
    packed = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file, zipfile.ZipFile(packed, "w") as result:
            parts = {part.filename: part for part in file.infolist()}
            _refuse_other_kinds(parts.keys())
            for name, part in parts.items():
                if name.lower().endswith(_PART):
                    unpacked = _unpacked(file, part, limit)
                    limit -= len(unpacked)
                    if "worksheets/" in name.lower():
                        _check_extent(unpacked)
                    result.writestr(name, unpacked)
    except NotATableError:
        raise
    except Exception as error:  # zipfile has many for files that are broken
        raise NotATableError(f"the workbook is broken ({type(error).__name__}): {_SAVE}") from error
    packed.seek(0)
    return packed


def _refuse_other_kinds(names: Collection[str]) -> None:
    if len(names) > _MOST_PARTS:
        raise NotATableError(f"the file has {len(names):,} parts, which no workbook needs: {_SAVE}")
    for part, kind in _KINDS:
        if part in names:
            raise NotATableError(f"this is {kind}: {_SAVE}")
    if not any(name.lower().endswith("workbook.xml") for name in names):
        raise NotATableError("this is a ZIP archive: unpack it, and send the table in it")


def _unpacked(file: zipfile.ZipFile, part: zipfile.ZipInfo, limit: int) -> bytes:
    if part.flag_bits & 1:
        raise NotATableError("the workbook has a password: save it without one, and send it again")
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotATableError(f"the workbook is packed in an unusual way: {_SAVE}")
    chunks, size = [], 0
    with file.open(part) as stream:
        while chunk := stream.read(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > limit:
                raise NotATableError(
                    "the workbook is too large when it is unpacked: send one with fewer cells, or "
                    "the table as CSV",
                    is_too_large=True,
                )
    return b"".join(chunks)


def _check_extent(sheet: bytes) -> None:
    """Raise NotATableError where a sheet's cells that are not empty lie too far apart."""
    columns = max(map(_column_number, set(_COLUMNS.findall(sheet))), default=1)
    rows = max(map(int, set(_ROWS.findall(sheet))), default=1)
    if _UNPLACED.search(sheet):
        columns += max(len(_CELL_TAG.findall(row)) for row in sheet.split(b"row"))
        rows = max(rows, *map(int, _ROW_TAGS.findall(sheet)), 1) + sheet.count(b"row")
    if columns > MAX_COLUMNS:
        raise NotATableError(
            f"a sheet has cells up to column {columns:,}: send at most {MAX_COLUMNS:,} columns",
            1,
            columns,
        )
    check_size(rows, columns)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number
