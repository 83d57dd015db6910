"""ZIP archives that were made to be slow or large to unpack, or that lie about what is in them."""

import io
import struct
import zipfile
from collections.abc import Callable, Mapping

from tests.tables.hostile_workbooks import SALES, SHEET
from tests.tables.tables import workbook

Maker = Callable[[], bytes]
CENTRAL, LOCAL = b"PK\x01\x02", b"PK\x03\x04"


def _zip(parts: Mapping[str, bytes], **options: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1, **options) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return packed.getvalue()


def _nested_archive(depth: int) -> bytes:
    content = workbook({"a": SALES})
    for _ in range(depth):
        content = _zip({"xl/workbook.xml": content, "xl/a.xlsx": content})
    return content


def _changed_workbook(
    mark: bytes, offset: int, value: bytes, content: bytes | None = None
) -> bytes:
    """Return a workbook with some bytes of each header replaced."""
    changed, at = bytearray(content or workbook({"a": SALES})), -1
    while (at := changed.find(mark, at + 1)) >= 0:
        changed[at + offset : at + offset + len(value)] = value
    return bytes(changed)


def _overlapping_entries(count: int, size: int) -> bytes:
    """Return a ZIP archive whose many entries are all the same bytes."""
    body = _zip({"xl/workbook.xml": b"<a>" + b"<b/>".ljust(60_000) * (size // 60_000) + b"</a>"})
    start = body.find(b"PK\x01\x02")
    entry = body[start : body.find(b"PK\x05\x06")]
    name = b"xl/workbook.xml"
    directory = b"".join(
        entry.replace(name, b"xl/%07d.xml"[:11] % n + b".xml") for n in range(count)
    )
    directory += entry
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 65_535, 65_535, len(directory), start, 0)
    return body[:start] + directory + end


def _extra_field(size: int, count: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for n in range(count):
            part = zipfile.ZipInfo(f"xl/{n}.xml" if n else "xl/workbook.xml")
            part.extra = b"\x02\x00\x00\x00" * (size // 4)
            file.writestr(part, b"<a/>")
    return packed.getvalue()


def _cut(share: int) -> bytes:
    whole = workbook({"a": SALES * 200})
    return whole[: len(whole) * share // 100]


ARCHIVES: dict[str, Maker] = {
    **{
        f"a bomb of 70 MB in {part}": lambda part=part: _zip(
            {"xl/workbook.xml": b"<a/>", part: b"<a>" + (b"<b/>".ljust(70_000) * 1_000) + b"</a>"}
        )
        for part in (SHEET, "xl/media/image1.png", "xl/theme/theme1.xml")
    },
    "10,000 parts": lambda: _zip({f"xl/{n}.xml": b"" for n in range(10_000)}),
    "2,000 parts": lambda: _zip({f"xl/{n}workbook.xml": b"<a/>" for n in range(1_999)}),
    "50,000 parts of nothing": lambda: _zip({f"{n}": b"" for n in range(40_000)}),
    "archives in archives": lambda: _nested_archive(6),
    "overlapping entries": lambda: _overlapping_entries(1_000, 600_000),
    "overlapping entries of 20 MB": lambda: _overlapping_entries(100, 20_000_000),
    "extra fields of 64 kB": lambda: _extra_field(65_532, 30),
    "extra fields of 1 kB": lambda: _extra_field(1_020, 1_900),
    "a size that is too small": lambda: _changed_workbook(CENTRAL, 24, b"\x02\x00\x00\x00"),
    "a size that is too large": lambda: _changed_workbook(CENTRAL, 24, b"\xff\xff\xff\x7f"),
    "a packed size that is false": lambda: _changed_workbook(CENTRAL, 20, b"\xff\xff\xff\x7f"),
    "a checksum that is false": lambda: _changed_workbook(CENTRAL, 16, b"\x00\x00\x00\x00"),
    "offsets that are false": lambda: _changed_workbook(CENTRAL, 42, b"\xff\xff\xff\x7f"),
    "an unknown method": lambda: _changed_workbook(CENTRAL, 10, b"\x63\x00"),
    "encrypted parts": lambda: _changed_workbook(CENTRAL, 8, b"\x01\x00"),
    "local names that differ": lambda: _changed_workbook(LOCAL, 30, b"abc"),
    "no directory": lambda: workbook({"a": SALES}).partition(CENTRAL)[0],
    "a directory only": lambda: LOCAL + b"".join(workbook({"a": SALES}).partition(CENTRAL)[1:]),
    "4 MB of headers": lambda: LOCAL * 1_000_000,
    "4 MB of directory marks": lambda: LOCAL + CENTRAL * 1_000_000,
    "4 MB of end marks": lambda: LOCAL + b"PK\x05\x06" * 1_000_000,
    "a long comment": lambda: workbook({"a": SALES})[:-2] + b"\xff\xff" + b"x" * 65_535,
    "a path that leaves": lambda: _zip(
        {"../../xl/workbook.xml": b"<a/>", "/etc/passwd.xml": b"<a/>"}
    ),
    "a name of 64 kB": lambda: _zip({"x" * 60_000 + "workbook.xml": b"<a/"}),
    **{f"cut at {share} %": lambda share=share: _cut(share) for share in (10, 50, 90, 99)},
}
