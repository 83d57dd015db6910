"""Tests of app/core/bounded_json.py."""

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from app.core.bounded_json import JsonTooLargeError, parse_json
from tests.support.server import ROOT

# Pages, the allocator's arenas, and the parser's own.
MARGIN_BYTES = 4 * 1024 * 1024

# Made where they are read: all of them are 40 MB, in each process that runs tests.
NASTY: dict[str, Callable[[], bytes]] = {
    "empty objects": lambda: b"[" + b"{}," * 500_000 + b"{}]",
    "empty arrays": lambda: b"[" + b"[]," * 500_000 + b"[]]",
    "objects of one entry": lambda: b"[" + b'{"":1},' * 250_000 + b"0]",
    "objects of six entries": lambda: (
        b"[" + b'{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1},' * 50_000 + b"0]"
    ),
    "one large object": lambda: orjson.dumps({f"{number:x}": 1.5 for number in range(125_000)}),
    "arrays of one number": lambda: b"[" + b"[1.5]," * 250_000 + b"0]",
    "numbers": lambda: b"[" + b"1.5," * 500_000 + b"0]",
    "digits": lambda: b"[" + b"0," * 1_000_000 + b"0]",
    "short strings": lambda: b"[" + b'"ab",' * 250_000 + b"0]",
    "wide strings": lambda: b"[" + '"éab",'.encode() * 250_000 + b"0]",
    "text": lambda: b'["' + b"a" * 8_000_000 + b'"]',
    "one wide character": lambda: '["\U0001f600'.encode() + b"a" * 8_000_000 + b'"]',
    "one escaped wide character": lambda: b'["\\ud83d\\ude00' + b"a" * 8_000_000 + b'"]',
}
STARVED = """
import os, resource, sys
from pathlib import Path
from app.core.bounded_json import JsonTooLargeError, parse_json
text = eval(sys.argv[2])
data_pages = int(Path("/proc/self/statm").read_text().split()[5])
limit = data_pages * os.sysconf("SC_PAGE_SIZE") + int(sys.argv[1]) * 1024 * 1024
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    parse_json(text, 10_000_000_000)
except JsonTooLargeError as error:
    print(error.is_process_limit)
"""
NUMBERS, WIDE_TEXT = (
    """b"[" + b"1.5," * 3_000_000 + b"0]\"""",
    """'["😀'.encode() + b"a" * 12_000_000 + b'"]'""",
)


def peak_bytes() -> int:
    """Return the most memory that this process has held since it was reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def taken_bytes(work: Callable[[], object]) -> int:
    """Return how much more memory a process of its own holds while it does ``work``."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        Path("/proc/self/clear_refs").write_text("5")  # proc(5): resets the peak
        before = peak_bytes()
        result = work()
        os.write(theirs, b"%d" % (peak_bytes() - before))
        del result
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as result:
        taken = int(result.read())
    os.waitpid(pid, 0)
    return taken


@pytest.mark.parametrize("kind", NASTY)
def test_no_text_takes_more_memory_than_was_estimated(kind: str) -> None:
    text = NASTY[kind]()
    taken = taken_bytes(lambda: orjson.loads(text))
    with pytest.raises(JsonTooLargeError):
        parse_json(text, taken - MARGIN_BYTES - 1)


def test_the_longest_request_takes_at_most_sixteen_times_its_size_in_memory() -> None:
    series = {
        "timestamps": ["2024-01-01T00:00:00Z"] * 50_000,
        "values": [float(number) for number in range(50_000)],
    }
    text = orjson.dumps({"series": [series]})
    assert parse_json(text, 16 * len(text))


def test_text_above_the_bound_is_rejected_before_it_is_parsed() -> None:
    text = NASTY["empty objects"]()
    tracemalloc.start()
    with pytest.raises(JsonTooLargeError):
        parse_json(text, 1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000


@pytest.mark.parametrize(
    ("text", "mebibytes"),
    [(NUMBERS, 40), (NUMBERS, 160), (WIDE_TEXT, 160)],
    ids=["its buffer", "many values", "a wide string"],
)
def test_running_out_of_memory_in_the_parser_is_not_reported_as_malformed_json(
    text: str, mebibytes: int
) -> None:
    """In a process of its own, whose heap has nothing free that the limit does not count.

    Its buffer takes 137 MiB, the numbers 92 and the string 46.
    """
    command = [sys.executable, "-c", STARVED, str(mebibytes), text]
    ended = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("True\n", "")


def test_text_within_the_bound_is_parsed() -> None:
    assert parse_json(b'{"a": [1, 2.5]}', 1_000) == {"a": [1, 2.5]}
