"""The clock that all nodes share: PostgreSQL's, or that of the host of SQLite."""

import datetime as dt

from sqlalchemy import ColumnElement, Dialect, Interval, bindparam, func, literal, select
from sqlalchemy.orm import Session

from app.core.database.base import UtcDateTime, utcnow


def statement_time(dialect: Dialect) -> ColumnElement[dt.datetime]:
    """Return the time of the enclosing statement.

    SQLite has no clock: there it is the parameter ``now``.
    """
    if dialect.name == "sqlite":
        return bindparam("now", type_=UtcDateTime)
    return func.statement_timestamp(type_=UtcDateTime)


def statement_time_before(dialect: Dialect, span: dt.timedelta) -> ColumnElement[dt.datetime]:
    """Return the time ``span``, a whole number of seconds, before the statement."""
    now = statement_time(dialect)
    if dialect.name == "sqlite":  # the stored form has milliseconds
        seconds = f"-{int(span.total_seconds())} seconds"
        return func.strftime("%Y-%m-%d %H:%M:%f", now, seconds, type_=UtcDateTime)
    return now - literal(span, Interval)


def database_time(session: Session) -> dt.datetime:
    """Return the current time by the clock of the database, timezone-aware, in UTC."""
    dialect = session.connection().dialect
    return session.scalars(select(statement_time(dialect)), {"now": utcnow()}).one()
