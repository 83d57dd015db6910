"""Texts that were made to be slow or large to read: cells, tables and encodings."""

from collections.abc import Iterator
from functools import partial

from tests.tables.hostile_cells import CELLS, REPEATED
from tests.tables.hostile_tables import MAX_BYTES, SHAPES, WHOLE_SHAPES, Maker, days, rows

ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "utf-7",
    "cp1252", "latin-1", "cp037", "shift_jis", "gb18030", "iso8859-15", "mac-roman",
)  # fmt: skip


def text_makers(max_bytes: int = MAX_BYTES) -> Iterator[tuple[str, Maker]]:
    """Yield names and makers of texts of up to ``max_bytes``, but those of `WHOLE_SHAPES`."""
    for n, (name, text) in enumerate(REPEATED.items()):
        start = ("", "date,value\n2024-01-01,1\n")[n % 2]
        yield f"repeated: {name}", partial(_longest_text, start, text, max_bytes)
    for name, cell in CELLS.items():
        values, dates = (
            partial(rows, line, max_bytes=max_bytes)
            for line in (partial("{1},{0}".format, cell), partial("{0},1".format, cell))
        )
        yield f"values: {name}", values
        yield f"dates: {name}", dates
    for encoding in ENCODINGS:
        yield f"encoding {encoding}", partial(_encoded_rows, encoding, max_bytes // 100)
    for name, make in SHAPES.items():
        is_whole = name in WHOLE_SHAPES or max_bytes == MAX_BYTES
        yield name, make if is_whole else lambda make=make: _first_lines(make(), max_bytes)


def _first_lines(content: bytes, max_bytes: int) -> bytes:
    """Return the lines that fit; as many bytes as fit of a text that is one line."""
    if len(content) <= max_bytes:
        return content
    return content[: content.rfind(b"\n", 0, max_bytes) + 1 or max_bytes]


def _longest_text(start: str, text: str, max_bytes: int) -> bytes:
    """Return as much of a text as a body may have."""
    unit = text.encode()
    return start.encode() + unit * ((max_bytes - len(start)) // len(unit))


def _encoded_rows(encoding: str, count: int) -> bytes:
    table = "\n".join(f"{day};{n},5" for n, day in enumerate(days(count)))
    return f"date;amount\n{table}".encode(encoding)[: MAX_BYTES - 1]
