"""Decisions that are named by number are in docs/developing/decisions.md."""

import re

from tests.support.programs import output_of
from tests.support.server import ROOT

PAGE = ROOT / "docs" / "developing" / "decisions.md"
NUMBERS = re.findall(r"^\| (D\d+) \|", PAGE.read_text(), re.MULTILINE)
# In each text file of the project: its name, and a number.
NAMED = ["git", "grep", "-I", "--only-matching", "--word-regexp", "-E", "D[0-9]{1,2}"]
NAMED += ["--", ":!app/web/pages/vendor"]


def test_each_decision_has_one_row_in_order() -> None:
    numbers = [int(number[1:]) for number in NUMBERS]
    assert numbers[:35] == list(range(1, 36))
    assert numbers == sorted(set(numbers))


def test_every_decision_that_is_named_is_there() -> None:
    named = sorted({tuple(line.rsplit(":", 1)) for line in output_of(NAMED).splitlines()})
    assert len({file for file, _number in named}) > 2  # the search finds what there is
    assert [(file, number) for file, number in named if number not in NUMBERS] == []
