"""The tests that share a process in parallel runs, and the order of tests.

A file's tests run in one process, as by `--dist loadfile`. So do those that share a server, a
browser or nginx beyond a file: each process that ran some of them would start its own.
"""

import contextlib
import importlib
from collections.abc import Iterable
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

TESTS = Path(__file__).parents[1]
# The beginnings of the paths of files whose tests run in one process. These begin first, the
# longest before the others: none is left with one process when all else has ended.
GROUPS = {
    "pages": ("tests/web/pages/",),
    "served document": ("tests/integration/test_served_document.py",),
    "dashboard": ("tests/web/dashboard/in_a_browser/",),
    "edge": (
        "tests/edge/",
        "tests/api/dialects/azure_anomaly_detector/edge/",
        "tests/api/dialects/timegpt/edge/",
    ),
    "prometheus": ("tests/integration/test_prometheus.py",),
    "client": ("clients/python/tests/",),
}


def scope_of(nodeid: str) -> str:
    """Return the scope of a test, which runs in one process: one of `GROUPS`, or its file."""
    file = nodeid.split("::", 1)[0]
    return next((name for name, starts in GROUPS.items() if file.startswith(starts)), file)


def sort_key_of(nodeid: str) -> int:
    """Return the sort key of a test; tests with equal keys run in the order of collection."""
    places = [*GROUPS]
    scope = scope_of(nodeid)
    return places.index(scope) if scope in GROUPS else len(places)


class Scheduling(LoadScopeScheduling):
    """A scheduler that gives each process one scope of tests at a time.

    `--dist loadgroup` would need no class, but pytest 9 no longer takes the group from it.
    """

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def import_in_turn(paths: Iterable[str], process: int, processes: int) -> None:
    """Import the test modules in another order in each process.

    Bytecode that is not there yet is then written by one for all of them: to compile it and the
    assertions takes half of what it takes to collect the tests.
    """
    files = sorted(
        file
        for path in paths
        if (folder := Path(path).resolve()).is_relative_to(TESTS)
        for file in folder.rglob("test_*.py")
    )
    begin = len(files) * process // processes
    for file in files[begin:] + files[:begin]:
        name = ".".join(file.relative_to(TESTS.parent).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):  # reported when it is collected
            importlib.import_module(name)
