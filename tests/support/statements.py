"""The statements and transactions that a database gets, recorded below SQLAlchemy.

SQLite calls back for each statement that it runs; of PostgreSQL libpq writes down the protocol.
"""

import sqlite3
import tempfile
from dataclasses import dataclass
from typing import Any

from psycopg.pq import Trace
from sqlalchemy import Engine, event

BEGINS, ENDS = ("BEGIN",), ("COMMIT", "ROLLBACK")


@dataclass(frozen=True)
class Asked:
    """The statements that were run, by transaction."""

    statements: int
    transactions: int


class SqliteRecord:
    """A record of the statements of all connections of an engine."""

    def __init__(self, engine: Engine) -> None:
        self.texts: list[str] = []
        event.listen(engine, "connect", self._trace)

    def _trace(self, connection: sqlite3.Connection, _record: object) -> None:
        connection.set_trace_callback(self.texts.append)

    def clear(self) -> None:
        self.texts.clear()

    def asked(self) -> Asked:
        """Return what was recorded since."""
        statements = transactions = 0
        inside = False
        for text in self.texts:
            if text.startswith(BEGINS):
                inside = True
            elif text.startswith(ENDS):
                inside, transactions = False, transactions + 1
            else:
                statements, transactions = statements + 1, transactions + (not inside)
        return Asked(statements, transactions)


class PostgresqlRecord:
    """The same for PostgreSQL; a transaction ends when the server is idle again."""

    def __init__(self, engine: Engine) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the engine
        event.listen(engine, "connect", self._trace)

    def _trace(self, connection: Any, _record: object) -> None:
        connection.pgconn.trace(self._file.fileno())
        connection.pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)

    def clear(self) -> None:
        self._file.seek(0)
        self._file.truncate()

    def asked(self) -> Asked:
        """Return what was recorded since, round trips to begin and end a transaction included."""
        self._file.seek(0)
        lines = [line.split("\t") for line in self._file.read().decode().splitlines()]
        kinds = [(line[0], line[2]) for line in lines]
        idle = [line for line in lines if line[2] == "ReadyForQuery" and line[3].strip() == "I"]
        run = kinds.count(("F", "Execute")) + kinds.count(("F", "Query"))
        return Asked(run, len(idle))


def record(engine: Engine) -> SqliteRecord | PostgresqlRecord:
    """Record the statements of ``engine``, which has no connection yet."""
    return (SqliteRecord if engine.dialect.name == "sqlite" else PostgresqlRecord)(engine)
