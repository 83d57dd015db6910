"""Connections to PostgreSQL with timeouts for a server that accepts them but does not respond.

The server's own timeouts end a slow statement; they do not help if the server is paused or the
network drops packets. Imported only if PostgreSQL is used: psycopg is an extra.
"""

import functools
import threading
import time
import traceback
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus

_RESPONSE_SECONDS = 2.0  # longer than the server's own timeouts, so that those come first
# How long requests wait for a server that refuses connections, as during a restart: from the first
# failure on, for all of them. A request must have its response within 5 s.
SERVER_RESTART_SECONDS = 3.5
RESTART_POLL_SECONDS = 0.2


class CircuitBreaker:
    """The availability of a server as seen by this process.

    After a timeout, one thread at a time tries to connect and the others fail immediately: with
    many requests the waits would add up, in the connection pool and in the web server. While the
    server refuses connections, all threads wait until `SERVER_RESTART_SECONDS` after the first
    failure; from then on they fail immediately, until a connection succeeds.
    """

    def __init__(self) -> None:
        self._is_unresponsive = False
        self._probe_lock = threading.Lock()
        self._failing_since: float | None = None

    def record_timeout(self) -> None:
        """Remember that the server did not respond in time."""
        self._is_unresponsive = True

    def connect(self, *arguments: Any, **parameters: Any) -> "BoundedConnection":
        if not self._is_unresponsive:
            return self._connect_in_time(*arguments, **parameters)
        if not self._probe_lock.acquire(blocking=False):
            # As the driver does, so that callers treat it as a server that is unavailable.
            raise psycopg.OperationalError(
                "the server does not respond; another request is retrying"
            )
        try:
            connection = self._connect(*arguments, **parameters)
            self._is_unresponsive = False
            return connection
        finally:
            self._probe_lock.release()

    def _connect_in_time(self, *arguments: Any, **parameters: Any) -> "BoundedConnection":
        while True:
            try:
                connection = self._connect(*arguments, **parameters)
            except psycopg.errors.ConnectionTimeout:
                raise
            except psycopg.OperationalError:
                now = time.monotonic()
                failing_since = self._failing_since = self._failing_since or now
                if now - failing_since >= SERVER_RESTART_SECONDS:
                    raise
                time.sleep(RESTART_POLL_SECONDS)
            else:
                self._failing_since = None
                return connection

    def _connect(self, *arguments: Any, **parameters: Any) -> "BoundedConnection":
        try:
            connection = BoundedConnection.connect(*arguments, autocommit=True, **parameters)
        except psycopg.errors.ConnectionTimeout as error:
            self.record_timeout()
            # A reference to the error would keep its frames, and so the socket, alive.
            traceback.clear_frames(error.__traceback__)
            raise
        connection.breaker = self
        return connection


class BoundedConnection(psycopg.Connection[Any]):
    """A connection with a timeout for every wait."""

    breaker: CircuitBreaker | None = None

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for the server; close the connection if it does not respond in time."""
        try:
            return super().wait(gen, interval, _RESPONSE_SECONDS if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
                if self.breaker is not None:
                    self.breaker.record_timeout()
            raise


def connect(_dialect: Any, _record: Any, arguments: Any, parameters: Any) -> BoundedConnection:
    """Open a connection for SQLAlchemy's event ``do_connect``."""
    server = (parameters.get("host"), parameters.get("port"))
    return _circuit_breaker(server).connect(*arguments, **parameters)


@functools.cache
def _circuit_breaker(_server: tuple[Any, ...]) -> CircuitBreaker:
    return CircuitBreaker()
