"""Move all rows from SQLite to PostgreSQL.

The schema and the rows are written in one transaction: if it is interrupted, the target stays
empty. SQLite is locked until then: later writes to tables that were already copied would be lost.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import URL, Connection, NullPool, Table, create_engine, func, inspect, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from app.core.database import Base
from app.core.database.engine import error_line
from app.core.database.lock_waits import is_lock_timeout
from app.core.database.revisions import schema_problem

_MOVE_CONNECT_SECONDS = 10
_READ_ROWS = 1_000  # fetched from SQLite at a time, so that memory does not grow with the tables


class MoveError(Exception):
    """Nothing was moved; the message is one line."""


def move_database(
    source: URL, target: URL, migrate: Callable[[Connection], None]
) -> dict[str, int]:
    """Copy all rows of the SQLite database at ``source`` to the empty PostgreSQL at ``target``.

    Args:
        source: A database of this release that no process has open.
        target: A database without tables.
        migrate: Creates the newest schema in the transaction of a connection.

    Returns:
        The number of rows by table, in both.

    Raise MoveError if SQLite is in use or not migrated, the target is not empty or cannot be used,
    or a row does not fit it. The target is then unchanged.
    """
    with _exclusive_connection(source) as sqlite:
        if problem := schema_problem(sqlite):
            raise MoveError(problem)
        try:
            with _target_connection(target) as postgresql, postgresql.begin():
                _check_empty(postgresql)
                migrate(postgresql)
                return _copy_rows(sqlite, postgresql)
        except SQLAlchemyError as error:
            raise MoveError(f"{target.database} cannot be used: {error_line(error)}") from None


@contextlib.contextmanager
def _exclusive_connection(source: URL) -> Iterator[Connection]:
    """Open SQLite exclusively; fails while another process has it open."""
    path = Path(source.database or "").absolute()

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=0)

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)
    try:
        with engine.connect() as connection:
            # In WAL mode a lock keeps writers out, but not other open connections.
            connection.exec_driver_sql("PRAGMA journal_mode=DELETE")
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
            yield connection
    except DBAPIError as error:
        in_use = "another process has it open; stop the service and its worker, then move again"
        is_in_use = error.orig is not None and is_lock_timeout(error.orig)
        problem = in_use if is_in_use else error_line(error)
        raise MoveError(f"{path} cannot be used: {problem}") from None


def _target_connection(target: URL) -> Connection:
    """Connect without the timeouts of requests: indexing a large table takes longer."""
    # Without it, a database in SQL_ASCII sends bytes, and fails before `_check_empty` rejects it.
    options = {"connect_timeout": _MOVE_CONNECT_SECONDS, "client_encoding": "utf8"}
    engine = create_engine(target, connect_args=options, poolclass=NullPool, hide_parameters=True)
    return engine.connect()


def _check_empty(target: Connection) -> None:
    if (encoding := target.scalar(text("SHOW server_encoding"))) != "UTF8":
        raise MoveError(
            f"the target stores strings in {encoding}; create a database with `createdb "
            "--encoding=UTF8 --template=template0`"
        )
    inspector = inspect(target)
    if present := [*inspector.get_table_names(), *inspector.get_view_names()]:
        raise MoveError(
            f"the target is not empty, it has {min(present)!r}; create another database for it"
        )


def _copy_rows(source: Connection, target: Connection) -> dict[str, int]:
    tables = Base.metadata.sorted_tables  # a table comes after those that it references
    target.exec_driver_sql("DELETE FROM accounts")  # the default account, created by a migration
    counts = {}
    for table in tables:
        count_rows = select(func.count()).select_from(table)
        try:
            _copy_table(table, source, target)
            _continue_ids(table, source, target)
            counts[table.name] = source.scalar(count_rows) or 0
        except (DBAPIError, psycopg.Error, ValueError, TypeError) as error:  # SQLite has any type
            problem = f"the table {table.name} cannot be copied: {error_line(error)}"
            raise MoveError(problem) from None
        if (arrived := target.scalar(count_rows)) != counts[table.name]:
            raise MoveError(
                f"the table {table.name} has {counts[table.name]} rows, {arrived} were copied"
            )
    return counts


def _copy_table(table: Table, source: Connection, target: Connection) -> None:
    """Copy with one statement: a row may reference a later one of the same table."""
    converters = [
        column.type.dialect_impl(target.dialect).bind_processor(target.dialect)
        for column in table.columns
    ]
    names = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), names)
    rows = source.execute(select(table), execution_options={"yield_per": _READ_ROWS})
    driver: Any = target.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(
                [
                    value if convert is None else convert(value)
                    for convert, value in zip(converters, row, strict=True)
                ]
            )


def _continue_ids(table: Table, source: Connection, target: Connection) -> None:
    """Set the sequence so that no id is reused, not even a deleted row's."""
    column = table.autoincrement_column
    if column is None:
        return
    newest = source.scalar(select(func.max(column))) or 0
    if source.dialect.has_table(source, "sqlite_sequence"):
        remembered = text("SELECT seq FROM sqlite_sequence WHERE name = :table")
        newest = max(newest, source.scalar(remembered, {"table": table.name}) or 0)
    setting = text("SELECT setval(pg_get_serial_sequence(:table, :column), :id, :is_used)")
    values = {"id": max(newest, 1), "is_used": newest > 0}
    target.execute(setting, {"table": table.name, "column": column.name, **values})
