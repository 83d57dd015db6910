"""The programs that tests run: they are looked up here, and counted if they are missing."""

import json
import os
import re
import shutil
import socket
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import playwright
import pytest

_ROOT = Path(__file__).parents[2]
# Debian keeps these programs apart from the others.
OTHER_FOLDERS = ("/usr/sbin", *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")))[::-1])
REASON = "missing: {}; tests/setup.sh installs it"
PROGRAM = re.compile(r"missing: ([^;]+);")


def in_ci() -> bool:
    """Return whether skipped tests go unnoticed, so that a missing program is a failure."""
    return os.environ.get("CI", "").lower() in {"1", "true"}


def report_missing(name: str) -> NoReturn:
    """Skip the test, or fail it in CI, as a program is missing."""
    (pytest.fail if in_ci() else pytest.skip)(REASON.format(name))


def find_binary(name: str) -> str:
    """Return the path of a program; skip the test if it is missing."""
    path = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *OTHER_FOLDERS]))
    return path or report_missing(name)


def find_node() -> str:
    """Return the path of Playwright's Node, which needs a system library."""
    node = str(Path(playwright.__file__).parent / "driver" / "node")
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    if library := re.search(r"[\w.-]+\.so[.\d]*(?=: cannot open)", done.stderr):
        report_missing(library[0])
    return node


def resolve(command: list[str]) -> list[str]:
    """Return the command with the path of its program."""
    name, *words = command
    return [find_node() if name == "node" else find_binary(name), *words]


def output_of(command: Sequence[str | Path], **options: Any) -> str:
    """Run a program, which must succeed, in the project's folder; return what it prints."""
    options = {"cwd": _ROOT, "capture_output": True, "text": True, **options}
    return subprocess.run(command, check=True, **options).stdout


def need_localhost() -> None:
    """Skip the test where the system's resolver does not know localhost."""
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:
        report_missing("localhost in /etc/hosts")


def count_missing(reasons: Iterable[str]) -> Counter[str]:
    """Count skipped tests by the missing program."""
    return Counter(match[1] for reason in reasons if (match := PROGRAM.search(reason)))


def add_to_file(counts: Counter[str], file: Path) -> Counter[str]:
    """Add counts to the counts of earlier runs in ``file``; return the sums."""
    if file.exists():
        counts = counts + Counter(json.loads(file.read_text()))
    file.write_text(json.dumps(counts))
    return counts


def summary(counts: Counter[str]) -> list[str]:
    """Return lines that say how many tests were skipped for each program, most first."""
    return [f"{number} skipped: {name} is missing" for name, number in counts.most_common()]
