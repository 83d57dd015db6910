"""Files that a stranger may send to `POST /read` to make it slow or large; always the same ones.

Run by itself this module shows the worst of them.
"""

import os
import pathlib
import pickle
import resource
import sys
from typing import NamedTuple

from app.tables.read import read_file, warm_up
from app.tables.results import Answers, NotATableError, Reading, TableBounds, WrongAnswerError
from tests.tables.nasty_archives import ARCHIVES
from tests.tables.nasty_tables import Maker
from tests.tables.nasty_texts import text_makers
from tests.tables.nasty_workbooks import workbook_makers

MEBIBYTE = 1024 * 1024
BOUNDS = TableBounds(points=50_000, unpacked=64 * MEBIBYTE, this_year=2026)
NO_ANSWERS = Answers()
CPU_SECONDS = 20  # then the kernel ends the child
ADDRESS_SPACE_BYTES = 3 * 1024 * MEBIBYTE
FILES: dict[str, Maker] = {**dict(text_makers()), **dict(workbook_makers()), **ARCHIVES}


class Outcome(NamedTuple):
    """How a file was read: ``result`` is None where the process ended early."""

    result: Reading | NotATableError | WrongAnswerError | None
    seconds: float
    growth_mebibytes: float
    signal: int


def read_apart(content: bytes, answers: Answers = NO_ANSWERS) -> Outcome:
    """Read a file in a process of its own, under a watch of processor time and memory."""
    receiving, sending = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(receiving)
            _read_to(sending, content, answers)
        finally:
            os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as stream:
        sent = stream.read()
    _, status, usage = os.wait4(pid, 0)
    before = _resident_mebibytes()
    result, seconds, before = pickle.loads(sent) if sent else (None, usage.ru_utime, before)
    return Outcome(result, seconds, usage.ru_maxrss / 1024 - before, os.WTERMSIG(status))


def _read_to(sending: int, content: bytes, answers: Answers) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    before, started = _resident_mebibytes(), _processor_seconds()
    result = read_file(content, answers, BOUNDS)
    took = _processor_seconds() - started
    with os.fdopen(sending, "wb") as stream:
        stream.write(pickle.dumps((result, took, before)))


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _resident_mebibytes() -> float:
    with pathlib.Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def line_of(name: str, outcome: Outcome) -> str:
    """Return a line that says what a file cost."""
    kind, issue = type(outcome.result).__name__, getattr(outcome.result, "issue", "")
    cost = f"{outcome.seconds:6.2f} s {outcome.growth_mebibytes:5.0f} MiB"
    return f"{cost}  {name}: {kind} {issue[:80]}"


def main() -> None:
    """Print what the files cost whose names have all words of the command line."""
    warm_up()
    for name, make in FILES.items():
        if all(word in name for word in sys.argv[1:]):
            print(line_of(name, read_apart(make())), flush=True)


if __name__ == "__main__":
    main()
