"""Prepared SQL for authentication, limits and appends.

It is compiled once and run by the driver on a pooled connection, which takes 0.085 ms of CPU time
for a key instead of the 0.230 ms of SQLAlchemy's execution (docs/developing/performance.md).
Statements are written and compiled with SQLAlchemy, connections come from its pool, errors are
SQLAlchemy's; only the layer in between is skipped. Everything else uses SQLAlchemy as usual.
"""

import contextlib
import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from sqlalchemy import Dialect, Engine, Executable, PoolProxiedConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

from app.core.database.engine import BEGIN, WAIT_MS
from app.core.database.interruptions import retry_if_dead
from app.core.database.lock_waits import SET_WAIT, lock_waits_of
from app.core.database.stale_connections import stale_connections_of

P = ParamSpec("P")
T = TypeVar("T")
_COMMIT_BEGUN = "the commit had begun"
# A connection opened while the file was read-only stays read-only when the file becomes writable.
_BROKEN_FILE_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)


class PreparedStatement:
    """A statement compiled once for a dialect, run in a new transaction or in a given one.

    Values are converted by the types of the statement's parameters; rows are named tuples of the
    driver's values.
    """

    def __init__(self, statement: Executable, dialect: Dialect) -> None:
        variant = dialect if dialect.paramstyle == "pyformat" else type(dialect)(paramstyle="named")  # type: ignore[call-arg]
        compiled = cast(SQLCompiler, statement.compile(dialect=variant))  # type: ignore[attr-defined]
        self.text = str(compiled)
        self._constants = compiled.params
        self._is_write = statement.is_dml
        self._converters = {
            name: convert
            for parameter, name in compiled.bind_names.items()
            if (convert := parameter.type.dialect_impl(dialect).bind_processor(dialect))
        }
        columns = statement.exported_columns.keys()  # type: ignore[attr-defined]
        self._row: Callable[..., Any] = namedtuple("Row", columns)  # type: ignore[misc]
        self._has_rows = bool(columns)
        # In text format PostgreSQL would send bytes as hexadecimal digits: twice the size.
        self._execute_options = {"binary": True} if dialect.name == "postgresql" else {}

    def run(self, engine: Engine, **values: Any) -> list[Any]:
        """Run the statement on a connection of ``engine``; return all rows."""
        parameters = self.parameters(values)

        def run() -> list[Any]:
            with _pooled_connection(engine, is_write=self._is_write) as connection:
                return self.run_on(connection, parameters)

        return retry_if_dead(run)

    def parameters(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert ``values`` for the driver."""
        parameters = {**self._constants, **values}
        for name, convert in self._converters.items():
            parameters[name] = convert(parameters[name])
        return parameters

    def run_on(self, connection: Any, parameters: dict[str, Any]) -> list[Any]:
        """Run the statement on a connection of the driver; return all rows."""
        cursor = connection.execute(self.text, parameters, **self._execute_options)
        rows: list[Any] = [self._row(*row) for row in cursor.fetchall()] if self._has_rows else []
        cursor.close()
        return rows


def cached_by_dialect(
    build: Callable[Concatenate[Dialect, P], T],
) -> Callable[Concatenate[Dialect, P], T]:
    """Cache the results of ``build`` by the kind of dialect: all engines of one kind share SQL."""
    cache: dict[tuple[Any, ...], T] = {}

    def build_cached(dialect: Dialect, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (type(dialect), *args, *kwargs.items())
        if key not in cache:
            cache[key] = build(dialect, *args, **kwargs)
        return cache[key]

    return build_cached


class Transaction:
    """Runs statements that are committed together or not at all."""

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self._connection, self._dialect = connection, dialect

    def run(self, statement: PreparedStatement, **values: Any) -> list[Any]:
        return statement.run_on(self._connection, statement.parameters(values))

    def run_many(self, statement: PreparedStatement, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run ``statement``, which returns nothing, for each of ``rows``."""
        parameters = [statement.parameters(row) for row in rows]
        self._connection.cursor().executemany(statement.text, parameters)

    def execute(self, statement: Executable) -> list[Any]:
        """Compile and run a statement that is too rare to prepare; return all rows."""
        return self.run(PreparedStatement(statement, self._dialect))


@contextlib.contextmanager
def write_transaction(engine: Engine) -> Iterator[Transaction]:
    """Open a transaction that writes; an exception rolls it back.

    If the connection is dead at the start, a new one is tried once. If it is lost later, nothing
    was committed (see `is_interruption`), unless the commit had begun: then that is unknown.
    Raise SQLAlchemyError if the driver or the pool fails.
    """
    begin = BEGIN[engine.dialect.name]
    with contextlib.ExitStack() as stack:
        connection = retry_if_dead(
            lambda: stack.enter_context(_pooled_connection(engine, is_write=True, begin=begin))
        )
        failure = engine.dialect.loaded_dbapi.Error
        try:
            yield Transaction(connection, engine.dialect)
            try:
                connection.execute("COMMIT")
            except failure as error:
                error.add_note(_COMMIT_BEGUN)
                raise
        except BaseException:
            with contextlib.suppress(failure):
                connection.execute("ROLLBACK")
            raise


@contextlib.contextmanager
def _pooled_connection(
    engine: Engine, *, is_write: bool, begin: str | None = None
) -> Iterator[Any]:
    """Borrow a driver's connection from the pool of ``engine``; run ``begin`` on it, if given."""
    pooled: PoolProxiedConnection | None = None
    try:
        pooled = engine.pool.connect()
        connection: Any = pooled.driver_connection
        with lock_waits_of(engine.dialect).limit_wait(is_write=is_write) as wait_ms:
            if pooled.info.get(WAIT_MS) != wait_ms:
                connection.execute(SET_WAIT[engine.dialect.name].format(wait_ms))
                pooled.info[WAIT_MS] = wait_ms
            if begin is not None:
                connection.execute(begin)
            yield connection
    except engine.dialect.loaded_dbapi.Error as error:
        is_dead = pooled is not None and _is_dead(engine.dialect, pooled, error)
        if pooled is not None and is_dead:
            stale_connections_of(engine.dialect).record_death(pooled)
            pooled.invalidate()
        raise _sqlalchemy_error(error, engine.dialect, is_dead) from error
    finally:
        if pooled is not None:
            pooled.close()


def _is_dead(dialect: Dialect, pooled: PoolProxiedConnection, error: Exception) -> bool:
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF in _BROKEN_FILE_CODES
    return dialect.is_disconnect(error, pooled.driver_connection, None)  # type: ignore[arg-type]


def _sqlalchemy_error(error: Exception, dialect: Dialect, is_dead: bool) -> BaseException:
    """Wrap the error as SQLAlchemy does, without parameters, which may be key hashes.

    The statement of a commit is None, as in SQLAlchemy's own errors.
    """
    base = dialect.loaded_dbapi.Error
    statement = None if _COMMIT_BEGUN in getattr(error, "__notes__", ()) else ""
    wrapped = DBAPIError.instance(
        statement, None, error, base, connection_invalidated=is_dead, dialect=dialect
    )
    return cast(BaseException, wrapped)
