"""How long a request waits for a lock in the database, however many wait with it.

Requests queue for a thread. If each waited its full time for a lock that somebody else holds, those
behind would wait for it in turns, and for longer than any answer may take. So after a lock timeout
the rest wait for a moment only, until something is written again; one at a time still waits fully,
for a database that has merely become slow.
"""

import contextlib
import functools
import sqlite3
import threading
import time
from collections.abc import Iterator

from sqlalchemy import Dialect

BRIEF_MS = 200  # enough for a lock that the service's own requests take in turn
FULL_MS = {"sqlite": 2_000, "postgresql": 1_500}
SET_WAIT = {"sqlite": "PRAGMA busy_timeout = {}", "postgresql": "SET statement_timeout = {}"}
STRAINED_SECONDS = 1.0
LOCK_TIMEOUTS = ("55P03", "57014")  # PostgreSQL's lock_not_available and query_canceled


class LockWaits:
    """What the threads of a process know of lock waits in one database.

    Attributes:
        full_ms: The longest wait of a statement, in milliseconds.
    """

    def __init__(self, full_ms: int) -> None:
        self.full_ms = full_ms
        self._strained_until = 0.0
        self._written_at = 0.0
        self._waits_fully = threading.Lock()

    @contextlib.contextmanager
    def turn(self, *, writes: bool) -> Iterator[int]:
        """Give a statement the milliseconds that it may wait, and learn from what becomes of it.

        ``writes`` tells whether its success shows that the lock is free: readers wait for none.
        """
        began = time.monotonic()
        strained = began < self._strained_until
        chosen = strained and self._waits_fully.acquire(blocking=False)
        try:
            yield BRIEF_MS if strained and not chosen else self.full_ms
        except Exception as error:
            # Among many writers one may wait too long for its turn; then the others have theirs.
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
    """Return what this process knows of the database of ``dialect``, an engine's own."""
    return LockWaits(FULL_MS[dialect.name])


def is_lock_timeout(error: Exception) -> bool:
    """Return whether a driver's ``error`` says that a lock was not free in time."""
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return getattr(error, "sqlstate", None) in LOCK_TIMEOUTS
