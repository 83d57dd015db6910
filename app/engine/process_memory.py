"""Measure and bound the memory of this process, and return freed memory to the system."""

import contextlib
import ctypes
import math
import os
import resource
from pathlib import Path

MEBIBYTE = 1024 * 1024
STATM = Path("/proc/self/statm")
RESIDENT, DATA = 1, 5  # their positions in the line, which counts pages
# Parameters of `mallopt` (glibc's malloc.h).
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8


def resident_mebibytes() -> float:
    """Return the resident memory of this process; 0 if the system is not Linux."""
    return _pages(RESIDENT) * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def allocated_mebibytes() -> float:
    """Return what this process has allocated, used or not; 0 if the system is not Linux."""
    return _pages(DATA) * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def limit_growth(mebibytes: float) -> None:
    """Let this process allocate at most ``mebibytes`` more than it has now (Linux).

    Beyond that Python and NumPy raise MemoryError, and native code that cannot go on aborts. The
    kernel counts what is allocated, also before it is used; what a fork has inherited is part of
    the count, so the limit is relative to it.
    """
    if math.isinf(mebibytes):
        return
    allowed = int((allocated_mebibytes() + mebibytes) * MEBIBYTE)
    _set_soft_limit(resource.RLIMIT_DATA, allowed)
    _set_soft_limit(resource.RLIMIT_CORE, 0)  # an abort must not write the memory to a disk


def lift_growth_limit() -> None:
    """Remove the limit of `limit_growth`, to report that it was met."""
    _set_soft_limit(resource.RLIMIT_DATA, resource.RLIM_INFINITY)


def _set_soft_limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bounds = [one for one in (value, hard) if one != resource.RLIM_INFINITY]
    resource.setrlimit(kind, (min(bounds, default=resource.RLIM_INFINITY), hard))


def _pages(position: int) -> int:
    try:
        return int(STATM.read_text().split()[position])
    except OSError:
        return 0


def give_freed_memory_back() -> None:
    """Make glibc return freed memory to the system, in all threads.

    By default glibc keeps an arena per thread for reuse; docs/running/several-nodes.md shows how
    much memory.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, 1)
        libc.mallopt(M_MMAP_THRESHOLD, MEBIBYTE // 8)
