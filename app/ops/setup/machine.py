"""The machine to set up: its files, programs and name server; tests replace it."""

import grp
import os
import pwd
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.files import replace_file


class SetupError(Exception):
    """A step failed; the message is a sentence that says what to do."""


@dataclass(frozen=True)
class ProgramResult:
    """The exit status of a program, and its output."""

    status: int
    stdout: str
    stderr: str

    @property
    def message(self) -> str:
        """The last line of output."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return lines[-1] if lines else "it gave no reason"


class Machine:
    """This machine, or the part of it under ``root``."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def path(self, location: str) -> Path:
        """Return the real location of the absolute path ``location`` of the machine."""
        return self.root / location.lstrip("/")

    def run(self, *command: str, stdin: str = "") -> ProgramResult:
        try:
            # In English, as output is searched for words, and UTF-8, which the service needs.
            environ = os.environ | {"LC_ALL": "C.UTF-8"}
            result = subprocess.run(
                command, input=stdin, env=environ, capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            return ProgramResult(127, "", f"{command[0]} is not installed")
        return ProgramResult(result.returncode, result.stdout, result.stderr)

    def run_checked(self, problem: str, *command: str) -> str:
        """Run a program; return its output, or raise SetupError if it fails.

        The message begins with ``problem`` and ends with the last line of the output.
        """
        result = self.run(*command)
        if result.status != 0:
            full = "No space left" in result.stderr or "disk is full" in result.stderr
            remedy = "; free space on the disk" if full else ""
            raise SetupError(f"{problem}: {result.message.removeprefix('Error: ')}{remedy}")
        return result.stdout

    def write(self, location: str, content: str, mode: int = 0o644, group: str = "root") -> None:
        """Replace a file atomically, with its final mode and owner."""
        path = self.path(location)

        def set_owner(descriptor: int) -> None:
            self.set_owner(path, user="root", group=group, descriptor=descriptor)

        replace_file(path, content, mode, set_owner)

    def set_owner(self, path: Path, user: str, group: str, descriptor: int) -> None:
        """Set the owner of the open file or folder that is at ``path``."""
        os.fchown(descriptor, pwd.getpwnam(user).pw_uid, grp.getgrnam(group).gr_gid)

    def owner_of(self, location: str) -> str:
        """Return the owner of a file or folder, as ``user:group``."""
        status = self.path(location).stat()
        return f"{_name_of(pwd.getpwuid, status.st_uid)}:{_name_of(grp.getgrgid, status.st_gid)}"

    def mode_of(self, location: str) -> int:
        """Return the permissions of a file or folder, such as 0o640."""
        return stat.S_IMODE(self.path(location).stat().st_mode)

    def make_folder(self, location: str, user: str, group: str) -> None:
        """Create a folder, unless it exists, and set its owner and mode."""
        path = self.path(location)
        path.mkdir(mode=0o750, parents=True, exist_ok=True)
        self._set_rights(path, os.O_RDONLY | os.O_DIRECTORY, 0o750, user, group)

    def make_log(self, location: str, user: str, group: str) -> None:
        """Create a log file, unless it exists, and set its owner and mode."""
        path = self.path(location)
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        self._set_rights(path, flags, 0o640, user, group)

    def _set_rights(self, path: Path, flags: int, mode: int, user: str, group: str) -> None:
        descriptor = os.open(path, flags, mode)
        try:
            self.set_owner(path, user, group, descriptor)
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def is_root(self) -> bool:
        """Return whether this process may change the machine."""
        return os.geteuid() == 0

    def has_program(self, program: str) -> bool:
        return shutil.which(program) is not None

    def free_bytes(self, location: str) -> int:
        """Return the free space of the disk that ``location`` is or will be on."""
        path = self.path(location)
        while not path.exists():
            path = path.parent
        return shutil.disk_usage(path).free

    def addresses_of(self, name: str) -> set[str]:
        """Return the addresses of ``name`` in the DNS; empty if it has none."""
        try:
            entries = socket.getaddrinfo(name, 443, type=socket.SOCK_STREAM)
        except OSError:
            return set()
        return {str(entry[4][0]) for entry in entries}

    def now(self) -> float:
        """Return the time, in seconds since 1970."""
        return time.time()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


def _name_of(look_up: Callable[[int], Sequence[object]], number: int) -> str:
    try:
        return str(look_up(number)[0])
    except KeyError:
        return str(number)
