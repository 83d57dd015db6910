"""Measure the memory of this process, and return freed memory to the system."""

import contextlib
import ctypes
import os
from pathlib import Path

MEBIBYTE = 1024 * 1024
STATM = Path("/proc/self/statm")
RESIDENT = 1  # its position in the line
# Parameters of `mallopt` (glibc's malloc.h).
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8


def resident_mebibytes() -> float:
    """Return the resident memory of this process; 0 if the system is not Linux."""
    try:
        pages = int(STATM.read_text().split()[RESIDENT])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def give_freed_memory_back() -> None:
    """Make glibc return freed memory to the system, in all threads.

    By default glibc keeps an arena per thread for reuse; docs/running/several-nodes.md shows how
    much memory.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, 1)
        libc.mallopt(M_MMAP_THRESHOLD, MEBIBYTE // 8)
