"""Metrics of several processes: each web worker writes its own files and can read all of them.

The files are named by the worker's slot, not by its process id, so that the next worker in this
slot continues them: counts of an ended worker are kept, and there are never more files than there
were concurrent workers. Gauges of an ended worker are removed.
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
from prometheus_client.multiprocess import (
    MultiProcessCollector,
    mark_process_dead,
)

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # the library's environment variable
MEMORY_FOLDER = "/dev/shm"

_slot = "master"
_taken_slots: set[str] = set()


@functools.cache
def create_metrics_folder() -> str:
    """Create the folder of the files, once per process; import `instruments.py` only after this.

    The files are memory-mapped, and the kernel kills a process that writes to a mapped file on a
    full disk: so they are kept in a memory file system if there is one. systemd empties the one of
    a service when the service ends, even after a crash.
    """
    parent = os.environ.get("RUNTIME_DIRECTORY", MEMORY_FOLDER)
    if not os.access(parent, os.W_OK):
        parent = tempfile.gettempdir()
    os.environ[FOLDER_VARIABLE] = tempfile.mkdtemp(prefix="forecast-metrics-", dir=parent)
    atexit.register(_remove, os.environ[FOLDER_VARIABLE], os.getpid())
    values.ValueClass = values.MultiProcessValue(lambda: _slot)  # type: ignore[no-untyped-call]
    return os.environ[FOLDER_VARIABLE]


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not if this is a forked worker
        shutil.rmtree(folder, ignore_errors=True)


def acquire_slot() -> str:
    """Reserve and return the lowest free slot."""
    place = next(name for number in itertools.count() if (name := str(number)) not in _taken_slots)
    _taken_slots.add(place)
    return place


def release_slot(place: str) -> None:
    """Free the slot of an ended worker and remove its gauges."""
    _taken_slots.discard(place)
    mark_process_dead(place)  # type: ignore[no-untyped-call]


def use_slot(place: str) -> None:
    """Let this newly forked process write the files of ``place``."""
    global _slot  # noqa: PLW0603 - a process has one place
    _slot = place


class NonEmptyFiles(MultiProcessCollector):
    """Reads all files except those just being created: the library fails on empty ones."""

    def collect(self) -> Iterable[Metric]:
        """Return the merged metrics of the files."""
        files = [
            str(file) for file in Path(os.environ[FOLDER_VARIABLE]).glob("*.db") if _is_filled(file)
        ]
        metrics: Iterable[Metric] = self.merge(files)  # type: ignore[no-untyped-call]
        return metrics


def _is_filled(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:  # the gauges of a worker that has just ended
        return False


def collect_metrics() -> CollectorRegistry:
    """Return the metrics of all processes; without a shared folder, those of this one."""
    if FOLDER_VARIABLE not in os.environ:
        from app.core.instruments import REGISTRY  # noqa: PLC0415 - only after `create_metrics_folder`

        return REGISTRY
    registry = CollectorRegistry()
    NonEmptyFiles(registry)  # type: ignore[no-untyped-call]
    return registry
