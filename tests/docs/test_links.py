"""A reader who follows a link of the documents arrives."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import anchors, documents, name_of
from tests.support.server import ROOT

DOORS = ("using", "running", "developing")
FOLDERS = ("app", "benchmarks", "clients", "deploy", "docs", "migrations", "nginx", "tests")


def broken_links(path: Path) -> list[str]:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if "://" in link or link.startswith("mailto:"):
            continue
        target, _, anchor = link.partition("#")
        other = (path.parent / target).resolve() if target else path
        exists = other.exists() and other.is_relative_to(ROOT)
        if not exists or (anchor and anchor not in anchors(other)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_every_link_of_a_document_leads_somewhere(path: Path) -> None:
    assert broken_links(path) == []


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_every_test_that_a_document_names_as_its_proof_is_there(path: Path) -> None:
    named = re.findall(r"`(tests/[\w/.-]+)`", path.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_module_that_a_page_for_developers_names_is_there() -> None:
    """Files of earlier releases are said to be of them; guides name files that readers write."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    modules = {path.name for path in [*files, *ROOT.glob("*.py")]}
    named = {
        (path.name, name)
        for path in (ROOT / "docs/developing").glob("*.md")
        for line in path.read_text().splitlines()
        if "1.2.0" not in line and "For example" not in line
        for name in re.findall(r"`(?:[\w-]+/)*(\w+\.py)`", line)
    }
    assert {(page, name) for page, name in named if name not in modules} == set()


@pytest.mark.parametrize("door", DOORS)
def test_every_page_behind_a_door_is_listed_at_the_door(door: str) -> None:
    folder = ROOT / "docs" / door
    listed = (folder / "README.md").read_text()
    pages = {path.name for path in folder.glob("*.md")} - {"README.md"}
    assert {page for page in pages if f"]({page}" not in listed} == set()


@pytest.mark.parametrize("door", DOORS)
def test_the_readme_links_every_part_of_the_documentation(door: str) -> None:
    assert f"](docs/{door}/README.md)" in (ROOT / "README.md").read_text()


def test_the_readme_fits_into_130_lines() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 130
