"""Two admins at the same time."""

import threading
import time
from collections.abc import Callable

from sqlalchemy.exc import OperationalError

HEAD_START_SECONDS = 0.3
TRIES = 5


def start_second(change: Callable[[], object]) -> threading.Thread:
    """Start a second admin's ``change`` while the first one's is not committed: it waits for that.

    A machine that stops meanwhile makes the wait longer than the database allows. Then the second
    admin tries again, as one would.
    """

    def keep_trying() -> None:
        for left in reversed(range(TRIES)):
            began = time.monotonic()
            try:
                change()
                return
            except OperationalError:
                if not left or time.monotonic() - began < HEAD_START_SECONDS:
                    raise

    second = threading.Thread(target=keep_trying)
    second.start()
    second.join(HEAD_START_SECONDS)
    assert second.is_alive(), "the second admin did not wait"
    return second
