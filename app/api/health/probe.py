"""Run checks that may hang: rarely, each in its own thread, and with a bounded wait."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

FRESH_SECONDS = 1.0


class Probe:
    """One check; callers at the same time, or shortly after each other, share its result.

    A check that hangs is not started again before it has ended.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "probe")  # starts with the first check
        self._result: Future[None] | None = None
        self._started_at = 0.0

    def run(self, check: Callable[[], None]) -> Future[None]:
        """Return the future result; ``check`` raises if something is wrong."""
        with self._lock:
            if self._result is None or (
                self._result.done() and time.monotonic() - self._started_at >= FRESH_SECONDS
            ):
                self._started_at = time.monotonic()
                self._result = self._thread.submit(check)
            return self._result


def failure_kind(result: "Future[None]", deadline: float) -> str | None:
    """Return the kind of error that the check ended with, None if it succeeded.

    A check without a result at ``deadline``, on the monotonic clock, has failed too.
    """
    try:
        result.result(max(0.0, deadline - time.monotonic()))
    except TimeoutError:
        return "timeout"
    except Exception as error:  # whatever a check raises, it has failed
        return type(error).__name__
    return None
