"""Each promise of the README and of docs/proof.md is shown by what is there."""

import re
from typing import Any

import pytest

from docs.list_promises import PROMISES
from tests.support.server import ROOT

README = (ROOT / "README.md").read_text()
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)


def bold_words(promise: str) -> str:
    """Return what a promise has in bold letters."""
    return promise.split("**")[1].rstrip(".")


def has_run(path: str) -> bool:
    """Return whether a file, or a file in a folder, has a test."""
    place = ROOT / path
    files = [place] if place.is_file() else list(place.rglob("*.py"))
    return any(
        re.search(r"^ *(async )?def test_", file.read_text(), re.MULTILINE) for file in files
    )


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: bold_words(promise["promise"]))
def test_the_tests_and_commands_of_a_promise_exist(promise: dict[str, Any]) -> None:
    assert promise["tests"]
    assert [
        test for test in promise["tests"] if test != "tests/machine" and not has_run(test)
    ] == []
    assert [command for command in promise.get("commands", []) if command not in TARGETS] == []


def test_every_promise_of_the_readme_has_its_proof() -> None:
    section = README.split("## What it promises")[1].split("\n## ")[0]
    promised = re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE)
    assert len(promised) >= 7
    shown = {bold_words(promise["promise"]) for promise in PROMISES}
    assert [name for name in promised if name.rstrip(".") not in shown] == []


def test_each_figure_of_the_readme_is_in_the_proof_of_its_promise() -> None:
    section = README.split("## What it promises")[1].split("\n## ")[0]
    proof = (ROOT / "docs" / "proof.md").read_text()
    rows = {bold_words(row): row for row in re.findall(r"^\| \*\*.*$", proof, re.MULTILINE)}
    promises = [f"**{promise}" for promise in section.split("\n- **")[1:]]
    figures = [
        (bold_words(promise), figure)
        for promise in promises
        for figure in re.findall(r"\d+\.\d+|\d+(?= ms)", promise)
    ]
    assert figures
    assert [(name, figure) for name, figure in figures if figure not in rows[name]] == []
