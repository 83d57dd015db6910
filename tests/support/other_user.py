"""Another user of the machine, who replaces files with links while root uses their folder."""

import contextlib
import os
import random
import signal
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

UID = 65534
SECRET = b"for root only"
SWAP_PROBABILITY = 0.01  # so that root finds its files and continues
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be led astray")


@dataclass(frozen=True)
class Machine:
    """The folder of another user, and root's folder with a file that only root may read."""

    home: Path
    of_root: Path

    @property
    def victim(self) -> Path:
        return self.of_root / "victim"

    def assert_unharmed(self) -> None:
        """Check that no file of root was changed, given away, created or removed."""
        status = self.victim.lstat()
        assert self.victim.read_bytes() == SECRET
        assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (0, 0, 0o600)
        assert [*self.of_root.iterdir()] == [self.victim]


@contextlib.contextmanager
def shared_machine() -> Iterator[Machine]:
    """Yield a machine within a block, outside of pytest's folder, which others may not enter."""
    with tempfile.TemporaryDirectory(prefix="strangers-") as name:
        top = Path(name)
        top.chmod(0o755)
        machine = Machine(top / "home", top / "of-root")
        machine.of_root.mkdir(mode=0o755)
        machine.victim.write_bytes(SECRET)
        machine.victim.chmod(0o600)
        machine.home.mkdir(mode=0o755)
        os.chown(machine.home, UID, UID)
        yield machine


@contextlib.contextmanager
def swap_for_links(machine: Machine, names: Sequence[str] = ()) -> Iterator[None]:
    """Let the other user replace files of these names with links within a block."""
    ready, began = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(UID)
            os.setuid(UID)
            os.write(began, b"x")
            _swap_for_ever(machine, names)
        finally:
            os._exit(1)
    try:
        assert os.read(ready, 1) == b"x"
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        _pid, status = os.waitpid(pid, 0)
        os.close(ready)
        os.close(began)
    assert os.WIFSIGNALED(status), "the stranger has given up"


def _swap_for_ever(machine: Machine, names: Sequence[str]) -> None:
    targets = (machine.victim, machine.of_root / "made")
    while True:
        for path in [machine.home / name for name in names] or [*machine.home.iterdir()]:
            with contextlib.suppress(OSError):
                if not stat.S_ISLNK(path.lstat().st_mode):
                    path.unlink()
                    path.symlink_to(random.choice(targets))
                elif random.random() < SWAP_PROBABILITY:
                    path.unlink()
                    path.write_text("NAME=of the stranger\n")
