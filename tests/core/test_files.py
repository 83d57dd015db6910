"""Tests of app/core/files.py."""

import os

import pytest

from app.core.files import replace_file


def keep_owner(descriptor) -> None:
    os.fchown(descriptor, os.geteuid(), os.getegid())


def test_a_file_gets_its_content_and_mode(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    replace_file(path, "after", 0o640, keep_owner)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("after", 0o640)
    assert [*tmp_path.iterdir()] == [path]


def test_a_link_is_replaced_and_not_followed(tmp_path) -> None:
    other, path = tmp_path / "other", tmp_path / "file"
    other.write_text("other")
    path.symlink_to(other)
    (tmp_path / ".file.new").symlink_to(other)
    replace_file(path, "new", 0o600, keep_owner)
    assert (path.read_text(), other.read_text()) == ("new", "other")
    assert not path.is_symlink()


def test_a_failure_leaves_the_file_as_it_was(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def fail(_descriptor) -> None:
        raise PermissionError

    with pytest.raises(PermissionError):
        replace_file(path, "after", 0o600, fail)
    assert path.read_text() == "before"
