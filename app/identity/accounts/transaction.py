"""Sessions to read or change accounts and keys, in one transaction; records stay readable after it.

`read_session` and `write_session` raise SQLAlchemy's errors, which the API's handler turns into
responses. `read_transaction` and `transaction` also check the schema, and their errors are a line.
"""

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from app.core.database import db
from app.core.database.engine import READ_ONLY, error_line, read_connection
from app.core.database.interruptions import is_interruption
from app.core.database.lock_waits import is_busy_error
from app.core.database.revisions import schema_problem


class DatabaseUnusableError(Exception):
    """The database failed, or its schema does not match this code; the message is one line."""


class DatabaseRestartedError(DatabaseUnusableError):
    """The database was restarted; the transaction was rolled back."""


class DatabaseBusyError(DatabaseUnusableError):
    """The database was locked for too long; the transaction was rolled back."""


@contextlib.contextmanager
def read_session() -> Iterator[Session]:
    """Open a read-only session, which does not block writers.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The database cannot be reached.
    """
    with read_connection() as connection, Session(connection, expire_on_commit=False) as session:
        yield session


def write_session() -> AbstractContextManager[Session]:
    """Open a session that is committed at the end, or rolled back on an exception."""
    return sessionmaker(db.engine, expire_on_commit=False).begin()


def transaction() -> AbstractContextManager[Session]:
    """Open a session that is committed at the end, or rolled back on an exception.

    Entering or leaving it raises the errors of `read_transaction`. Then nothing was changed,
    unless the database was lost in the commit itself: whether that was done is unknown.
    """
    return _checked_session(db.engine)


def read_transaction() -> AbstractContextManager[Session]:
    """Open a read-only session, which does not block writers nor wait for them.

    Raises:
        DatabaseBusyError: The database was locked for too long.
        DatabaseRestartedError: The database was restarted.
        DatabaseUnusableError: The database failed, or its schema does not match this code.
    """
    return _checked_session(db.engine.execution_options(**{READ_ONLY: True}))


@contextlib.contextmanager
def _checked_session(engine: Engine) -> Iterator[Session]:
    try:
        with Session(engine, expire_on_commit=False) as session, session.begin():
            problem = schema_problem(session.connection())
            if problem is not None:
                raise DatabaseUnusableError(problem)
            yield session
    except SQLAlchemyError as error:
        raise _error_class(error)(f"the database cannot be used: {error_line(error)}") from None


def _error_class(error: SQLAlchemyError) -> type[DatabaseUnusableError]:
    if is_busy_error(error):
        return DatabaseBusyError
    return DatabaseRestartedError if is_interruption(error) else DatabaseUnusableError
