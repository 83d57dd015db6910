"""A release that still needs something says so; the build itself is `make release-check`."""

import subprocess
from pathlib import Path

import pytest

from deploy.release_check import find_missing

CLIENT = "clients/python/src/forecast_client/version.py"
READY = {
    "pyproject.toml": '[project]\nversion = "1.1.0"\n',
    CLIENT: '__version__ = "1.1.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-11-23\n\n- New.\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, content in READY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=tests", "-c", "user.email=tests@localhost")
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "change", "--allow-empty")


def test_a_checkout_that_is_ready_needs_nothing(checkout: Path) -> None:
    assert list(find_missing(checkout)) == []


@pytest.mark.parametrize(
    ("name", "content", "needed"),
    [
        (CLIENT, '__version__ = "1.0.0"\n', "the client's version"),
        ("CHANGELOG.md", "## [Unreleased]\n", "the changelog's section"),
        (
            "CHANGELOG.md",
            READY["CHANGELOG.md"].replace("ed]\n", "ed]\n\n- New.\n"),
            "changes under",
        ),
    ],
)
def test_a_file_that_is_not_ready_is_named(
    checkout: Path, name: str, content: str, needed: str
) -> None:
    (checkout / name).write_text(content)
    commit(checkout)
    (line,) = find_missing(checkout)
    assert line.startswith(needed)


def test_a_change_that_is_not_committed_would_be_left_out(checkout: Path) -> None:
    (checkout / "new").touch()
    (line,) = find_missing(checkout)
    assert line.startswith("a clean checkout")


def test_a_version_is_released_once(checkout: Path) -> None:
    git(checkout, "tag", "v1.1.0")
    (line,) = find_missing(checkout)
    assert line.startswith("a new version")
