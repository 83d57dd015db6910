"""How much memory this process holds, and what becomes of memory that it has freed."""

import contextlib
import ctypes
import os
from pathlib import Path

MEBIBYTE = 1024 * 1024
STATM = Path("/proc/self/statm")
RESIDENT = 1  # its place in the line
# The C library's numbers for what `mallopt` sets (glibc's malloc.h).
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8


def resident_mebibytes() -> float:
    """Return the memory that this process holds; 0 where the system (Linux) does not say."""
    try:
        pages = int(STATM.read_text().split()[RESIDENT])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def give_freed_memory_back() -> None:
    """Let blocks that are freed go back to the system, whichever thread had them.

    By default glibc gives each thread an arena of its own and keeps there what it may need again:
    docs/running/several-nodes.md has how much that was.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, 1)
        libc.mallopt(M_MMAP_THRESHOLD, MEBIBYTE // 8)
