"""The clock by which keys live: PostgreSQL's own, so that nodes agree, or SQLite's machine's."""

import datetime as dt

from sqlalchemy import ColumnElement, Dialect, Interval, bindparam, func, literal, select
from sqlalchemy.orm import Session

from app.database.base import UtcDateTime, utcnow


def statement_time(dialect: Dialect) -> ColumnElement[dt.datetime]:
    """Return the moment of the statement that this is a part of.

    SQLite has no clock but its machine's: there it is the parameter ``now``.
    """
    if dialect.name == "sqlite":
        return bindparam("now", type_=UtcDateTime)
    return func.statement_timestamp(type_=UtcDateTime)


def statement_time_before(dialect: Dialect, span: dt.timedelta) -> ColumnElement[dt.datetime]:
    """Return the moment that lies ``span``, a whole number of seconds, before the statement."""
    now = statement_time(dialect)
    if dialect.name == "sqlite":  # as its moments are stored, to the millisecond
        seconds = f"-{int(span.total_seconds())} seconds"
        return func.strftime("%Y-%m-%d %H:%M:%f", now, seconds, type_=UtcDateTime)
    return now - literal(span, Interval)


def database_time(session: Session) -> dt.datetime:
    """Return the current time by the clock of the database, aware, in UTC."""
    dialect = session.connection().dialect
    return session.scalars(select(statement_time(dialect)), {"now": utcnow()}).one()
