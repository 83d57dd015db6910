"""GET /healthz: whether this process lives and its database takes writes. No key, no count.

A database that only answers reads (a full disk, a read-only file, a held lock) cannot authenticate
anyone, since each call notes its use: so the check writes one row, at most once a second in each
process however often it is asked. The limit store is not asked: without it requests go on.
"""

import logging
import threading
import time

from flask import Blueprint, Response, current_app
from sqlalchemy.exc import SQLAlchemyError

from app.api.errors import ApiError
from app.api.json import json_response
from app.database import db, despite_stale_connection
from app.limits.sql import SqlCounters

logger = logging.getLogger(__name__)

blueprint = Blueprint("health", __name__)
EXTENSION = "health"
FRESH_SECONDS = 1.0
COUNTER = "health"  # the row that is written; no caller's counter has this name


class Health:
    """What the last check of the database found; requests that come together share one check."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failure: str | None = None
        self._checked_at = float("-inf")

    def failure(self) -> str | None:
        """Return the kind of error that the database answers with, None when all is well."""
        with self._lock:
            if time.monotonic() - self._checked_at >= FRESH_SECONDS:
                self._failure = self._check()
                self._checked_at = time.monotonic()
            return self._failure

    @staticmethod
    def _check() -> str | None:
        counters = SqlCounters(str(db.engine.url), engine=db.engine)
        try:
            despite_stale_connection(lambda: counters.incr(COUNTER, 60))
        except SQLAlchemyError as error:
            return type(error).__name__
        return None


@blueprint.get("/healthz")
def healthz() -> Response:
    """Answer 200 while the database takes writes, else 503."""
    health: Health = current_app.extensions.setdefault(EXTENSION, Health())
    failure = health.failure()
    if failure is not None:
        logger.warning("unhealthy: the database answers with %s", failure)
        issue = "the key store cannot be reached or written at the moment"
        raise ApiError(503, "Service is unhealthy", {"issue": issue}, {"Retry-After": "1"})
    return json_response({"status": "ok"})
