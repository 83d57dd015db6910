"""Unpack the parts of a workbook (.xlsx, .ods) that hold its cells, in bounded time and memory.

The sizes that a ZIP archive declares may be false, and are not used.
"""

import io
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from app.tables.errors import PASSWORD_ISSUE, SAVE_REMEDY, UNPACK_REMEDY, UnreadableTableError
from app.tables.workbooks.ods_xml import check_spreadsheet
from app.tables.workbooks.sheet_marks import SheetMarks
from app.tables.workbooks.xlsx_xml import STYLES, WorkbookXml

_MAX_PARTS = 2_000  # a part takes 0.1 ms, however small it is
_MAX_EXTRA_BYTES = 1_024  # extra fields of a part, for which zipfile takes quadratic time
_ENTRY = b"PK\x01\x02"  # begins each entry of a ZIP archive's directory
_OTHER_KINDS = (
    ("xl/workbook.bin", "a binary workbook (.xlsb)"),
    ("word/document.xml", "a Word document"),
    ("ppt/presentation.xml", "a presentation"),
)
_XML_SUFFIXES = (".xml", ".rels")
_SPREADSHEET_CONTENT = "content.xml"
_SPREADSHEET_PARTS = ("mimetype", _SPREADSHEET_CONTENT, "META-INF/manifest.xml")
_SPREADSHEET_TYPE = b"application/vnd.oasis.opendocument.spreadsheet"
_MAX_SMALL_BYTES = 65_536  # the two parts of a spreadsheet without cells are smaller
_UNUSED_PARTS = (
    "docprops/", "customxml/", "xl/charts/", "xl/comments", "xl/drawings/", "xl/externallinks/",
    "xl/pivotcache/", "xl/pivottables/", "xl/tables/", "xl/theme/", "xl/threadedcomments/",
)  # fmt: skip
_CHUNK_BYTES = 1 << 16

_Parts = dict[str, zipfile.ZipInfo]


@dataclass(frozen=True)
class UnpackedWorkbook:
    """A workbook with only the parts that hold its cells, not compressed.

    Attributes:
        empty_formulas: The number of cells that have a formula without a stored value.
        empty_formula_at: The first of these cells.
        sheets: The marks of each sheet's cells.
        format_codes: The codes of the number formats.
    """

    file: io.BytesIO
    empty_formulas: int = 0
    empty_formula_at: str = ""
    sheets: dict[str, SheetMarks] = field(default_factory=dict)
    format_codes: Sequence[str] = ()


def unpack_parts(content: bytes, max_bytes: int) -> UnpackedWorkbook:
    """Unpack the parts of a workbook that hold its cells, together at most ``max_bytes``.

    Raise UnreadableTableError if it is another kind of file, is broken, or exceeds a bound.
    """
    result = io.BytesIO()
    try:
        _check_directory(content)
        with zipfile.ZipFile(io.BytesIO(content)) as file, zipfile.ZipFile(result, "w") as unpacked:
            parts = {part.filename: part for part in file.infolist()}
            _reject_other_kinds(parts.keys())
            if _SPREADSHEET_CONTENT in parts:
                sheets = _unpack_spreadsheet(file, parts, max_bytes, unpacked)
                return UnpackedWorkbook(result, sheets=sheets)
            xml = _unpack_xml(file, parts, max_bytes, unpacked)
    except (UnreadableTableError, MemoryError):
        raise
    except Exception as error:  # zipfile raises many kinds for broken files
        raise UnreadableTableError(f"the workbook is broken: {SAVE_REMEDY}") from error
    paths = {sheet: xml.part_of(sheet) for sheet in xml.sheet_ids}
    marks = {sheet: xml.marks[path] for sheet, path in paths.items() if path in xml.marks}
    codes = xml.kept_formats.codes
    return UnpackedWorkbook(result, xml.empty_formulas, xml.empty_formula_at, marks, codes)


def _unpack_xml(
    file: zipfile.ZipFile, parts: _Parts, max_bytes: int, unpacked: zipfile.ZipFile
) -> WorkbookXml:
    """Unpack the XML of an .xlsx, the styles first: they say which number formats are dates."""
    xml = WorkbookXml()
    bytes_left = max_bytes
    for name, part in sorted(parts.items(), key=lambda part: part[0] != STYLES):
        if name.lower().endswith(_XML_SUFFIXES) and not name.lower().startswith(_UNUSED_PARTS):
            whole = b"".join(xml.check_part(name, _read_chunks(file, part, bytes_left)))
            bytes_left -= len(whole)
            unpacked.writestr(name, whole)
    xml.check_shared_strings()
    return xml


def _unpack_spreadsheet(
    file: zipfile.ZipFile, parts: _Parts, max_bytes: int, unpacked: zipfile.ZipFile
) -> dict[str, SheetMarks]:
    """Unpack the parts of an .ods file, and return what each of its sheets hides."""
    sheets: dict[str, SheetMarks] = {}
    for name in filter(parts.__contains__, _SPREADSHEET_PARTS):
        is_cells = name == _SPREADSHEET_CONTENT
        chunks = _read_chunks(file, parts[name], max_bytes if is_cells else _MAX_SMALL_BYTES)
        content = b"".join(check_spreadsheet(chunks, sheets) if is_cells else chunks)
        if name == "mimetype" and not content.startswith(_SPREADSHEET_TYPE):
            raise UnreadableTableError(f"this is another kind of OpenDocument file: {SAVE_REMEDY}")
        unpacked.writestr(name, content)
    return sheets


def _check_directory(content: bytes) -> None:
    """Raise UnreadableTableError for directories that zipfile opens slowly."""
    count = content.count(_ENTRY)
    if count > _MAX_PARTS:
        raise UnreadableTableError(
            f"the file has {count:,} parts: send a workbook of at most {_MAX_PARTS:,}, or the "
            "table as CSV"
        )
    start = content.find(_ENTRY)
    while start >= 0:
        size = int.from_bytes(content[start + 30 : start + 32], "little")
        if size > _MAX_EXTRA_BYTES:
            raise UnreadableTableError(
                f"the workbook is packed in an unusual way (a part has {size:,} bytes of extra "
                f"fields): {SAVE_REMEDY}"
            )
        start = content.find(_ENTRY, start + 1)


def _reject_other_kinds(names: Collection[str]) -> None:
    for part, kind in _OTHER_KINDS:
        if part in names:
            raise UnreadableTableError(f"this is {kind}: {SAVE_REMEDY}")
    if _SPREADSHEET_CONTENT in names and "mimetype" not in names:
        raise UnreadableTableError(f"this is an OpenDocument file: {SAVE_REMEDY}")
    if _SPREADSHEET_CONTENT not in names and not any(
        name.lower().endswith("workbook.xml") for name in names
    ):
        raise UnreadableTableError(f"this is a ZIP archive: {UNPACK_REMEDY}")


def _read_chunks(file: zipfile.ZipFile, part: zipfile.ZipInfo, max_bytes: int) -> Iterator[bytes]:
    if part.flag_bits & 1:
        raise UnreadableTableError(PASSWORD_ISSUE)
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableTableError(f"the workbook is packed in an unusual way: {SAVE_REMEDY}")
    bytes_left = max_bytes
    with file.open(part) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            bytes_left -= len(chunk)
            if bytes_left < 0:
                raise UnreadableTableError(
                    "the workbook is too large when it is unpacked: send one with fewer cells, or "
                    "the table as CSV",
                    is_too_large=True,
                )
            yield chunk
