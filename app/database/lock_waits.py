"""Bounded waits for database locks, independent of the number of waiting requests.

Requests queue for threads. If each waited the full timeout for a lock that is held elsewhere, the
waits would add up beyond any acceptable response time. So after a lock timeout, others wait only
briefly until a write succeeds again; one at a time still waits the full timeout, in case the
database is merely slow.
"""

import contextlib
import functools
import sqlite3
import threading
import time
from collections.abc import Iterator

from sqlalchemy import Dialect

BRIEF_MS = 200  # enough for locks that the service's own requests take in turn
FULL_MS = {"sqlite": 2_000, "postgresql": 1_500}
SET_WAIT = {"sqlite": "PRAGMA busy_timeout = {}", "postgresql": "SET statement_timeout = {}"}
STRAINED_SECONDS = 1.0
LOCK_TIMEOUTS = ("55P03", "57014")  # PostgreSQL's lock_not_available and query_canceled


class LockWaits:
    """The state of lock waits in one database, shared by the threads of a process.

    Attributes:
        full_ms: The full timeout of a statement, in milliseconds.
    """

    def __init__(self, full_ms: int) -> None:
        self.full_ms = full_ms
        self._strained_until = 0.0
        self._written_at = 0.0
        self._waits_fully = threading.Lock()

    @contextlib.contextmanager
    def turn(self, *, writes: bool) -> Iterator[int]:
        """Yield the milliseconds that a statement may wait, and learn from its outcome.

        ``writes`` says whether its success shows that the lock is free: readers need no lock.
        """
        began = time.monotonic()
        strained = began < self._strained_until
        chosen = strained and self._waits_fully.acquire(blocking=False)
        try:
            yield BRIEF_MS if strained and not chosen else self.full_ms
        except Exception as error:
            # Among many writers one may time out although the others make progress.
            if is_lock_timeout(error) and self._written_at < began:
                self._strained_until = time.monotonic() + STRAINED_SECONDS
            raise
        else:
            if writes:
                self._written_at = time.monotonic()
                self._strained_until = 0.0
        finally:
            if chosen:
                self._waits_fully.release()


@functools.cache
def lock_waits_of(dialect: Dialect) -> LockWaits:
    """Return the lock waits for the database of ``dialect``, which belongs to one engine."""
    return LockWaits(FULL_MS[dialect.name])


def is_lock_timeout(error: Exception) -> bool:
    """Return whether a driver's ``error`` is a lock timeout."""
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return getattr(error, "sqlstate", None) in LOCK_TIMEOUTS
