"""Retry what a dead connection ended, and recognize what a restart of the server interrupted."""

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

T = TypeVar("T")
RETRY_SECONDS = 2  # in `Retry-After`, if the server restarts or is busy


def retry_if_dead(operation: Callable[[], T]) -> T:
    """Run an operation on a pooled connection, and once more if that was dead.

    After a restart of the server all pooled connections are dead; the first error makes the pool
    drop them. Unlike a ping before each use, this costs nothing in normal operation.
    """
    try:
        return operation()
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
        return operation()


def is_interruption(error: Exception, *, is_read_only: bool) -> bool:
    """Return whether the server ended the connection before a commit began.

    Then it has rolled everything back, and the request can be retried. Whether an interrupted
    commit was done is unknown. SQLAlchemy's errors have no statement for a commit, and none for the
    rollback that ends a read: with ``is_read_only``, these can be retried too.
    """
    return (
        isinstance(error, DBAPIError)
        and error.connection_invalidated
        and (is_read_only or error.statement is not None)
        and not isinstance(error.orig, sqlite3.Error)  # a file has no server
    )
