"""The clock by which keys live: PostgreSQL's own, so that nodes agree, or SQLite's machine's."""

import datetime as dt

from sqlalchemy import ColumnElement, Dialect, bindparam, func, select
from sqlalchemy.orm import Session

from app.database.base import UtcDateTime, utcnow


def statement_time(dialect: Dialect) -> ColumnElement[dt.datetime]:
    """Return the moment of the statement that this is a part of.

    SQLite has no clock but its machine's: there it is the parameter ``now``.
    """
    if dialect.name == "sqlite":
        return bindparam("now", type_=UtcDateTime)
    return func.statement_timestamp(type_=UtcDateTime)


def database_time(session: Session) -> dt.datetime:
    """Return the current time by the clock of the database, aware, in UTC."""
    dialect = session.connection().dialect
    return session.scalars(select(statement_time(dialect)), {"now": utcnow()}).one()
