"""Sessions to read or change accounts and keys, in one transaction."""

import contextlib
from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from app.core.database import db
from app.core.database.engine import read_connection
from app.core.database.interruptions import is_interruption
from app.core.database.lock_waits import is_busy_error
from app.core.database.revisions import schema_problem


class DatabaseUnusableError(Exception):
    """The database cannot be used, or not by this code; the message is one line."""


class DatabaseRestartedError(DatabaseUnusableError):
    """The database was restarted during the transaction, of which nothing was done."""


class DatabaseBusyError(DatabaseUnusableError):
    """Others wrote to the database for too long; the transaction was rolled back."""


@contextlib.contextmanager
def read_only() -> Iterator[Session]:
    """Open a session that only reads and does not block writers.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The database cannot be reached.
    """
    with (
        read_connection() as connection,
        Session(connection, expire_on_commit=False) as session,
    ):
        yield session


@contextlib.contextmanager
def transaction() -> Iterator[Session]:
    """Open a session that is committed at the end, or rolled back on an exception.

    Raises:
        DatabaseBusyError: Others wrote for too long; nothing was changed.
        DatabaseRestartedError: The database was restarted meanwhile; nothing was changed.
        DatabaseUnusableError: The database fails, or its schema does not fit this code.
    """
    try:
        with Session(db.engine, expire_on_commit=False) as session, session.begin():
            problem = schema_problem(session.connection())
            if problem is not None:
                raise DatabaseUnusableError(problem)
            yield session
    except SQLAlchemyError as error:
        cause = str(error.orig if isinstance(error, DBAPIError) else error).strip().split("\n")[0]
        kind = DatabaseRestartedError if is_interruption(error) else DatabaseUnusableError
        kind = DatabaseBusyError if is_busy_error(error) else kind
        raise kind(f"the database cannot be used: {cause}") from None
