"""Report a database that is busy, restarting or unreachable, to clients and in the log."""

import logging

from flask import request
from sqlalchemy.exc import SQLAlchemyError

from app.api.callers.limiter import read_budget_from_memory
from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError, restarting_error, unavailable_error
from app.core.database.interruptions import RETRY_SECONDS, is_interruption
from app.core.database.lock_waits import is_busy_error
from app.core.instruments import DATABASE_FAILURES

logger = logging.getLogger(__name__)


def database_error(error: SQLAlchemyError, remedy: str) -> ApiError:
    """Return the error of a request whose use of the database failed; log and count it.

    ``remedy`` says what to do if the database cannot be reached.
    """
    # The text of the driver may hold parameters, and so hashes of keys: only its kind is logged.
    cause = getattr(error, "orig", None)
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None)
    read_budget_from_memory()  # for the headers of this response: the database has just failed
    if is_busy_error(error):
        logger.warning("database busy: %s (%s)", type(error).__name__, code)
        issue = (
            "the database is busy with other requests, and this one was not carried out; send it "
            f"again in {RETRY_SECONDS} s"
        )
        return unavailable_error("Service is busy", issue, RETRY_SECONDS)
    logger.error("database unreachable, or rejects statements: %s (%s)", type(error).__name__, code)
    DATABASE_FAILURES.inc()
    is_read = request.method in READ_METHODS
    if is_interruption(error, is_read_only=is_read):
        return restarting_error("the database was", RETRY_SECONDS)
    issue = f"the database cannot be reached at the moment; {remedy}"
    return ApiError(500, "Internal server error", issue)
