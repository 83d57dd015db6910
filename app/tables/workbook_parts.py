"""Unpack the parts of a workbook (.xlsx) that hold its cells, in bounded time and memory.

The sizes that a ZIP archive declares may be false, and are not used.
"""

import io
import zipfile
from collections.abc import Collection, Iterator

from app.tables.results import NotATableError
from app.tables.workbook_xml import WorkbookXml

SAVE = "open it in its program, save it as .xlsx or CSV, and send that file"
MAX_PARTS = 2_000  # each takes 0.1 ms, however small it is
MAX_EXTRA_BYTES = 1_024  # of a part; zipfile takes quadratic time for them
_ENTRY = b"PK\x01\x02"  # begins each entry of a ZIP archive's directory
_KINDS = (
    ("xl/workbook.bin", "a binary workbook (.xlsb)"),
    ("word/document.xml", "a Word document"),
    ("ppt/presentation.xml", "a presentation"),
    ("content.xml", "an OpenDocument file"),
)
_READ = (".xml", ".rels")
# Parts without cells.
_NOT_READ = (
    *("docprops/", "customxml/", "xl/charts/", "xl/comments", "xl/drawings/", "xl/externallinks/"),
    *("xl/pivotcache/", "xl/pivottables/", "xl/tables/", "xl/theme/", "xl/threadedcomments/"),
)
_CHUNK_BYTES = 1 << 16


def unpack_parts(content: bytes, limit: int) -> io.BytesIO:
    """Return a workbook with only the parts that hold its cells, not compressed.

    Args:
        content: The file.
        limit: The maximum size of these parts together, in bytes.

    Raises:
        NotATableError: It is another kind of file, is broken, or exceeds a bound.
    """
    result = io.BytesIO()
    try:
        _check_directory(content)
        with zipfile.ZipFile(io.BytesIO(content)) as file, zipfile.ZipFile(result, "w") as unpacked:
            parts = {part.filename: part for part in file.infolist()}
            _reject_other_kinds(parts.keys())
            xml, left = WorkbookXml(), limit
            for name, part in parts.items():
                if name.lower().endswith(_READ) and not name.lower().startswith(_NOT_READ):
                    chunks = xml.check_part(name, _chunks(file, part, left))
                    whole = b"".join(chunks)
                    left -= len(whole)
                    unpacked.writestr(name, whole)
            xml.check_shared_strings()
    except (NotATableError, MemoryError):
        raise
    except Exception as error:  # zipfile raises many kinds for broken files
        raise NotATableError(f"the workbook is broken ({type(error).__name__}): {SAVE}") from error
    result.seek(0)
    return result


def _check_directory(content: bytes) -> None:
    """Raise NotATableError for directories that zipfile opens slowly."""
    count = content.count(_ENTRY)
    if count > MAX_PARTS:
        raise NotATableError(
            f"the file has {count:,} parts: send a workbook of at most {MAX_PARTS:,}, or the table "
            "as CSV"
        )
    start = content.find(_ENTRY)
    while start >= 0:
        size = int.from_bytes(content[start + 30 : start + 32], "little")
        if size > MAX_EXTRA_BYTES:
            raise NotATableError(
                f"the workbook is packed in an unusual way (a part has {size:,} bytes of extra "
                f"fields): {SAVE}"
            )
        start = content.find(_ENTRY, start + 1)


def _reject_other_kinds(names: Collection[str]) -> None:
    for part, kind in _KINDS:
        if part in names:
            raise NotATableError(f"this is {kind}: {SAVE}")
    if not any(name.lower().endswith("workbook.xml") for name in names):
        raise NotATableError("this is a ZIP archive: unpack it, and send the table in it")


def _chunks(file: zipfile.ZipFile, part: zipfile.ZipInfo, limit: int) -> Iterator[bytes]:
    """Yield a part in pieces of bounded size."""
    if part.flag_bits & 1:
        raise NotATableError("the workbook has a password: save it without one, and send it again")
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotATableError(f"the workbook is packed in an unusual way: {SAVE}")
    with file.open(part) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            limit -= len(chunk)
            if limit < 0:
                raise NotATableError(
                    "the workbook is too large when it is unpacked: send one with fewer cells, or "
                    "the table as CSV",
                    is_too_large=True,
                )
            yield chunk
