"""How views reach the engine: in this process, or in engine processes if a server has started them;
and the errors for an engine that is busy or does not respond."""

import time
from typing import Any

from flask import current_app, g

from app.api.errors import ApiError, restarting
from app.engine import jobs
from app.engine.jobs import EXTENSION, Job
from app.engine.pool import EngineAwayError, EngineBusyError, EngineFailedError
from app.observability import instruments
from app.observability.requests import Work

BUSY_SECONDS = 2


def run_job(job: Job, *arguments: Any, work: Work | None = None) -> Any:
    """Return what ``job`` returns for ``arguments``, which an engine process computes.

    Args:
        job: What to do.
        arguments: Arguments that can be pickled.
        work: What the log and the metrics show of it.

    Raises:
        ApiError: 503 when too many jobs wait or the engines are restarting, 500 when the engine
            fails or takes too long.
    """
    run = current_app.extensions.get(EXTENSION, jobs.do)
    engine_job = job.noun
    if work is not None:
        engine_job, g.work = work.model, work
        instruments.SERIES_POINTS.observe(work.points)
    failures = instruments.ENGINE_FAILURES.labels(engine_job)  # 0 from its first job on
    started = time.perf_counter()
    try:
        with instruments.ENGINE_IN_FLIGHT.track_inprogress():
            result = run(job, *arguments)
    except EngineBusyError:
        instruments.ENGINE_REFUSALS.inc()
        issue = f"too many {job.noun}s are waiting; send the request again in {BUSY_SECONDS} s"
        headers = {"Retry-After": str(BUSY_SECONDS)}
        raise ApiError(503, "Service is busy", {"issue": issue}, headers) from None
    except EngineAwayError as error:
        failures.inc()
        current_app.logger.error("%s not computed: %s", job.noun, error)
        raise restarting("the engine processes were", BUSY_SECONDS) from None
    except EngineFailedError as error:
        failures.inc()
        current_app.logger.error("%s not computed: %s", job.noun, error)
        issue = f"the {job.noun} could not be computed: {error}; {job.remedy}"
        raise ApiError(500, "Internal server error", {"issue": issue}) from None
    instruments.ENGINE_SECONDS.labels(engine_job).observe(time.perf_counter() - started)
    return result
