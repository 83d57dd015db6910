"""Requests that a restart of the database server interrupts, told from other failures."""

import sqlite3

from sqlalchemy.exc import DBAPIError

RETRY_SECONDS = 2


def is_interruption(error: Exception, *, only_read: bool = False) -> bool:
    """Return whether the server ended the connection before a commit began.

    It has rolled everything back then, so the request can be repeated. Of a commit nobody knows
    whether it was done; SQLAlchemy's errors name no statement for it, and none for the rollback
    that ends what was ``only_read`` and can always be repeated.
    """
    return (
        isinstance(error, DBAPIError)
        and error.connection_invalidated
        and (only_read or error.statement is not None)
        and not isinstance(error.orig, sqlite3.Error)  # a file has no server
    )
