"""Cut from shared libraries what only a debugger reads: ``strip.py FOLDER``.

The loader reads the segments of a file of ELF; debugging information, symbols and the table of
sections are behind the last one. Debian's strip would do it, but a bare machine has no binutils.
"""

import struct
import sys
from pathlib import Path

LITTLE_64_BITS = b"\x7fELF\x02\x01"
SEGMENTS = struct.Struct("<32xQ14xHH")  # where their headers are, the size of a header, how many
SEGMENT = struct.Struct("<8xQ16xQ")  # where it is in the file, and its bytes there
SECTIONS, THEIR_NUMBER = slice(40, 48), slice(58, 64)


def strip(path: Path) -> None:
    """Replace the file by one without sections; other files stay as they are."""
    content = path.read_bytes()
    if not content.startswith(LITTLE_64_BITS):
        return
    start, size, number = SEGMENTS.unpack_from(content)
    headers = [SEGMENT.unpack_from(content, start + size * i) for i in range(number)]
    end = max(start + size * number, *(offset + length for offset, length in headers))
    stripped = bytearray(content[:end])
    stripped[SECTIONS], stripped[THEIR_NUMBER] = bytes(8), bytes(6)
    mode = path.stat().st_mode
    path.unlink()  # it may be linked into a cache
    path.write_bytes(stripped)
    path.chmod(mode)


if __name__ == "__main__":
    for library in Path(sys.argv[1]).rglob("*.so*"):
        if not library.is_symlink():
            strip(library)
