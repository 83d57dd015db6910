"""Remove debugging information and symbols from shared libraries: ``strip.py FOLDER``.

The loader reads only the segments of an ELF file. Debugging information, symbols and the section
table are after the last segment. Debian's strip does the same, but a bare machine has no binutils.
"""

import struct
import sys
from pathlib import Path

LITTLE_64_BITS = b"\x7fELF\x02\x01"
# Of the file's header: the offset of the segment headers, the size of one, their number.
FILE_HEADER = struct.Struct("<32xQ14xHH")
SEGMENT_HEADER = struct.Struct("<8xQ16xQ")  # the offset of a segment, and its size in the file
# The bytes of the file's header with the offset, and with the sizes and number, of the sections.
SECTION_OFFSET, SECTION_COUNTS = slice(40, 48), slice(58, 64)


def strip(path: Path) -> None:
    """Replace an ELF file by one without sections; leave other files unchanged."""
    content = path.read_bytes()
    if not content.startswith(LITTLE_64_BITS):
        return
    start, size, number = FILE_HEADER.unpack_from(content)
    headers = [SEGMENT_HEADER.unpack_from(content, start + size * i) for i in range(number)]
    end = max(start + size * number, *(offset + length for offset, length in headers))
    stripped = bytearray(content[:end])
    stripped[SECTION_OFFSET], stripped[SECTION_COUNTS] = bytes(8), bytes(6)
    mode = path.stat().st_mode
    path.unlink()  # it may be linked into a cache
    path.write_bytes(stripped)
    path.chmod(mode)


if __name__ == "__main__":
    for library in Path(sys.argv[1]).rglob("*.so*"):
        if not library.is_symlink():
            strip(library)
