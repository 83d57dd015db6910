"""How long the tests take is said in one place, docs/developing/tests.md; others point there.

How long another target of the Makefile takes may be said where it is used, but everywhere alike.
"""

import re

import pytest

from tests.support.programs import output_of

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
NUMBERS = {"a": 1, "two": 2, "five": 5, "eight": 8, "ten": 10, "twelve": 12}
STATED = re.compile(rf"\b(\d+|{'|'.join(NUMBERS)}) minutes?\b(?! (?:or|to) )")
TARGET = re.compile(r"^[\w./-]*:([a-z-]+):|`(make [a-z-]+)(?: [A-Z]+=\w+)?`|:(make [a-z-]+) +#")


def statements(*names: str) -> list[str]:
    """Return lines that say how long the tests take, with their files."""
    listing = ["git", "grep", "-I", "--no-color", "-E", "min(utes)?", "--", *names]
    listing += [f":!{name}" for name in LEFT_OUT]
    split = (line.split(":", 1) for line in output_of(listing).splitlines())
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


def minutes(lines: list[str]) -> dict[str, set[int]]:
    """Return what lines of ``git grep`` say of each target that they name."""
    stated: dict[str, set[int]] = {}
    for line in lines:
        if (target := TARGET.search(line)) and (figure := STATED.search(line)):
            name = next(filter(None, target.groups())).removeprefix("make ")
            stated.setdefault(name, set()).add(NUMBERS.get(figure[1]) or int(figure[1]))
    return stated


def test_every_page_says_the_same_of_how_long_a_target_takes() -> None:
    names = ["Makefile", "README.md", "CONTRIBUTING.md", "docs", "benchmarks", "deploy"]
    command = ["git", "grep", "-I", "--no-color", "-E", "minutes?", "--", *names]
    stated = minutes(output_of(command).splitlines())
    assert {"soak", "calibrate", "deb"} <= stated.keys()
    assert {name: figures for name, figures in stated.items() if len(figures) > 1} == {}


def test_a_page_that_says_otherwise_is_named() -> None:
    lines = ["Makefile:soak: x ## Send traffic for 5 minutes", "a.md:make soak     # ten minutes"]
    assert minutes(lines) == {"soak": {5, 10}}
