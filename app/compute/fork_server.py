"""The fork server of the engines loads their libraries once, then forks supervisors.

So the process that accepts requests does not load these libraries, and a killed supervisor is
replaced without loading them again.
"""

import gc
import logging
import os
import socket
import time
from collections.abc import Callable

from app.compute.forking import run_and_exit, set_up_fork
from app.compute.supervisor import RESTART_PAUSE_SECONDS, SupervisorSettings, supervise

logger = logging.getLogger(__name__)


def serve_forks(
    listener: socket.socket,
    parent_pid: int,
    settings: SupervisorSettings,
    load: Callable[[], None],
    clean_up: Callable[[], None],
) -> None:
    """Load the libraries of the engines, then keep one supervisor running until `END_SIGNAL`.

    Args:
        listener: The socket of callers, who wait there while no supervisor accepts them.
        parent_pid: This process ends with that one.
        settings: The settings of a supervisor.
        load: Imports the libraries of the engines.
        clean_up: Is called if the parent was killed, and so cannot clean up itself.
    """

    def exit_on_signal(_signal: int, _frame: object) -> None:
        if os.getppid() != parent_pid:
            clean_up()
        os._exit(0)  # the supervisor ends with this process

    set_up_fork(listener.fileno(), parent_pid, exit_on_signal)
    load()
    # Freeze the loaded objects, so that garbage collection does not copy their pages.
    gc.collect()
    gc.freeze()
    own_pid = os.getpid()
    while True:
        supervisor_pid = os.fork()
        if supervisor_pid == 0:
            run_and_exit(lambda: supervise(listener, own_pid, settings))
        os.waitpid(supervisor_pid, 0)
        logger.error("engine supervisor %d has ended; replacing it", supervisor_pid)
        time.sleep(RESTART_PAUSE_SECONDS)
