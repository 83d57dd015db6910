"""A step, and how a list of them is run: one setup at a time, each step in one line."""

import contextlib
import errno
import fcntl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.ops.setup.machine import Machine, SetupError

AGAIN_HINT = "Then run the same command again: it continues from here"
LOCK = "/run/forecast-service-setup.lock"


@dataclass(frozen=True)
class SetupStep:
    """One step of the setup.

    Attributes:
        name: What it is about, in a word or two.
        aim: What it would do, for a dry run.
        found: Returns in a line what is there already, or None if the step is to be done.
        do: Does it; returns in a line what was done.
    """

    name: str
    aim: str
    found: Callable[[], str | None]
    do: Callable[[], str]


def run_steps(steps: Sequence[SetupStep], say: Callable[[str], None], *, dry_run: bool) -> int:
    """Run the steps in order; return how many were done, not found done.

    Raises:
        SetupError: A step failed; the message is a sentence that says what to do.
    """
    done = 0
    for step in steps:
        try:
            line = step.found()
            if line is None:
                done += 1
                line = f"would {step.aim}" if dry_run else step.do()
        except OSError as error:
            full = error.errno == errno.ENOSPC
            problem = "the disk is full; free space on it" if full else error
            raise SetupError(f"{step.name}: {problem}. {AGAIN_HINT}") from None
        except SetupError as error:
            raise SetupError(f"{step.name}: {error}. {AGAIN_HINT}") from None
        say(f"{step.name + ':':13} {line}")
    return done


@contextlib.contextmanager
def lock_setup(machine: Machine) -> Iterator[None]:
    """Hold the machine's lock for a block.

    Raises:
        SetupError: Another setup holds it.
    """
    with machine.path(LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SetupError(
                "another setup is running on this machine; wait until it has ended"
            ) from None
        yield
