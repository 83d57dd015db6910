"""The cores, the memory and the open files that this machine or container allows.

A container with one core on a node with 64 sees all 64; its limits are in the files of control
groups (Linux: cgroups(7), versions 1 and 2). The limits of parent groups apply, too.
"""

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from app.core.memory_units import MEBIBYTE

_ROOT, _OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
# Maximum memory of a node with n web workers and n engine processes, in MiB (fixed, and per n),
# with the default of PROCESS_MEMORY_MB (docs/running/several-nodes.md).
_SHARED_MIB, _PER_PROCESS_MIB = 345, 535
_UNLIMITED_BYTES = 2**62  # version 1 writes "no limit" as the largest number of whole pages


class Concurrency(NamedTuple):
    """The number of web workers, and of engine processes, that fit; ``reason`` says why."""

    processes: int
    reason: str


def limit_blas_threads() -> None:
    """Make numpy compute in one thread; call this before numpy is imported.

    With as many workers as cores, more BLAS threads would only compete.
    """
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def raise_open_file_limit(count: int) -> None:
    """Allow this process ``count`` open files, or as many as the system permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def available_concurrency(root: Path = _ROOT, own_groups: Path = _OWN_GROUPS) -> Concurrency:
    """Return how many processes the cores and the memory of this machine or container allow."""
    get_affinity = getattr(os, "sched_getaffinity", None)  # on Linux: a process may have fewer
    cores = len(get_affinity(0)) if get_affinity else os.cpu_count() or 1
    best = Concurrency(cores, f"{cores} usable cores")
    quota = _cpu_quota(root, own_groups)
    if quota is not None and int(quota) < cores:
        processes = max(1, int(quota))
        best = Concurrency(processes, f"the control group allows {quota:g} of {cores} cores")
    memory = _memory_limit(root, own_groups)
    if memory is not None:
        processes = max(1, (memory // MEBIBYTE - _SHARED_MIB) // _PER_PROCESS_MIB)
        if processes < best.processes:
            best = Concurrency(processes, f"the control group allows {memory // MEBIBYTE} MiB")
    return best


def _cpu_quota(root: Path, own_groups: Path) -> float | None:
    """Return the lowest number of cores that a control group allows; None without a limit."""
    quotas = []
    for group in _groups(root, own_groups, "cpu"):
        quota, _, period = _read(group / "cpu.max").partition(" ")
        if not quota:
            quota, period = _read(group / "cpu.cfs_quota_us"), _read(group / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(period):
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def _memory_limit(root: Path, own_groups: Path) -> int | None:
    """Return the lowest number of bytes that a control group allows; None without a limit."""
    names = ("memory.max", "memory.limit_in_bytes")
    groups = _groups(root, own_groups, "memory")
    limits = [_read(group / name) for group in groups for name in names]
    sizes = [int(limit) for limit in limits if limit.isdigit()]
    return min((size for size in sizes if size < _UNLIMITED_BYTES), default=None)


def _groups(root: Path, own_groups: Path, controller: str) -> Iterator[Path]:
    """Yield the possible folders of this process' groups for ``controller``, and their parents.

    A line of /proc/self/cgroup is ``number:controllers:path``, in version 2 ``0::path``. Inside a
    container the path may be the host's, which is not mounted: then the group is the root.
    """
    for line in _read(own_groups).splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers and controller not in controllers.split(","):
            continue
        for top in (root / controllers, root / controller) if controllers else (root,):
            group = top / path.lstrip("/")
            yield group
            yield from (parent for parent in group.parents if parent.is_relative_to(top))


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
