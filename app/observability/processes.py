"""Counts of several processes: each web worker writes files of its own, any of them reads all.

The files are named by a worker's place among those that run, not by its process id, so that the
next worker in this place goes on in them: what an ended worker counted stays, and there are never
more files than there were workers at once. Gauges of an ended worker are forgotten.
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

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the library's name of the environment variable
MEMORY = "/dev/shm"

_place = "master"
_taken: set[str] = set()


@functools.cache
def share_counts() -> str:
    """Make the folder of the files, once a process; `instruments.py` is imported after this.

    The files are mapped, and a process that writes to a mapped file on a full disk is ended by the
    kernel: so they are kept in memory where the system has a folder for that. The one that systemd
    makes for a service is emptied with it, even after a crash.
    """
    parent = os.environ.get("RUNTIME_DIRECTORY", MEMORY)
    if not os.access(parent, os.W_OK):
        parent = tempfile.gettempdir()
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="forecast-metrics-", dir=parent)
    atexit.register(_remove, os.environ[FOLDER], os.getpid())
    values.ValueClass = values.MultiProcessValue(lambda: _place)  # type: ignore[no-untyped-call]
    return os.environ[FOLDER]


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not when a forked worker ends
        shutil.rmtree(folder, ignore_errors=True)


def take_place() -> str:
    """Return the lowest place that no running worker has, which has it from now on."""
    place = next(name for number in itertools.count() if (name := str(number)) not in _taken)
    _taken.add(place)
    return place


def give_place_back(place: str) -> None:
    """Forget what the worker at ``place``, which has ended, said of its present."""
    _taken.discard(place)
    mark_process_dead(place)  # type: ignore[no-untyped-call]


def write_from(place: str) -> None:
    """Let this process, just forked, write the files of ``place``."""
    global _place  # noqa: PLW0603 - a process has one place
    _place = place


class FilledFiles(MultiProcessCollector):
    """Reads all files but those that a worker is just making: the library fails on empty ones."""

    def collect(self) -> Iterable[Metric]:
        """Return what the files hold together."""
        files = [str(file) for file in Path(os.environ[FOLDER]).glob("*.db") if _is_filled(file)]
        metrics: Iterable[Metric] = self.merge(files)  # type: ignore[no-untyped-call]
        return metrics


def _is_filled(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:  # a gauge of a worker that has just ended
        return False


def all_counts() -> CollectorRegistry:
    """Return what all processes have counted; without a shared folder, what this one has."""
    if FOLDER not in os.environ:
        from app.observability.instruments import REGISTRY  # noqa: PLC0415 - only after `share_counts`

        return REGISTRY
    registry = CollectorRegistry()
    FilledFiles(registry)  # type: ignore[no-untyped-call]
    return registry
