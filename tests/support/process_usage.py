"""The CPU time and the peak memory of a service's processes, from /proc."""

import contextlib
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.services import children

SAMPLE_SECONDS = 0.03
KIBIBYTES_PER_MEBIBYTE = 1024
RESET_PEAK = "5"  # to write into clear_refs: VmHWM becomes VmRSS
WEB, ENGINE, MAIN = "web worker", "engine", "main process"
FORK_SERVER, SUPERVISOR = "fork server", "supervisor"
_TICKS = os.sysconf("SC_CLK_TCK")
_GONE = (FileNotFoundError, ProcessLookupError)


def descendants(pid: int) -> list[int]:
    """Return all descendants of a process."""
    with contextlib.suppress(*_GONE):
        return [process for child in children(pid) for process in (child, *descendants(child))]
    return []


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process so far; 0 if it has ended."""
    with contextlib.suppress(*_GONE):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / _TICKS
    return 0.0


@dataclass(frozen=True)
class MachineTime:
    """CPU time of the machine so far, in ticks.

    Attributes:
        total: What all CPUs had.
        busy: What was used of it, also by other machines of the host.
        own: What this process and those that it started have used of it.
    """

    total: int
    busy: int
    own: int

    def share_of_others(self) -> float:
        """Return the fraction of all CPUs that others have used since then."""
        now = machine_time()
        others = now.busy - self.busy - (now.own - self.own)
        return others / max(now.total - self.total, 1)


def machine_time() -> MachineTime:
    """Return the CPU time so far, also of processes that have ended."""
    ticks = [*map(int, Path("/proc/stat").read_text().split(maxsplit=9)[1:9])]
    _user, _nice, _system, idle, waiting, *_ = ticks
    pid = os.getpid()
    own = sum(map(_ticks_with_ended_children, [pid, *descendants(pid)]))
    return MachineTime(sum(ticks), sum(ticks) - idle - waiting, own)


def _ticks_with_ended_children(pid: int) -> int:
    with contextlib.suppress(*_GONE):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15]))
    return 0


def total_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and of its running descendants."""
    return sum(map(cpu_seconds, [pid, *descendants(pid)]))


def peak_mebibytes(pid: int) -> float:
    """Return the peak memory of a process since `reset_peak`; 0 if it has ended."""
    with contextlib.suppress(*_GONE):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / KIBIBYTES_PER_MEBIBYTE
    return 0.0


def reset_peak(pid: int) -> None:
    """Reset the peak memory of a process to its current memory."""
    with contextlib.suppress(*_GONE):
        Path(f"/proc/{pid}/clear_refs").write_text(RESET_PEAK)


def kinds(main: int) -> dict[int, str]:
    """Return the processes of a service by their ids, and what each of them is.

    The main process has children that serve requests, and a fork server, whose child is the
    supervisor of the engines. The worker's main process has the last of these only.
    """
    results = {main: MAIN}
    with contextlib.suppress(*_GONE):
        for child in children(main):
            supervisors = children(child)
            results[child] = FORK_SERVER if supervisors else WEB
            for supervisor in supervisors:
                results |= {supervisor: SUPERVISOR} | dict.fromkeys(children(supervisor), ENGINE)
    return results


@dataclass
class ProcessWatch:
    """The CPU time and memory of watched services, with processes that end meanwhile.

    Attributes:
        peaks: The highest peak of each kind of process, in MiB.
    """

    peaks: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _first: dict[int, float] = field(default_factory=dict)
    _last: dict[int, float] = field(default_factory=dict)

    def begin(self, main: int) -> None:
        """Begin to watch a service, by its main process."""
        for pid in kinds(main):
            reset_peak(pid)
            self._first[pid] = cpu_seconds(pid)

    def sample(self, main: int) -> None:
        """Record the CPU time and memory of a service's processes so far."""
        for pid, kind in kinds(main).items():
            self.peaks[kind] = max(self.peaks[kind], peak_mebibytes(pid))
            self._last[pid] = max(self._last.get(pid, 0.0), cpu_seconds(pid))

    def highest(self) -> float:
        return max(self.peaks.values())

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes."""
        return sum(last - self._first.get(pid, 0.0) for pid, last in self._last.items())

    def __str__(self) -> str:
        return ", ".join(f"{kind} {peak:.0f}" for kind, peak in sorted(self.peaks.items())) + " MiB"


@contextlib.contextmanager
def processes_watched(*mains: int) -> Iterator[ProcessWatch]:
    """Watch services within a block.

    Args:
        mains: The ids of their main processes.
    """
    watch, ended = ProcessWatch(), threading.Event()
    for main in mains:
        watch.begin(main)

    def look() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            for main in mains:
                watch.sample(main)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield watch
    finally:
        ended.set()
        thread.join()
        for main in mains:
            watch.sample(main)
