"""What the processes of a service spend: processor time and peak memory, from /proc."""

import contextlib
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.services import children

SAMPLE_SECONDS = 0.03
KIBIBYTES = 1024  # in a MiB
RESET_PEAK = "5"  # to write into clear_refs: VmHWM becomes VmRSS
WEB, SUPERVISOR, ENGINE, MAIN = "web worker", "supervisor", "engine", "main process"
_TICKS = os.sysconf("SC_CLK_TCK")
_GONE = (FileNotFoundError, ProcessLookupError)


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that these have."""
    with contextlib.suppress(*_GONE):
        return [one for child in children(pid) for one in (child, *descendants(child))]
    return []


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process so far, with that of its children that have ended."""
    with contextlib.suppress(*_GONE):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS
    return 0.0


def total_processor_seconds(pid: int) -> float:
    """Return the processor time of a process and of all that it has started."""
    return sum(map(processor_seconds, [pid, *descendants(pid)]))


def peak_mebibytes(pid: int) -> float:
    """Return the most memory that a process has had since `reset_peak`; 0 if it has ended."""
    with contextlib.suppress(*_GONE):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / KIBIBYTES
    return 0.0


def reset_peak(pid: int) -> None:
    """Let a process's peak be the memory that it has now."""
    with contextlib.suppress(*_GONE):
        Path(f"/proc/{pid}/clear_refs").write_text(RESET_PEAK)


def kinds(main: int) -> dict[int, str]:
    """Return the processes of a service by their ids, and what each of them is.

    The main process has children that serve requests, and one whose children are engines. The
    worker's main process has the last of these only.
    """
    found = {main: MAIN}
    with contextlib.suppress(*_GONE):
        for child in children(main):
            engines = descendants(child)
            found[child] = SUPERVISOR if engines else WEB
            found |= dict.fromkeys(engines, ENGINE)
    return found


@dataclass
class MemoryWatch:
    """The highest peak of each kind of process, in MiB."""

    peaks: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def look(self, main: int) -> None:
        """Record the peaks of a service by its main process."""
        for pid, kind in kinds(main).items():
            self.peaks[kind] = max(self.peaks[kind], peak_mebibytes(pid))

    def highest(self) -> float:
        """Return the highest of all peaks."""
        return max(self.peaks.values())

    def __str__(self) -> str:
        return ", ".join(f"{kind} {peak:.0f}" for kind, peak in sorted(self.peaks.items())) + " MiB"


@contextlib.contextmanager
def memory_watched(*mains: int) -> Iterator[MemoryWatch]:
    """Watch the memory of services for the length of a block, also of processes that end in it.

    Args:
        mains: The ids of their main processes.
    """
    watch, ended = MemoryWatch(), threading.Event()
    for main in mains:
        for pid in kinds(main):
            reset_peak(pid)

    def look() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            for main in mains:
                watch.look(main)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield watch
    finally:
        ended.set()
        thread.join()
