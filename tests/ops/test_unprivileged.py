"""Tests of app/ops/unprivileged.py: root works in the folders of others as these, and in time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.ops.unprivileged import SharedFolderError, User, WorkError, open_regular, run_as, user_of
from tests.support.other_user import SECRET, UID, as_root, shared_machine
from tests.support.polling import poll

STRANGER = User(UID, UID)


@pytest.fixture
def machine():
    with shared_machine() as shared:
        yield shared


@as_root
class TestUserOf:
    """Who decides where a path leads."""

    def test_root_does_where_all_folders_are_of_root(self, machine) -> None:
        assert user_of(machine.victim) is None
        assert user_of(machine.of_root / "missing" / "file") is None

    def test_a_stranger_does_below_a_folder_of_theirs(self, machine) -> None:
        (machine.home / "of-root").mkdir()
        for path in (machine.home, machine.home / "new", machine.home / "of-root" / "file"):
            assert user_of(path).uid == UID

    def test_a_link_of_root_is_followed_and_one_of_a_stranger_is_not(self, machine) -> None:
        (machine.of_root / "link").symlink_to(machine.home)
        (machine.home / "link").symlink_to(machine.of_root)
        assert user_of(machine.of_root / "link" / "file").uid == UID
        assert user_of(machine.home / "link" / "victim").uid == UID

    def test_links_in_a_circle_end(self, machine) -> None:
        (machine.of_root / "link").symlink_to(machine.of_root / "link")
        with pytest.raises(SharedFolderError):
            user_of(machine.of_root / "link" / "file")

    def test_a_folder_of_root_that_others_may_write_to_is_rejected(self, machine) -> None:
        machine.of_root.chmod(0o775)
        with pytest.raises(SharedFolderError, match="chmod go-w"):
            user_of(machine.victim)
        machine.of_root.chmod(0o1777)
        assert user_of(machine.victim) is None


@as_root
def test_a_file_is_opened_with_the_rights_of_whoever_put_it_there(machine) -> None:
    (machine.home / "link").symlink_to(machine.victim)
    (machine.home / "own").write_bytes(b"own")
    with pytest.raises(PermissionError):
        open_regular(machine.home / "link")
    for path, content in ((machine.home / "own", b"own"), (machine.victim, SECRET)):
        with open_regular(path) as file:
            assert file.read() == content
    assert (os.geteuid(), os.getegid()) == (0, 0)


def test_a_named_pipe_is_rejected_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(tmp_path / "pipe")


@as_root
def test_root_privileges_are_dropped_permanently(machine) -> None:
    def work():
        with pytest.raises(PermissionError):
            os.setuid(0)
        with pytest.raises(PermissionError):
            machine.victim.read_bytes()
        return f"{os.getresuid()} {os.getresgid()}"

    assert run_as(STRANGER, work, 60, []) == f"{(UID,) * 3} {(UID,) * 3}"


def test_work_past_its_time_is_killed_with_its_child_processes(tmp_path) -> None:
    started = tmp_path / "pid"
    code = f"import os, signal; open({str(started)!r}, 'w').write(f'{{os.getpid()}}\\n'); " + (
        "signal.pause()"
    )

    def work():
        return str(subprocess.run([sys.executable, "-c", code], check=False).returncode)

    with pytest.raises(WorkError, match="did not end within 2 s"):
        run_as(None, work, 2, [])
    pid = int(started.read_text())
    assert poll(lambda: is_gone(pid), 10)


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_an_expected_problem_is_one_line_that_a_terminal_can_print() -> None:
    def work() -> None:
        raise ValueError("\x1b[2Jthe copy\nis bad" + "x" * 1_000)

    with pytest.raises(WorkError) as caught:
        run_as(None, work, 60, [ValueError])
    message = str(caught.value)
    assert message.startswith("?[2Jthe copy?is bad")
    assert len(message) < 600


def test_an_unexpected_problem_is_named_without_its_text(capfd) -> None:
    def work() -> None:
        raise KeyError("secret")

    with pytest.raises(WorkError, match="unexpected error: KeyError"):
        run_as(None, work, 60, [])


def test_a_process_that_is_killed_gives_no_result() -> None:
    with pytest.raises(WorkError, match="without a result"):
        run_as(None, lambda: os._exit(3), 60, [])
