"""Make and use the engine of the SQL database.

SQLite is set up for several worker processes: WAL, a busy timeout, and transactions that take the
write lock when they begin. (The driver's own transactions begin late and lose updates between
processes.) PostgreSQL gets timeouts, so that an unreachable server does not block requests.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Executable, Row, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from app.core.database.interruptions import retry_if_dead
from app.core.database.lock_waits import SET_WAIT, lock_waits_of
from app.core.database.stale_connections import stale_connections_of

_LOCK_WAIT_SECONDS = 3
# With `_RESPONSE_SECONDS` of postgresql.py, this must stay below the 5 s of a request.
_POSTGRESQL_CONNECT_SECONDS = 2
# A statement, or its wait for a lock, ends before the 5 s of a request, also after a slow connect.
_POSTGRESQL_STATEMENT_MS = 1_500
POOL_SIZE = 5
_HIDE_PARAMETERS: dict[str, Any] = {"hide_parameters": True}  # no key hashes in error messages
_MAX_CONNECTIONS = 16  # per process; threads hold one for a millisecond
_READ_ONLY = "reads_only"  # the execution option of a transaction that does not block writers
# The execution option of a connection on which each statement is a separate transaction.
AUTOCOMMIT = "autocommits"
WAIT_MS = "wait_ms"  # the key of a pooled connection's ``info`` for its timeout, in milliseconds
# What begins a transaction that writes, by dialect.
BEGIN = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN"}

Rows = Sequence[Row[*tuple[Any, ...]]]


class Database:
    """The database of the current application; the factory sets ``find_engine``."""

    find_engine: Callable[[], Engine] | None = None

    @property
    def engine(self) -> Engine:
        """The engine, looked up each time: a process may have several applications."""
        if self.find_engine is None:
            raise RuntimeError("this process has no database: make an application first")
        return self.find_engine()


db = Database()


def open_database(url: str, folder: Path) -> Engine:
    """Return the engine of the application's database at ``url``, without connecting.

    A relative SQLite path is relative to ``folder``, which is created if it is missing.
    """
    location = make_url(url)
    if location.get_backend_name() == "sqlite":
        database = location.database or ""
        path = database.removeprefix("file:")
        if not Path(path).is_absolute():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            scheme = database.removesuffix(path)
            location = location.set(database=f"{scheme}{folder / path}")
    return make_engine(location)


def make_engine(url: str | URL) -> Engine:
    """Return the prepared engine of the database at ``url``, without connecting."""
    engine = create_engine(url, **_engine_options(url))
    prepare_engine(engine)
    return engine


def _engine_options(url: str | URL) -> dict[str, Any]:
    """Return the ``create_engine`` options for the database at ``url``."""
    backend = make_url(url).get_backend_name()
    if backend == "sqlite":
        return _HIDE_PARAMETERS | {
            "pool_size": POOL_SIZE,
            # No limit: threads that wait for the lock must not first wait for a connection.
            "max_overflow": -1,
            "connect_args": {"timeout": _LOCK_WAIT_SECONDS},
        }
    if backend == "postgresql":
        limit = _POSTGRESQL_STATEMENT_MS
        server_limits = f"-c statement_timeout={limit} -c lock_timeout={limit}"
        return _HIDE_PARAMETERS | {
            "pool_timeout": _LOCK_WAIT_SECONDS,
            "pool_size": POOL_SIZE,
            "max_overflow": _MAX_CONNECTIONS - POOL_SIZE,
            "connect_args": {
                "connect_timeout": _POSTGRESQL_CONNECT_SECONDS,
                "options": server_limits,
            },
        }
    return dict(_HIDE_PARAMETERS)


def prepare_engine(engine: Engine) -> None:
    """Attach the connection handlers for the kind of database.

    The implicit transactions of both drivers are turned off: statements autocommit until
    SQLAlchemy, or the user of the driver's connection, begins a transaction.
    """
    if engine.dialect.name == "sqlite":
        event.listen(engine, "do_connect", _create_sqlite_file)
        event.listen(engine, "connect", _prepare_sqlite_connection)
        if engine.url.database:
            lock_waits_of(engine.dialect).wal_path = Path(f"{engine.url.database}-wal")
    elif engine.dialect.driver == "psycopg":
        from app.core.database.postgresql import connect  # noqa: PLC0415 - psycopg is an extra

        event.listen(engine, "do_connect", connect)
    event.listen(engine, "begin", begin_transaction)
    stale_connections_of(engine.dialect).watch(engine)


def error_line(error: Exception) -> str:
    """Return the first line of a database error, without the statement and its values."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return str(cause).strip().split("\n")[0]


def read_connection() -> Connection:
    """Return a connection for reading, which does not block writers; PostgreSQL rejects writes."""
    return db.engine.execution_options(**{_READ_ONLY: True}).connect()


def read_rows(engine: Engine, statement: Executable, **values: Any) -> Rows:
    """Run a read-only statement in one round trip; return all rows."""

    def read() -> Rows:
        with engine.execution_options(**{AUTOCOMMIT: True}).connect() as connection:
            return connection.execute(statement, values).all()

    return retry_if_dead(read)


@contextlib.contextmanager
def read_session() -> Iterator[Session]:
    """Open a session on a `read_connection`; its records stay readable afterwards."""
    with read_connection() as connection, Session(connection, expire_on_commit=False) as session:
        yield session


def write_session() -> AbstractContextManager[Session]:
    """Open a session that is committed at the end, or rolled back on an exception.

    Its records stay readable afterwards.
    """
    return sessionmaker(db.engine, expire_on_commit=False).begin()


def _create_sqlite_file(_dialect: Any, _record: Any, arguments: list[str], _options: Any) -> None:
    """Create a missing database file with access only for its owner; the WAL gets the same mode.

    The file is not opened: closing it would release the locks of this process's connections.
    """
    if not arguments[0].startswith(("file:", ":memory:")):
        with contextlib.suppress(OSError):  # the file exists, or SQLite reports the problem
            os.mknod(arguments[0], mode=0o600)


def _prepare_sqlite_connection(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def begin_transaction(connection: Connection) -> None:
    """Begin a transaction, unless in autocommit; one that writes to SQLite queues for the lock."""
    options = connection.get_execution_options()
    if options.get(AUTOCOMMIT):
        return
    is_read_only, is_sqlite = options.get(_READ_ONLY), connection.dialect.name == "sqlite"
    if is_read_only or not is_sqlite:
        connection.exec_driver_sql("BEGIN READ ONLY" if is_read_only and not is_sqlite else "BEGIN")
        return
    with lock_waits_of(connection.dialect).limit_wait(is_write=True) as wait_ms:
        # A statement of `app.core.database.statements` may have left a shorter wait.
        if connection.info.get(WAIT_MS, wait_ms) != wait_ms:
            connection.exec_driver_sql(SET_WAIT["sqlite"].format(wait_ms))
            connection.info[WAIT_MS] = wait_ms
        connection.exec_driver_sql(BEGIN["sqlite"])
