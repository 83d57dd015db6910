"""Connections that wait in the worker's event loop, where they take no thread."""

import time

from gunicorn.workers.gthread import TConn


class Waiting:
    """Connections that may wait for as long as all others here, counted from their arrival."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until: dict[TConn, float] = {}  # the first to arrive is the first whose time ends

    def add(self, conn: TConn) -> None:
        """Let ``conn`` wait; one that does already waits no longer for that."""
        self._until.setdefault(conn, time.monotonic() + self._seconds)

    def discard(self, conn: TConn) -> None:
        """Let ``conn`` wait no more, if it does."""
        self._until.pop(conn, None)

    def take_overdue(self) -> list[TConn]:
        """Return the connections whose time has ended, which wait no more."""
        now = time.monotonic()
        overdue = []
        for conn, until in self._until.items():
            if until > now:
                break
            overdue.append(conn)
        for conn in overdue:
            del self._until[conn]
        return overdue

    def hurry(self, seconds: float) -> None:
        """Let all wait for ``seconds`` at most, those that will arrive too."""
        self._seconds = min(self._seconds, seconds)
        latest = time.monotonic() + self._seconds
        self._until = {conn: min(until, latest) for conn, until in self._until.items()}
