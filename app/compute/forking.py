"""Set up forked processes: signals, open files, and exit with the parent."""

import contextlib
import ctypes
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType

logger = logging.getLogger(__name__)

_PR_SET_PDEATHSIG = 1
# Not SIGTERM: platforms send that to all processes when they stop the service, but engines must
# keep running until the web server's master has stopped its workers.
END_SIGNAL = signal.SIGUSR1


def run_and_exit(work: Callable[[], None]) -> None:
    """Run ``work`` in this forked process and exit, without running code of the parent."""
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        logger.exception("an engine process failed")
    finally:
        os._exit(status)


def set_up_fork(
    kept_descriptor: int,
    parent_pid: int,
    on_end: Callable[[int, FrameType | None], None] | None = None,
) -> None:
    """Set up the signals and open files of this forked process, which ends with its parent.

    ``on_end`` handles `END_SIGNAL`, which ends the process without it.
    """
    _reset_signals()
    _close_other_files(kept_descriptor)
    signal.signal(END_SIGNAL, on_end or signal.SIG_DFL)
    _end_with_parent(parent_pid)


def _reset_signals() -> None:
    """Reset the signal handlers inherited from the web server's master."""
    for name in ("SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGALRM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGWINCH", "SIGTTIN", "SIGTTOU"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def _close_other_files(kept_descriptor: int) -> None:
    """Close file descriptors inherited from the parent, except the standard streams."""
    for link in list(Path("/dev/fd").iterdir()):
        if int(link.name) not in (0, 1, 2, kept_descriptor):
            with contextlib.suppress(OSError):  # the descriptor that listed the folder
                os.close(int(link.name))


def _end_with_parent(parent_pid: int) -> None:
    """Ask the kernel (Linux) to send `END_SIGNAL` when the parent ends; send it now if it has."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, END_SIGNAL)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), END_SIGNAL)
