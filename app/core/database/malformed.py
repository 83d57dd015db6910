"""Skip rows that a worker cannot use, so that they do not block the others; count and log them.

A row can be malformed because another release wrote it, somebody changed it by hand, or the disk of
a copy was damaged. SQLite checks no types.
"""

import contextlib
import functools
import logging
import struct
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Dialect, Integer
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError
from sqlalchemy.sql.elements import NamedColumn

from app.core.database import db
from app.timeseries.seconds import HOUR_SECONDS

logger = logging.getLogger(__name__)

# Errors raised by using a malformed row; others are errors of the database or the service.
MALFORMED_ERRORS = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError,
    struct.error, DataError, IntegrityError,
)  # fmt: skip
MALFORMED_PROBLEM = "its row in the database is malformed"
SKIP_SECONDS = float(HOUR_SECONDS)  # then the row is tried again, as it may have been repaired
MAX_SKIPPED = 1_000  # rows that are excluded from queries of a table; the oldest are dropped


class MalformedRowError(Exception):
    """A row cannot be read: the cause is one of `MALFORMED_ERRORS`."""


@contextlib.contextmanager
def translate_row_errors() -> Iterator[None]:
    """Raise MalformedRowError instead of `MALFORMED_ERRORS` in a block that only reads rows.

    As a decorator, in a function that does. What else raises such errors is a bug.
    """
    try:
        yield
    except MALFORMED_ERRORS as error:
        raise MalformedRowError from error


def reject_non_integers(row: Any, columns: Iterable[NamedColumn[Any]]) -> None:
    """Raise ValueError if a row has another value in an integer column than an integer or None."""
    for column in columns:
        is_integer = isinstance(column.type, Integer)
        if is_integer and not isinstance(getattr(row, column.name), int | None):
            raise ValueError(f"{column.name} is not an integer")


class SkippedRows:
    """The rows that one reader skips, malformed or because the service fails, by their ids.

    ``table`` names them in the log, such as "limits of monitors". ``count`` is the number of rows
    skipped so far. Beyond ``MAX_SKIPPED`` rows, each is logged and counted again whenever it is
    tried.
    """

    def __init__(self, table: str) -> None:
        self.count = 0
        self._table = table
        self._until: dict[int, float] = {}
        self._logged: set[int] = set()

    def ids(self) -> list[int]:
        """Return the rows to exclude for now."""
        now = time.monotonic()
        self._until = {row_id: until for row_id, until in self._until.items() if until > now}
        return [*self._until]

    @contextlib.contextmanager
    def skip_if_malformed(self, row_id: int) -> Iterator[None]:
        """Skip a row that the block, which only reads it, cannot read."""
        with self.skip_if_failing(row_id), translate_row_errors():
            yield

    @contextlib.contextmanager
    def skip_if_failing(self, row_id: int) -> Iterator[None]:
        """Skip a row if it is malformed, or if the block has a bug: see `log_bug`.

        Errors of the database or the engine are not caught.
        """
        try:
            yield
        except MalformedRowError as error:
            if self._add_row(row_id):
                log_malformed(self._table, row_id, error, self.count)
        except MALFORMED_ERRORS as error:
            if self._add_row(row_id):
                fields = {"table": self._table, "row": row_id}
                log_bug("a row is skipped: unexpected error", error, fields)

    def _add_row(self, row_id: int) -> bool:
        """Exclude a row for a while; return whether to log that."""
        self._until.pop(row_id, None)
        self._until[row_id] = time.monotonic() + SKIP_SECONDS
        if len(self._until) > MAX_SKIPPED:
            del self._until[next(iter(self._until))]
        if row_id in self._logged:
            return False
        if len(self._logged) < MAX_SKIPPED:
            self._logged.add(row_id)
        self.count += 1
        return True


def skipped_rows(table: str) -> SkippedRows:
    """Return the rows of a table, or of one of its readers, that this process skips."""
    return _skipped_rows(db.engine.dialect, table)


@functools.cache
def _skipped_rows(_dialect: Dialect, table: str) -> SkippedRows:
    # A dialect belongs to one engine, and so to one database.
    return SkippedRows(table)


def log_malformed(table: str, row_id: int, error: BaseException, count: int = 1) -> None:
    """Log a malformed row; ``count`` is their number in this table so far."""
    # The cause of other errors is the driver's, which lacks the calls of the service.
    if isinstance(error, MalformedRowError):
        error = error.__cause__ or error
    fields = {"table": table, "row": row_id, "problem": _kind_and_calls(error), "count": count}
    logger.error("a malformed row is skipped", extra={"fields": fields})


def log_bug(message: str, error: Exception, fields: dict[str, Any]) -> None:
    """Log an unexpected error with its trace; of the database's errors only kind and calls."""
    if isinstance(error, SQLAlchemyError):
        logger.error(message, extra={"fields": fields | {"problem": _kind_and_calls(error)}})
    else:
        logger.error(message, exc_info=error, extra={"fields": fields})


def _kind_and_calls(error: BaseException) -> str:
    """Describe an error without its text, which may quote a row, and so a secret."""
    # All calls are named, as the innermost one is often a library's.
    frames = traceback.extract_tb(error.__traceback__)
    calls = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return f"{type(error).__name__} in {' > '.join(calls)}"
