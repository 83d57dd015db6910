"""Asking something that may hang: in a thread of its own, seldom, and for a bounded time."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

FRESH_SECONDS = 1.0


class Probe:
    """One question; callers that come together, or soon after each other, share its answer.

    A question that hangs is not asked again before it has come to an end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "probe")  # starts with the first question
        self._answer: Future[None] | None = None
        self._asked_at = 0.0

    def ask(self, question: Callable[[], None]) -> Future[None]:
        """Return the answer to come; ``question`` raises when all is not well."""
        with self._lock:
            if self._answer is None or (
                self._answer.done() and time.monotonic() - self._asked_at >= FRESH_SECONDS
            ):
                self._asked_at = time.monotonic()
                self._answer = self._thread.submit(question)
            return self._answer


def failure(answer: "Future[None]", deadline: float) -> str | None:
    """Return the kind of error that ``answer`` is, None when all is well.

    Past ``deadline``, a moment of the monotonic clock, no answer is an error too.
    """
    try:
        answer.result(max(0.0, deadline - time.monotonic()))
    except TimeoutError:
        return "no answer in time"
    except Exception as error:
        return type(error).__name__
    return None
