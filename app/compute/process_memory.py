"""Measure and bound the memory of this process, and return freed memory to the system."""

import contextlib
import ctypes
import math
import os
import resource
from pathlib import Path

_MEBIBYTE = 1024 * 1024
_PROC = Path("/proc")
_STATM_SIZE, _STATM_RESIDENT, _STATM_DATA = 0, 1, 5  # positions in the line of statm, in pages
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # parameters of `mallopt` (glibc's malloc.h)
# Fractions of the memory that a process may allocate beyond its start. One that retains more
# between two jobs is replaced, so that the next job has about as much as the first one had.
_MAX_RETAINED_FRACTION = 0.5
# A large allocation may have failed, so a process that met its limit may use less.
_MIN_NEAR_BOUND_FRACTION = 0.7


def resident_mebibytes(pid: int | str = "self") -> float:
    """Return the resident memory of a process; 0 if the system is not Linux."""
    return _mebibytes(_STATM_RESIDENT, pid)


class MemoryBound:
    """Limits this process to ``memory_mib`` MiB in total (Linux).

    Beyond that Python and NumPy raise MemoryError; native code aborts, or raises other errors. The
    kernel counts allocated memory even before it is used, and memory inherited by a fork. So the
    limit is the initial allocation, plus the difference of ``memory_mib`` and the initial resident
    memory.
    """

    def __init__(self, memory_mib: float) -> None:
        self.memory_mib = memory_mib
        self._max_growth = max(0.0, memory_mib - resident_mebibytes())
        self._initial_data, self._initial_size = _mebibytes(_STATM_DATA), _mebibytes(_STATM_SIZE)
        if not math.isinf(memory_mib):
            max_data_bytes = int((self._initial_data + self._max_growth) * _MEBIBYTE)
            _set_soft_limit(resource.RLIMIT_DATA, max_data_bytes)
            _set_soft_limit(resource.RLIMIT_CORE, 0)  # an abort must not write memory to a disk

    def lift(self) -> None:
        """Remove the limit, so that its excess can be reported."""
        _set_soft_limit(resource.RLIMIT_DATA, resource.RLIM_INFINITY)

    def has_been_reached(self) -> bool:
        """Return whether this process ever came near the limit."""
        return _peak_mebibytes() - self._initial_size > _MIN_NEAR_BOUND_FRACTION * self._max_growth

    def is_retaining(self) -> bool:
        """Return whether too much is still allocated between two jobs."""
        return (
            _mebibytes(_STATM_DATA) - self._initial_data > _MAX_RETAINED_FRACTION * self._max_growth
        )


def _set_soft_limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bounds = [bound for bound in (value, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(kind, (min(bounds, default=resource.RLIM_INFINITY), hard))


def _mebibytes(position: int, pid: int | str = "self") -> float:
    try:
        pages = int((_PROC / f"{pid}/statm").read_text().split()[position])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") / _MEBIBYTE


def _peak_mebibytes() -> float:
    """Return the peak size of this process, including mapped files."""
    with contextlib.suppress(OSError):
        for line in (_PROC / "self/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "VmPeak":
                return int(value.split()[0]) / 1024
    return 0.0


def configure_memory_release() -> None:
    """Make glibc return freed memory to the system, in all threads.

    By default glibc keeps an arena per thread for reuse; docs/running/several-nodes.md shows how
    much memory.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_ARENA_MAX, 1)  # threads share an arena instead of retaining one each
        libc.mallopt(_M_MMAP_THRESHOLD, _MEBIBYTE // 8)  # larger blocks are unmapped when freed
