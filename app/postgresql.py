"""Connections to PostgreSQL that give up on a server which accepts them and never answers.

The server's own timeouts end a slow statement; they say nothing when the server itself is paused
or the network swallows everything. Imported only where PostgreSQL is used: psycopg is an extra.
"""

from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus

ANSWER_SECONDS = 2.0  # above the server's own timeouts, so that those speak first


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which every wait for the server is bounded."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for the server; close the connection when it does not answer in time."""
        try:
            return super().wait(gen, interval, ANSWER_SECONDS if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


def connect(_dialect: Any, _record: Any, arguments: Any, parameters: Any) -> BoundedConnection:
    """Open a connection for SQLAlchemy's event ``do_connect``."""
    return BoundedConnection.connect(*arguments, **parameters)
