"""Decisions named in code, tests and documents stand in docs/decisions.md."""

import re

from tests.support.server import ROOT

PAGE = ROOT / "docs" / "decisions.md"
NUMBERS = re.findall(r"^\| (D\d+) \|", PAGE.read_text(), re.MULTILINE)
READ = {".py", ".md", ".conf", ".template"}
FOLDERS = ["app", "benchmarks", "deploy", "docs", "migrations", "nginx", "tests"]
FILES = sorted(
    path
    for top in (ROOT.glob("*"), *((ROOT / folder).rglob("*") for folder in FOLDERS))
    for path in top
    if path.suffix in READ
)


def test_each_decision_has_one_row_in_order() -> None:
    assert [f"D{number}" for number in range(1, 36)] == NUMBERS


def test_every_decision_that_is_named_is_there() -> None:
    named = {
        (str(path.relative_to(ROOT)), number)
        for path in FILES
        for number in re.findall(r"\bD[0-9]{1,2}\b", path.read_text())
    }
    assert len({file for file, _number in named}) > 10  # the search finds what there is
    assert [(file, number) for file, number in sorted(named) if number not in NUMBERS] == []
