"""Work in a folder of another user as that user instead of root, and for a bounded time.

A user who can change a folder could replace files by links while root works in it, and so make root
write elsewhere. So root privileges are dropped before the folder is touched. Standard library only.
"""

import contextlib
import json
import os
import pwd
import selectors
import signal
import stat
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from app.timeseries.words import truncate

_MAX_LINKS = 40  # the kernel's limit
_MAX_RESULT_BYTES = 64 * 1024
_MAX_PROBLEM_LENGTH = 500  # characters, for one line on a terminal
_WAS_STARTED_BY_ROOT = os.geteuid() == 0


def root_command(command: str) -> str:
    """Return ``command`` as root types it, or by sudo for whoever else runs this process.

    A process of root may have become the service's user since.
    """
    name = os.environ.get("SUDO_USER") or ("root" if _WAS_STARTED_BY_ROOT else "")
    return command if name == "root" else f"sudo {command}"


@dataclass(frozen=True)
class User:
    """A user that a process can switch to."""

    uid: int
    gid: int

    def become(self) -> None:
        """Switch from root to this user, permanently."""
        self._set_groups()
        os.setgid(self.gid)
        os.setuid(self.uid)
        try:
            entry = pwd.getpwuid(self.uid)
        except KeyError:
            name, home = str(self.uid), "/"
        else:
            name, home = entry.pw_name, entry.pw_dir
        os.environ |= {"HOME": home, "USER": name, "LOGNAME": name}
        os.umask(0o027)

    def open(self, path: Path, flags: int) -> int:
        """Open a file with the permissions of this user; return its descriptor."""
        groups = os.getgroups()
        try:
            self._set_groups()
            os.setegid(self.gid)
            os.seteuid(self.uid)
            return os.open(path, flags)
        finally:
            os.seteuid(0)
            os.setegid(0)
            os.setgroups(groups)

    def _set_groups(self) -> None:
        try:
            os.initgroups(pwd.getpwuid(self.uid).pw_name, self.gid)
        except KeyError:
            os.setgroups([])


class SharedFolderError(Exception):
    """A folder of root is writable by others, so there is no single user to switch to."""


def user_of(path: Path) -> User | None:
    """Return the user who controls where ``path`` leads; None if that is root or this is not root.

    This is the owner of the first component that does not belong to root: everything below it may
    change at any time.

    Raise SharedFolderError, or OSError if a component cannot be read.
    """
    return _user_of(path.absolute(), _MAX_LINKS) if os.geteuid() == 0 else None


def _user_of(path: Path, links: int) -> User | None:
    current = Path(path.anchor)
    for number, name in enumerate(path.parts[1:], 2):
        current /= name
        try:
            status = current.lstat()
        except (FileNotFoundError, NotADirectoryError):  # opening it will raise this
            return None
        if status.st_uid != 0:
            return _owner(status)
        if stat.S_ISLNK(status.st_mode):
            if links == 0:
                raise SharedFolderError(
                    f"{path} leads through too many links; name the file itself"
                )
            target = current.parent / current.readlink()
            return _user_of(target.joinpath(*path.parts[number:]), links - 1)
        # In a sticky folder, such as /tmp, others cannot replace files of root.
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            raise SharedFolderError(
                f"{current} belongs to root, and others may write to it; give it to one user with "
                f"`chown`, or run `chmod go-w` on it"
            )
    return None


def _owner(status: os.stat_result) -> User:
    try:
        return User(status.st_uid, pwd.getpwuid(status.st_uid).pw_gid)
    except KeyError:
        return User(status.st_uid, status.st_gid)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, with the permissions of the user who controls ``path``.

    Raise SharedFolderError, or OSError, also for a device, a pipe or a folder.
    """
    user = user_of(path)
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe would wait for a writer
    descriptor = os.open(path, flags) if user is None else user.open(path, flags)
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise OSError(0, "it is not a regular file")
    return file


class WorkError(Exception):
    """The work failed or took too long; the message is one line."""


def run_as(
    user: User | None,
    work: Callable[[], object],
    timeout_seconds: float,
    expected: Sequence[type[Exception]],
) -> str:
    """Run ``work`` in a separate process as ``user``; return its result as text, "" for None.

    The process and all processes that it started are killed after ``timeout_seconds``. The result
    is a string, which root can read without risk.

    Args:
        user: The user to switch to; None: the current one.
        expected: Exceptions whose message is shown to people.

    Raise WorkError if ``work`` raised an exception, or timed out.
    """
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        _work_and_exit(user, work, write_end, tuple(expected))
    os.close(write_end)
    try:
        output = _read_until_end(read_end, time.monotonic() + timeout_seconds)
    finally:
        os.close(read_end)
        # The group does not exist before `setsid` and after its last process.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if output is None:
        raise WorkError(f"it did not end within {timeout_seconds:,.0f} s")
    try:
        outcome = json.loads(output)
        problem, result = outcome["problem"], str(outcome["result"])
    except (ValueError, LookupError, TypeError):
        raise WorkError("its process ended without a result") from None
    if problem is not None:
        raise WorkError(_printable_line(str(problem)))
    return result


def _printable_line(problem: str) -> str:
    """Return text that is safe on a terminal: a problem may quote an untrusted file."""
    printable = "".join(character if character.isprintable() else "?" for character in problem)
    return truncate(printable, _MAX_PROBLEM_LENGTH)


def _work_and_exit(
    user: User | None,
    work: Callable[[], object],
    write_end: int,
    expected: tuple[type[Exception], ...],
) -> NoReturn:
    problem, result = None, ""
    try:
        os.setsid()  # its own process group, which is killed as a whole
        if user is not None:
            user.become()
        returned = work()
        result = "" if returned is None else str(returned)
    except expected as error:
        problem = str(error)
    except BaseException as error:
        traceback.print_exc()
        problem = f"unexpected error: {type(error).__name__}"
    finally:
        with contextlib.suppress(OSError):
            os.write(write_end, json.dumps({"problem": problem, "result": result}).encode())
        os._exit(0)


def _read_until_end(descriptor: int, deadline: float) -> bytes | None:
    """Read until the other side closes; return None if it does not close in time."""
    received = b""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while len(received) <= _MAX_RESULT_BYTES:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            if not (part := os.read(descriptor, _MAX_RESULT_BYTES)):
                break
            received += part
    return received
