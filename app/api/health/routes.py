"""GET /healthz and GET /readyz: whether this node can serve, and whether it has all that it needs.

Both check the database, `/readyz` also the limit store and the engine. Every call records its use,
so a store that is only readable (full disk, read-only file, held lock) is not enough: the checks
write one row, at most once per second and process. The service works without the limit store, so
`/healthz` does not check it: a load balancer that used `/readyz` would take all nodes out of
service. `/readyz` also says whether a worker runs, which changes no status: a node serves without
one. After a start the engine cannot be reached until it has loaded; forecasts wait for it.
"""

import functools
import logging
import time
from collections.abc import Callable

from flask import Blueprint, Response, current_app
from flask.blueprints import BlueprintSetupState
from sqlalchemy import Engine

from app.api.callers.limiter import limit_counters
from app.api.computing.current import current_compute_engine
from app.api.errors.api_error import unavailable_error
from app.api.health.probe import Probe, failure_kind
from app.api.responses.json import json_response
from app.compute.errors import EngineUnavailableError
from app.compute.jobs import ComputeEngine
from app.core.database import db
from app.delivery.heartbeat import NoWorkerError, check_worker
from app.identity.limits.stores import check_store
from app.identity.limits.stores.sql import SqlCounters

logger = logging.getLogger(__name__)

blueprint = Blueprint("health", __name__)
_HEALTH_EXTENSION = "health"
MAX_HEALTH_SECONDS = 2.0
_RETRY_SECONDS = 1  # after it the checks run again
_DATABASE, _LIMIT_STORE, _ENGINE, _WORKER = "database", "limit_store", "engine", "worker"


@blueprint.record_once
def make_probes(state: BlueprintSetupState) -> None:
    state.app.extensions[_HEALTH_EXTENSION] = {
        name: Probe() for name in (_DATABASE, _LIMIT_STORE, _ENGINE, _WORKER)
    }


@blueprint.get("/healthz")
def healthz() -> Response:
    """Return 200 if the database accepts writes, else 503."""
    if _run_checks({_DATABASE: functools.partial(check_database, db.engine)}):
        issue = (
            "the database cannot be reached or written at the moment; "
            f"try again in {_RETRY_SECONDS} s"
        )
        raise unavailable_error("Service is unhealthy", issue, _RETRY_SECONDS)
    return json_response({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """Return 200 if the database and the limit store accept writes and engines run, else 503."""
    checks: dict[str, Callable[[], None]] = {
        _DATABASE: functools.partial(check_database, db.engine),
        _LIMIT_STORE: limit_counters().check,
        _ENGINE: functools.partial(check_engine, current_compute_engine()),
        _WORKER: functools.partial(check_worker, db.engine),
    }
    failures = _run_checks(checks)
    states = {name: "away" if name in failures else "ok" for name in checks}
    if failures.pop(_WORKER, NoWorkerError.__name__) != NoWorkerError.__name__:
        states[_WORKER] = "unknown"
    if failures:
        failing = " and ".join(f"the {name.replace('_', ' ')}" for name in failures)
        issue = f"{failing} cannot be used at the moment; try again in {_RETRY_SECONDS} s"
        raise unavailable_error("Service is not ready", issue, _RETRY_SECONDS, **states)
    return json_response({"status": "ok"} | states)


def _run_checks(checks: dict[str, Callable[[], None]]) -> dict[str, str]:
    """Run all checks in parallel; log and return the kind of error of each that fails."""
    deadline = time.monotonic() + MAX_HEALTH_SECONDS
    probes: dict[str, Probe] = current_app.extensions[_HEALTH_EXTENSION]
    results = {name: probes[name].run(check) for name, check in checks.items()}
    kinds = {name: failure_kind(result, deadline) for name, result in results.items()}
    failures = {name: kind for name, kind in kinds.items() if kind is not None}
    for name, kind in failures.items():
        logger.warning(
            "unhealthy: the check of the %s failed with %s", name.replace("_", " "), kind
        )
    return failures


def check_engine(engine: ComputeEngine) -> None:
    """Raise EngineUnavailableError while no engine can be reached."""
    if engine.expected_wait_seconds() is None:
        raise EngineUnavailableError("no engine process can be reached")


def check_database(engine: Engine) -> None:
    """Write one row; pass on the exceptions of the database."""
    check_store(SqlCounters(engine))
