"""Slots in which polls compute: a few, for accounts in turn, released while a poll waits.

Many polls may run at a time, as they mostly wait for the network, but only a few may use the CPU
and the database.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

_MAX_HELD_SECONDS = 0.5  # after which a poll lets others compute, at its next pause


class StoppedError(Exception):
    """The worker stops; the next one continues the poll."""


PauseCallback = Callable[[], None]  # lets others compute; raises to stop the poll


class PollSlots:
    """Let ``number`` threads compute at a time; the accounts of those that wait take turns."""

    def __init__(self, number: int) -> None:
        self._lock = threading.Lock()
        self._free = number
        self._waiting: dict[int, deque[threading.Event]] = {}  # the account that is next first

    def acquire(self, account_id: int) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            is_next = threading.Event()
            self._waiting.setdefault(account_id, deque()).append(is_next)
        is_next.wait()

    def release(self) -> None:
        """Pass the slot to the next account."""
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            account_id = next(iter(self._waiting))
            waiting = self._waiting.pop(account_id)
            waiting.popleft().set()
            if waiting:
                self._waiting[account_id] = waiting

    def has_waiting_polls(self) -> bool:
        return bool(self._waiting)


class PollSlot:
    """The slot of one poll: enter it to compute, `pause` between parts, `wait` for the network.

    ``longest_wait_seconds`` is the longest wait for the network.
    """

    def __init__(
        self, slots: PollSlots, account_id: int, is_stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self._slots, self._account_id, self._is_stopping = slots, account_id, is_stopping
        self._began = 0.0
        self.longest_wait_seconds = 0.0

    def __enter__(self) -> "PollSlot":
        self._acquire()
        return self

    def __exit__(self, *_error: object) -> None:
        self._slots.release()

    def pause(self) -> None:
        """Yield to waiting polls if this one has computed for long.

        Raise StoppedError if the worker stops.
        """
        self.raise_if_stopping()
        if self._slots.has_waiting_polls() and time.monotonic() - self._began > _MAX_HELD_SECONDS:
            self._slots.release()
            self._acquire()

    def raise_if_stopping(self) -> None:
        if self._is_stopping():
            raise StoppedError

    @contextlib.contextmanager
    def wait(self) -> Iterator[None]:
        """Let others compute while this poll waits for the network."""
        self._slots.release()
        began = time.monotonic()
        try:
            yield
        finally:
            self.longest_wait_seconds = max(self.longest_wait_seconds, time.monotonic() - began)
            self._acquire()

    def _acquire(self) -> None:
        self._slots.acquire(self._account_id)
        self._began = time.monotonic()
