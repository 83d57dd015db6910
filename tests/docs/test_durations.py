"""How long the tests take is said in one place, docs/developing/tests.md; others point there."""

import re
import subprocess

import pytest

from tests.support.server import ROOT

HOME = "docs/developing/tests.md"
# History and measurements of releases stay as they were.
LEFT_OUT = ["CHANGELOG.md", "tests/docs/test_durations.py"]
DURATION = re.compile(
    r"\b(?:\d+|[a-z]+teen|five|six|seven|eight|nine|ten|eleven|twelve|twenty)"
    r"(?: to \w+)? (?:minutes|min)\b"
)
ABOUT_THE_TESTS = re.compile(
    r"make test\b|^test:|\ball tests\b|\bevery test\b|\.ci/run|\bthe tests\b"
)


def statements(*names: str) -> list[str]:
    """Lines that say how long the tests take, with their files."""
    listing = ["git", "grep", "-I", "--no-color", "-E", "min(utes)?", "--", *names]
    listing += [f":!{name}" for name in LEFT_OUT]
    completed = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True)
    split = (line.split(":", 1) for line in completed.stdout.splitlines())
    return [
        f"{file}: {text}"
        for file, text in split
        if DURATION.search(text) and ABOUT_THE_TESTS.search(text)
    ]


def test_one_place_says_how_long_the_tests_take() -> None:
    assert [line.partition(":")[0] for line in statements(".")] == [HOME]


@pytest.mark.parametrize(
    "line",
    [
        "make test     # every test; takes 15 to 20 minutes on two cores",
        "test: $(VENV)/installed-dev ## Run all tests, timing tests last (10 to 15 minutes)",
        "`make test` takes nine minutes",
    ],
)
def test_the_search_finds_how_it_was_said_before(line: str) -> None:
    assert DURATION.search(line)
    assert ABOUT_THE_TESTS.search(line)
