"""Files that a stranger may send to `POST /read` to make it slow or large; always the same ones.

Run by itself this module shows the worst of them.
"""

import datetime as dt
import multiprocessing
import os
import pathlib
import resource
import sys
import time
from multiprocessing.connection import Connection
from typing import NamedTuple

from app.ops.engine_libraries import warm_up_reading
from app.tables.answers import Answers, TableBounds
from app.tables.errors import UnreadableTableError, WrongAnswerError
from app.tables.read_table import read_file
from app.tables.reading import Reading
from tests.support.process_usage import peak_mebibytes, reset_peak
from tests.tables.hostile_archives import ARCHIVES
from tests.tables.hostile_json import JSONS
from tests.tables.hostile_spreadsheets import spreadsheet_makers
from tests.tables.hostile_tables import Maker
from tests.tables.hostile_texts import text_makers
from tests.tables.hostile_workbooks import workbook_makers

MEBIBYTE = 1024 * 1024
BOUNDS = TableBounds(
    max_points=50_000, max_unpacked_bytes=64 * MEBIBYTE, today=dt.date(2026, 12, 31)
)
NO_ANSWERS = Answers()
CPU_SECONDS = 20  # then the kernel ends the process
# Of files that were read, in memory and of addresses: then another process reads the next one.
MAX_KEPT_MEBIBYTES, MAX_KEPT_ADDRESSES_MEBIBYTES = 30, 300
FORK = multiprocessing.get_context("fork")
ADDRESS_SPACE_BYTES = 3 * 1024 * MEBIBYTE
FILES: dict[str, Maker] = {
    **dict(text_makers()),
    **dict(workbook_makers()),
    **ARCHIVES,
    **dict(spreadsheet_makers()),
    **{f"json: {name}": make for name, make in JSONS.items()},
}


class Outcome(NamedTuple):
    """How a file was read: ``result`` is None where the process ended early, by ``signal``."""

    result: Reading | UnreadableTableError | WrongAnswerError | None
    seconds: float
    growth_mebibytes: float
    signal: int


class _Reader:
    """A process that reads files one after the other."""

    def __init__(self) -> None:
        self._files, theirs = FORK.Pipe()
        self._process = FORK.Process(target=_read_all, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def read(self, content: bytes, answers: Answers) -> tuple[Outcome, bool]:
        """Return how a file was read, and whether the process can read another one."""
        self._files.send((content, answers))
        try:
            outcome, can_continue = self._files.recv()
        except EOFError:
            self._process.join()
            return Outcome(None, 0.0, 0.0, -(self._process.exitcode or 0)), False
        if not can_continue:
            self._process.kill()
        return outcome, can_continue


_readers: list[_Reader] = []


def read_apart(content: bytes, answers: Answers = NO_ANSWERS) -> Outcome:
    """Read a file in another process, under a watch of CPU time and memory."""
    reader = _readers.pop() if _readers else _Reader()
    outcome, can_continue = reader.read(content, answers)
    if can_continue:
        _readers.append(reader)
    return outcome


def _read_all(files: Connection) -> None:
    """Read files until the other end is closed; say after each whether it left little memory."""
    first, first_addresses = _memory_mebibytes()
    limit = int(first_addresses * MEBIBYTE) + ADDRESS_SPACE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    while True:
        content, answers = files.recv()
        reset_peak(os.getpid())
        before, started = _memory_mebibytes()[0], time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(started) + CPU_SECONDS, -1))
        result = read_file(content, answers, BOUNDS)
        took = time.process_time() - started
        growth = peak_mebibytes(os.getpid()) - before
        kept, addresses = _memory_mebibytes()
        can_continue = (
            kept - first <= MAX_KEPT_MEBIBYTES
            and addresses - first_addresses <= MAX_KEPT_ADDRESSES_MEBIBYTES
        )
        files.send((Outcome(result, took, growth, 0), can_continue))


def _memory_mebibytes() -> tuple[float, float]:
    """Return what this process has in memory, and of addresses."""
    with pathlib.Path("/proc/self/statm").open() as file:
        addresses, resident = map(int, file.read().split()[:2])
    page = os.sysconf("SC_PAGE_SIZE") / MEBIBYTE
    return resident * page, addresses * page


def line_of(name: str, outcome: Outcome) -> str:
    """Return a line that says what a file cost."""
    kind, issue = type(outcome.result).__name__, getattr(outcome.result, "issue", "")
    cost = f"{outcome.seconds:6.2f} s {outcome.growth_mebibytes:5.0f} MiB"
    return f"{cost}  {name}: {kind} {issue[:80]}"


def main() -> None:
    """Print what the files cost whose names have all words of the command line."""
    warm_up_reading()
    for name, make in FILES.items():
        if all(word in name for word in sys.argv[1:]):
            print(line_of(name, read_apart(make())), flush=True)


if __name__ == "__main__":
    main()
