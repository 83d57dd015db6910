"""SQL on the path of a request: compiled once, run by the driver on a pooled connection.

SQLAlchemy's own execution takes several times as long as SQLite does for the work. So statements
are written and compiled with SQLAlchemy, connections come from its pool, errors are its own; what
lies between is left out. Commands and migrations use SQLAlchemy as it is.
"""

import contextlib
import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from sqlalchemy import Dialect, Engine, Executable, PoolProxiedConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

# A connection opened while the file was read-only stays so when the file no longer is.
BROKEN_FILE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)

Result = TypeVar("Result")


class Prepared:
    """A statement that returns rows, compiled once for a dialect.

    Values are converted as the statement's parameters say; rows are named tuples of what the
    driver gives.
    """

    def __init__(self, statement: Executable, dialect: Dialect) -> None:
        named = dialect if dialect.paramstyle == "pyformat" else type(dialect)(paramstyle="named")  # type: ignore[call-arg]
        compiled = cast(SQLCompiler, statement.compile(dialect=named))  # type: ignore[attr-defined]
        self._text = str(compiled)
        self._constants = compiled.params
        self._converters = {
            name: convert
            for name, parameter in compiled.binds.items()
            if (convert := parameter.type.dialect_impl(dialect).bind_processor(dialect))
        }
        columns = statement.exported_columns.keys()  # type: ignore[attr-defined]
        self._row: Callable[..., Any] = namedtuple("Row", columns)  # type: ignore[misc]

    def run(self, connection: Any, **values: Any) -> list[Any]:
        """Run the statement on a driver's connection; return all rows."""
        parameters = self._constants | values
        for name, convert in self._converters.items():
            parameters[name] = convert(parameters[name])
        cursor = connection.execute(self._text, parameters)
        rows = [self._row(*row) for row in cursor]
        cursor.close()
        return rows


@contextlib.contextmanager
def driver_connection(engine: Engine) -> Iterator[Any]:
    """Lend the driver's own connection from the pool of ``engine``.

    Each statement is a transaction of its own until one says BEGIN; a transaction that is still
    open at the end is rolled back.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: What the driver or the pool raised.
    """
    pool = engine.pool
    lent: PoolProxiedConnection | None = None
    try:
        lent = pool.connect()
        yield lent.driver_connection
    except engine.dialect.loaded_dbapi.Error as error:
        dead = lent is not None and _is_dead(engine.dialect, lent, error)
        if lent is not None and dead:
            lent.invalidate(error)
            if engine.pool is pool:  # the first that is found dead: the others are, too
                engine.dispose()
        raise _wrapped(error, engine.dialect, dead) from error
    finally:
        if lent is not None:
            if engine.pool is not pool:
                lent.detach()  # its pool is given up: close it in earnest
            lent.close()


def _is_dead(dialect: Dialect, lent: PoolProxiedConnection, error: Exception) -> bool:
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF in BROKEN_FILE
    return dialect.is_disconnect(error, lent.driver_connection, None)  # type: ignore[arg-type]


def _wrapped(error: Exception, dialect: Dialect, dead: bool) -> BaseException:
    """Return the error as SQLAlchemy's, with no parameter and so no hash of a key in its text."""
    base = dialect.loaded_dbapi.Error
    wrapped = DBAPIError.instance(
        None, None, error, base, connection_invalidated=dead, dialect=dialect
    )
    return cast(BaseException, wrapped)


def despite_stale_connection(work: Callable[[], Result]) -> Result:
    """Return ``work()``; try once more when its pooled connection turns out to be dead.

    After a restart of the server every pooled connection is dead; the first that is found so makes
    the pool forget them all. This costs nothing while all is well, unlike asking before each use.
    """
    try:
        return work()
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
    return work()
