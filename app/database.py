"""The SQL database: one engine for keys, usage and counters, on SQLite or PostgreSQL.

SQLite gets what several worker processes need: WAL, a busy timeout, and transactions that take the
write lock at their start. (The driver's own transaction handling begins late and loses updates
between processes.) PostgreSQL gets timeouts that keep an unreachable server from holding a request.
"""

import datetime as dt
import functools
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
    Connection,
    DateTime,
    Dialect,
    Engine,
    ExceptionContext,
    Executable,
    MetaData,
    Row,
    event,
    make_url,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeDecorator

LOCK_WAIT_SECONDS = 3
# A lost connection is noticed, then replaced: this bound and the next of `app.postgresql` add up.
CONNECT_SECONDS = 2
POOL_SIZE = 5
HIDDEN: dict[str, Any] = {"hide_parameters": True}  # no hash of a key in the text of an error
MOST_CONNECTIONS = 16  # of one process; its threads hold one for a millisecond


class Base(DeclarativeBase):
    """Base of all models; the naming convention lets SQLite and PostgreSQL migrate alike."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


db = SQLAlchemy(model_class=Base)


class UtcDateTime(TypeDecorator[dt.datetime]):
    """An aware UTC datetime; SQLite, which has no time zones, stores it naive."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        value = value.astimezone(dt.UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        moment: dt.datetime = value
        return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment


def utcnow() -> dt.datetime:
    """The current time, aware, in UTC."""
    return dt.datetime.now(dt.UTC)


def iso_text(moment: dt.datetime) -> str:
    """Return an aware UTC ``moment`` as people read it, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Prepared:
    """A statement compiled once for a dialect and run by its driver: for the path of a request.

    SQLAlchemy's own execution takes longer than SQLite does for the work. Values are converted as
    the statement's parameters say; rows come as the driver gives them.
    """

    def __init__(self, statement: Executable, dialect: Dialect) -> None:
        compiled = cast(SQLCompiler, statement.compile(dialect=dialect))  # type: ignore[attr-defined]
        self._text = str(compiled)
        self._constants = compiled.params
        self._order = compiled.positiontup
        self._converters = {
            name: convert
            for name, parameter in compiled.binds.items()
            if (convert := parameter.type.dialect_impl(dialect).bind_processor(dialect))
        }

    def run(self, connection: Connection, **values: Any) -> Sequence[Row[Any]]:
        """Run the statement with ``values`` for its parameters; return all rows."""
        parameters = self._constants | values
        for name, convert in self._converters.items():
            parameters[name] = convert(parameters[name])
        ordered = parameters if self._order is None else tuple(map(parameters.get, self._order))
        return connection.exec_driver_sql(self._text, ordered).all()


def engine_options(url: str) -> dict[str, Any]:
    """Return the ``create_engine`` options that the database of ``url`` wants."""
    backend = make_url(url).get_backend_name()
    if backend == "sqlite":
        return HIDDEN | {"connect_args": {"timeout": LOCK_WAIT_SECONDS}}
    if backend == "postgresql":
        server_limits = "-c statement_timeout=1500 -c lock_timeout=1500"
        return HIDDEN | {
            "pool_timeout": LOCK_WAIT_SECONDS,
            "pool_size": POOL_SIZE,
            "max_overflow": MOST_CONNECTIONS - POOL_SIZE,
            "connect_args": {"connect_timeout": CONNECT_SECONDS, "options": server_limits},
        }
    return dict(HIDDEN)


def init_database(app: Flask, url: str) -> None:
    """Bind the extension to ``app`` and prepare connections; nothing is connected yet."""
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = engine_options(url)
    db.init_app(app)
    with app.app_context():
        prepare_engine(db.engine)


@functools.lru_cache(maxsize=8)
def autocommit(engine: Engine) -> Engine:
    """Return ``engine`` for single statements: each is a transaction of its own, unasked."""
    if engine.dialect.name == "sqlite":
        # SQLite does so without a BEGIN; SQLAlchemy's own way sends a PRAGMA before and after.
        return engine.execution_options(single_statement=True)
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def prepare_engine(engine: Engine) -> None:
    """Attach what the connections of a kind of database need."""
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite_connection)
        event.listen(engine, "begin", _begin_sqlite_transaction)
        event.listen(engine, "handle_error", _discard_broken_sqlite_connections)
    elif engine.dialect.driver == "psycopg":
        from app.postgresql import connect  # noqa: PLC0415 - psycopg is an extra

        event.listen(engine, "do_connect", connect)


def _prepare_sqlite_connection(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite_transaction(connection: Connection) -> None:
    if not connection.get_execution_options().get("single_statement"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _discard_broken_sqlite_connections(context: ExceptionContext) -> None:
    # A connection opened while the file was read-only stays so when the file no longer is.
    error = context.original_exception
    if isinstance(error, sqlite3.OperationalError):
        code = error.sqlite_errorcode & 0xFF
        context.is_disconnect = code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
        if context.is_disconnect and context.execution_context is not None:
            # SQLAlchemy leaves it open, and it would keep the file open after its connection.
            context.execution_context.cursor.close()


Result = TypeVar("Result")


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
