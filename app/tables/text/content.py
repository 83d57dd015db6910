"""Recognize the format of a file, and decode text."""

import codecs

from app.tables.errors import PASSWORD_ISSUE, SAVE_REMEDY, UNPACK_REMEDY, UnreadableTableError
from app.tables.reading import Reading
from app.tables.text.encodings import WESTERN, guess_encoding

ZIP_SIGNATURE = b"PK\x03\x04"
_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PICTURE_REMEDY = "send the table itself, as .xlsx or CSV"
_EXPORT_REMEDY = "export it as CSV, or write a row for each booking, with its date and amount"
_PARQUET_MARK = b"PAR1"  # at both ends; a CSV file may have a column of this name
_SIGNATURES: tuple[tuple[bytes | tuple[bytes, ...], str, str], ...] = (
    (b"\x89PNG", "a picture (PNG)", _PICTURE_REMEDY),
    (b"\xff\xd8\xff", "a picture (JPEG)", _PICTURE_REMEDY),
    (b"GIF8", "a picture (GIF)", _PICTURE_REMEDY),
    (b"II*\x00", "a picture (TIFF)", _PICTURE_REMEDY),
    (b"%PDF", "a PDF", "copy the table out of it, and send that"),
    (b"SQLite format 3", "a database (SQLite)", "export the table as CSV, and send that"),
    (b"\x1f\x8b", "a compressed file (gzip)", UNPACK_REMEDY),
    # The size of blocks, and the mark of the first one.
    (tuple(b"BZh%d1AY&SY" % n for n in range(1, 10)), "a compressed file (bzip2)", UNPACK_REMEDY),
    (b"\xfd7zXZ", "a compressed file (xz)", UNPACK_REMEDY),
    (b"\x28\xb5\x2f\xfd", "a compressed file (Zstandard)", UNPACK_REMEDY),
    (b"7z\xbc\xaf", "an archive (7-Zip)", UNPACK_REMEDY),
    (b"Rar!", "an archive (RAR)", UNPACK_REMEDY),
    (b":20:", "a bank statement (MT940)", _EXPORT_REMEDY),
    (b"OFXHEADER", "a bank statement (OFX)", _EXPORT_REMEDY),
    (b"!Type:", "a bank statement (QIF)", _EXPORT_REMEDY),
    (b"100,NEM12", "a file of meter data (NEM12)", "send a row for each interval, with its time"),
    (b"{\\rtf", "a text document (RTF)", SAVE_REMEDY),
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Marks of the direction of writing, and spaces without a width.
_INVISIBLE = dict.fromkeys(
    (0x61C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
_FIRST_BYTES = 1000
_MIN_ZERO_FRACTION = 0.4  # of the bytes of UTF-16: every other one of Western text
_ENCRYPTED_PART = "EncryptedPackage".encode("utf-16-le")


def decode_text(content: bytes, reading: Reading) -> str:
    """Decode bytes as text; raise UnreadableTableError if they are not text."""
    _reject_other_files(content)
    text, encoding, name = _decode_bytes(content)
    reading.notation.encoding = encoding
    if name:
        read_as = f"The letters of the file were read as {name}."
        reading.add_remark("encoding", f"{read_as} If any are wrong, save it as UTF-8.")
    if (null := text.find("\x00")) >= 0:
        line = text.count("\n", 0, null) + 1
        raise UnreadableTableError(
            f"line {line} has a null byte, so it is not text: {SAVE_REMEDY}", line, 1
        )
    return text if text.isascii() else text.translate(_INVISIBLE)


def _reject_other_files(content: bytes) -> None:
    if not content.strip():
        raise UnreadableTableError("the body is empty: send the bytes of a file, .xlsx or CSV")
    if content.startswith(_OLE_SIGNATURE):
        if _ENCRYPTED_PART in content:
            raise UnreadableTableError(PASSWORD_ISSUE)
        raise UnreadableTableError(
            f"this is an old workbook (.xls) or another document: {SAVE_REMEDY}"
        )
    for signature, kind, remedy in _SIGNATURES:
        if content.startswith(signature):
            raise UnreadableTableError(f"this is {kind}, not a table: {remedy}")
    if content.startswith(_PARQUET_MARK) and content.endswith(_PARQUET_MARK):
        remedy = "write it as CSV, such as with pandas' to_csv, and send that"
        raise UnreadableTableError(f"this is a Parquet file, not a table: {remedy}")
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        raise UnreadableTableError(f"this is a picture (WebP), not a table: {_PICTURE_REMEDY}")


def _decode_bytes(content: bytes) -> tuple[str, str, str]:
    """Return the text, its codec, and the name of a guessed encoding, "" if it is certain."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace"), encoding, ""
    if utf16 := _unmarked_utf16(content[:_FIRST_BYTES]):
        return content.decode(utf16, "replace"), utf16, ""
    try:
        return content.decode(), "utf-8", ""
    except UnicodeDecodeError:
        guessed = guess_encoding(content)
    try:
        return content.decode(guessed.codec), guessed.codec, guessed.name
    except UnicodeDecodeError:  # some bytes are undefined in Windows-1252
        return content.decode("latin-1"), "latin-1", WESTERN.name


def _unmarked_utf16(sample: bytes) -> str | None:
    """Return the encoding of text in which about every other byte is 0."""
    if sample[1::2].count(0) > _MIN_ZERO_FRACTION * len(sample):
        return "utf-16-le"
    return "utf-16-be" if sample[::2].count(0) > _MIN_ZERO_FRACTION * len(sample) else None
