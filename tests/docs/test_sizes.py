"""What the environments weigh is said with the same figure on every page."""

import re

import pytest

from tests.support.programs import output_of
from tests.support.server import ROOT

ENVIRONMENT = re.compile(r"`(\.venv[\w-]*)`(?: has|,[^`.;]*:|\s)\s*\(?(\d+) MB")


def figures(text: str) -> dict[str, set[str]]:
    """Return the megabytes that a text says of each environment."""
    stated: dict[str, set[str]] = {}
    for name, megabytes in ENVIRONMENT.findall(text):
        stated.setdefault(name, set()).add(megabytes)
    return stated


def test_all_pages_say_the_same_of_what_an_environment_weighs() -> None:
    command = ["git", "ls-files", "*.md", ":!CHANGELOG.md"]
    pages = [(ROOT / name).read_text() for name in output_of(command).split()]
    stated = figures("\n".join(pages))
    assert stated.keys() == {".venv", ".venv-nixtla"}
    assert {name: sizes for name, sizes in stated.items() if len(sizes) > 1} == {}
    for name in stated:
        assert sum(name in figures(page) for page in pages) > 1, f"only one page weighs {name}"


@pytest.mark.parametrize(
    "text",
    ["into `.venv` (380 MB)", "`.venv` has\n380 MB", "in `.venv`, as it wants pandas 2: 380 MB"],
)
def test_each_way_to_say_it_is_read(text: str) -> None:
    assert figures(text) == {".venv": {"380"}}
