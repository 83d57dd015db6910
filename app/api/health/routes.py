"""GET /healthz and GET /readyz: whether this node can serve, and whether all it stands on is there.

Both ask the database, `/readyz` the limit store too. A store that only answers reads (a full disk,
a read-only file, a held lock) is of no use, since each call notes its use: so the questions write
one row, at most once a second in each process however often they come. Requests go on without the
limit store, so `/healthz` does not ask it: a load balancer by `/readyz` would then stop them all.
"""

import functools
import logging
import time
from collections.abc import Callable

from flask import Blueprint, Response, current_app
from flask.blueprints import BlueprintSetupState
from sqlalchemy import Engine

from app.api.errors import ApiError
from app.api.health.probe import Probe, failure
from app.api.json import json_response
from app.database import db
from app.limits.limiter import store_check
from app.limits.stores import check
from app.limits.stores.sql import SqlCounters

logger = logging.getLogger(__name__)

blueprint = Blueprint("health", __name__)
EXTENSION = "health"
ANSWER_SECONDS = 2.0
DATABASE, LIMIT_STORE = "database", "limit_store"


@blueprint.record_once
def make_probes(state: BlueprintSetupState) -> None:
    """Give the application its probes."""
    state.app.extensions[EXTENSION] = {DATABASE: Probe(), LIMIT_STORE: Probe()}


@blueprint.get("/healthz")
def healthz() -> Response:
    """Answer 200 while the database takes writes, else 503."""
    if _failures({DATABASE: _database_check()}):
        issue = "the key store cannot be reached or written at the moment; ask again in 1 s"
        raise ApiError(503, "Service is unhealthy", {"issue": issue}, {"Retry-After": "1"})
    return json_response({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """Answer 200 while the database and the limit store take writes, else 503 with which do not."""
    failures = _failures({DATABASE: _database_check(), LIMIT_STORE: store_check()})
    states = {name: "away" if name in failures else "ok" for name in (DATABASE, LIMIT_STORE)}
    if failures:
        away = " and ".join(name.replace("_", " ") for name in failures)
        issue = f"cannot be reached or written at the moment: {away}; ask again in 1 s"
        raise ApiError(503, "Service is not ready", {"issue": issue} | states, {"Retry-After": "1"})
    return json_response({"status": "ok"} | states)


def _failures(checks: dict[str, Callable[[], None]]) -> dict[str, str]:
    """Ask all at once; return the kind of error of each that fails, and log it."""
    deadline = time.monotonic() + ANSWER_SECONDS
    probes: dict[str, Probe] = current_app.extensions[EXTENSION]
    answers = {name: probes[name].ask(check) for name, check in checks.items()}
    found = {name: failure(answer, deadline) for name, answer in answers.items()}
    failures = {name: kind for name, kind in found.items() if kind is not None}
    for name, kind in failures.items():
        logger.warning("unhealthy: the %s answers with %s", name.replace("_", " "), kind)
    return failures


def _database_check() -> Callable[[], None]:
    return functools.partial(check_database, db.engine)


def check_database(engine: Engine) -> None:
    """Write one row; raise what the database raises."""
    check(SqlCounters(str(engine.url), engine))
