"""Run the steps of the setup, one setup at a time; each step prints one line."""

import contextlib
import errno
import fcntl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.ops.setup.machine import Machine, SetupError

_AGAIN_HINT = "Then run the same command again: it continues from here"
LOCK_FILE = "/run/forecast-service-setup.lock"


@dataclass(frozen=True)
class SetupStep:
    """One step of the setup; ``aim`` is what it would do, for a dry run.

    ``check`` describes the present state in a line, or returns None if the step must be done;
    ``apply`` does it, and describes in a line what was done.
    """

    name: str
    aim: str
    check: Callable[[], str | None]
    apply: Callable[[], str]


def run_steps(
    steps: Sequence[SetupStep], print_line: Callable[[str], None], *, dry_run: bool
) -> int:
    """Run the steps in order; return how many had to be done.

    Raise SetupError if a step fails; its message says what to do.
    """
    changed = 0
    for step in steps:
        try:
            line = step.check()
            if line is None:
                changed += 1
                line = f"would {step.aim}" if dry_run else step.apply()
        except OSError as error:
            is_full = error.errno == errno.ENOSPC
            problem = "the disk is full; free space on it" if is_full else error
            raise SetupError(f"{step.name}: {problem}. {_AGAIN_HINT}") from None
        except SetupError as error:
            raise SetupError(f"{step.name}: {error}. {_AGAIN_HINT}") from None
        print_line(f"{step.name + ':':13} {line}")
    return changed


@contextlib.contextmanager
def lock_setup(machine: Machine) -> Iterator[None]:
    """Lock the machine during a block; raise SetupError if another setup is running."""
    with machine.path(LOCK_FILE).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SetupError(
                "another setup is running on this machine; wait until it has ended"
            ) from None
        yield
