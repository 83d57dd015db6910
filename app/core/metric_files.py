"""Metrics of several processes: each web worker writes its own files, and can read all of them.

The files are named after the worker's slot, not its process id, so that the next worker in the slot
continues them: counts of ended workers are kept, and there are never more files than there were
concurrent workers. Gauges of an ended worker are removed.
"""

import atexit
import functools
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry, Metric, values
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # the library's environment variable
_MEMORY_FOLDER = "/dev/shm"

_slot = "master"
_taken_slots: set[str] = set()


@functools.cache
def create_metrics_folder() -> str:
    """Create the folder for the files, once per process; import `instruments.py` only after this.

    The files are memory-mapped, and the kernel kills a process that writes to a mapped file on a
    full disk, so they are in a memory file system if there is one. systemd empties the one of a
    service when the service ends, even after a crash.
    """
    parent = os.environ.get("RUNTIME_DIRECTORY", _MEMORY_FOLDER)
    if not os.access(parent, os.W_OK):
        parent = tempfile.gettempdir()
    os.environ[FOLDER_VARIABLE] = tempfile.mkdtemp(prefix="forecast-metrics-", dir=parent)
    atexit.register(_remove, os.environ[FOLDER_VARIABLE], os.getpid())
    values.ValueClass = values.MultiProcessValue(lambda: _slot)  # type: ignore[no-untyped-call]
    return os.environ[FOLDER_VARIABLE]


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked worker
        shutil.rmtree(folder, ignore_errors=True)


def acquire_slot() -> str:
    """Reserve and return the lowest free slot."""
    slot = next(name for number in itertools.count() if (name := str(number)) not in _taken_slots)
    _taken_slots.add(slot)
    return slot


def release_slot(slot: str) -> None:
    """Free the slot of an ended worker and remove its gauges."""
    _taken_slots.discard(slot)
    mark_process_dead(slot)  # type: ignore[no-untyped-call]


def use_slot(slot: str) -> None:
    """Make this newly forked process write the files of ``slot``."""
    global _slot  # noqa: PLW0603 - a process has one slot
    _slot = slot


class NonEmptyFilesCollector(MultiProcessCollector):
    """Reads all files, except empty ones: they are being created, and the library fails on them."""

    def collect(self) -> Iterable[Metric]:
        folder = Path(os.environ[FOLDER_VARIABLE])
        files = [str(file) for file in folder.glob("*.db") if _has_content(file)]
        return self.merge(files)  # type: ignore[no-untyped-call]


def _has_content(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:  # the gauges of a worker that has just ended
        return False


def collect_metrics() -> CollectorRegistry:
    """Return the metrics of all processes; without a shared folder, only this one's."""
    if FOLDER_VARIABLE not in os.environ:
        from app.core.instruments import REGISTRY  # noqa: PLC0415 - only after `create_metrics_folder`

        return REGISTRY
    registry = CollectorRegistry()
    NonEmptyFilesCollector(registry)  # type: ignore[no-untyped-call]
    return registry
