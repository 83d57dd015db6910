"""Bounded waits for database locks, independent of the number of waiting requests.

Requests queue for threads. If each waited the full timeout for a lock that is held elsewhere, the
waits would add up beyond any acceptable response time. So after a lock timeout, others wait only
briefly until a write succeeds again; one at a time still waits the full timeout, in case the
database is merely slow.

SQLite has one writer at a time, and waits for it by polling, with pauses of up to 100 ms. In a busy
process some threads would never find the lock free, although each holds it only briefly. So the
threads of a process queue for it, and only the first one polls.
"""

import contextlib
import functools
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Dialect
from sqlalchemy.exc import DBAPIError

SHORT_WAIT_MS = 200  # enough for locks that the service's own requests take in turn
FULL_WAIT_MS = {"sqlite": 2_000, "postgresql": 1_500}
SET_WAIT = {"sqlite": "PRAGMA busy_timeout = {}", "postgresql": "SET statement_timeout = {}"}
SHORT_WAITS_SECONDS = 1.0  # after a lock timeout
_LOCK_TIMEOUTS = ("55P03", "57014")  # PostgreSQL's lock_not_available and query_canceled
# Marks the error of a lock timeout in a database that is busy, not stuck.
BUSY_NOTE = "others wrote meanwhile"


class WriterQueue:
    """A lock that threads acquire in the order of their requests."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._turns: deque[threading.Lock] = deque()  # one for each thread; the first has the lock

    def acquire(self, timeout_seconds: float) -> bool:
        """Wait for the lock; return whether this thread acquired it."""
        turn = threading.Lock()
        turn.acquire()
        with self._guard:
            self._turns.append(turn)
            if len(self._turns) == 1:
                return True
        if turn.acquire(timeout=timeout_seconds):
            return True
        with self._guard:
            if turn is self._turns[0]:
                return True
            self._turns.remove(turn)
        return False

    def release(self) -> None:
        """Pass the lock to the thread that has waited longest."""
        with self._guard:
            self._turns.popleft()
            if self._turns:
                self._turns[0].release()


class LockWaits:
    """The state of lock waits in one database, shared by the threads of a process.

    ``full_ms`` is the full timeout of a statement; ``wal_path`` is the write-ahead log of all
    processes, None if there is none.
    """

    def __init__(self, full_ms: int, *, has_one_writer: bool) -> None:
        self.full_ms = full_ms
        self.wal_path: Path | None = None
        self._writers = WriterQueue() if has_one_writer else None
        self._short_waits_until = 0.0
        self._written_at = 0.0
        self._probe_lock = threading.Lock()

    @contextlib.contextmanager
    def limit_wait(self, *, is_write: bool) -> Iterator[int]:
        """Yield the milliseconds that a statement may wait, and adapt to its outcome.

        - No lock timeout is recent: the full timeout.
        - One is recent, and no other thread probes: the full timeout, as this statement probes.
        - One is recent, and another thread probes: a short wait.
        - Others wrote for more than half of the full timeout before its turn came: a short wait.

        ``is_write``: whether its success shows that the lock is free; readers need no lock.
        """
        is_probe = self._has_short_waits() and self._probe_lock.acquire(blocking=False)
        queue = self._writers if is_write else None
        is_first = False
        began = queued_at = time.monotonic()
        try:
            if queue is not None:  # a thread whose turn does not come in time polls, too
                is_first = queue.acquire(self._wait_ms(is_probe=is_probe) / 1000)
            began = time.monotonic()
            # Both waits together take at most one and a half times the full timeout.
            is_late = began - queued_at > self.full_ms / 2_000
            yield SHORT_WAIT_MS if is_late else self._wait_ms(is_probe=is_probe)
        except Exception as error:  # raised again: drivers have different errors for a timeout
            cause = error.orig if isinstance(error, DBAPIError) else error
            if cause is not None and is_lock_timeout(cause):
                self._record_timeout(cause, time.monotonic() - began)
            raise
        else:
            if is_write:
                self._written_at = time.monotonic()
                self._short_waits_until = 0.0
        finally:
            if queue is not None and is_first:
                queue.release()
            if is_probe:
                self._probe_lock.release()

    def _has_short_waits(self) -> bool:
        return time.monotonic() < self._short_waits_until

    def _wait_ms(self, *, is_probe: bool) -> int:
        return SHORT_WAIT_MS if self._has_short_waits() and not is_probe else self.full_ms

    def _record_timeout(self, error: BaseException, waited_seconds: float) -> None:
        """Distinguish a busy database from a stuck one.

        It is busy if others wrote in the second half of the wait, or of a full one: on busy cores a
        process that holds the lock may pause for longer than half of a short wait.
        """
        half = max(waited_seconds, self.full_ms / 1000) / 2
        if self._written_at > time.monotonic() - half or self._has_recent_wal_write(half):
            error.add_note(BUSY_NOTE)
        else:
            self._short_waits_until = time.monotonic() + SHORT_WAITS_SECONDS

    def _has_recent_wal_write(self, seconds: float) -> bool:
        """Return whether any process wrote to the log within the last ``seconds``."""
        with contextlib.suppress(OSError):
            return (
                self.wal_path is not None and self.wal_path.stat().st_mtime > time.time() - seconds
            )
        return False


@functools.cache
def lock_waits_of(dialect: Dialect) -> LockWaits:
    """Return the lock waits for the database of ``dialect``, which belongs to one engine."""
    return LockWaits(FULL_WAIT_MS[dialect.name], has_one_writer=dialect.name == "sqlite")


def is_busy_error(error: Exception) -> bool:
    """Return whether SQLAlchemy's ``error`` is a lock timeout in a database that is busy."""
    return isinstance(error, DBAPIError) and BUSY_NOTE in getattr(error.orig, "__notes__", ())


def is_lock_timeout(error: BaseException) -> bool:
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return getattr(error, "sqlstate", None) in _LOCK_TIMEOUTS
