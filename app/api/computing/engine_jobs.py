"""Run jobs of views in the engine, and report when it is busy or does not respond.

Jobs run in this process, or in engine processes if a server has started them.
"""

import math
import time
from functools import partial
from typing import Any

from flask import Flask, current_app, request

from app.api.callers.addresses import caller_network
from app.api.callers.limiter import read_budget_from_memory
from app.api.computing.current import current_compute_engine
from app.api.errors.api_error import ApiError, restarting_error, unavailable_error
from app.api.request_state import JobDetails, request_state
from app.compute.errors import (
    CallerTimeoutError,
    EngineBusyError,
    EngineFailedError,
    EngineMemoryError,
    EngineUnavailableError,
)
from app.compute.jobs import Job, JobSlot, account_tenant, address_tenant
from app.core import instruments
from app.forecasting.jobs.windows import equivalent_forecasts
from app.timeseries.words import plural_of

_RETRY_AFTER_RESTART_SECONDS = 2
BYTES_PER_POINT = 30  # a point in a body, with its timestamp


def register_queue_slots(app: Flask) -> None:
    """Release the queue slots of requests of ``app`` that have ended without a job."""
    app.teardown_request(_release_queue_slot)


def acquire_queue_slot(job: Job, label: str, size: int) -> None:
    """Acquire a slot of the engine's queue for the job of the current request.

    This is done before the request is counted and its body is read, so that under overload a
    rejection costs little, and the bodies of all waiting requests fit into memory.

    Args:
        label: Distinguishes jobs that take different times.
        size: How many bytes the body may have.

    Raise ApiError, 503, when too much waits.
    """
    cost = job.cost(size // BYTES_PER_POINT, label)
    try:
        request_state().queue_slot = current_compute_engine().acquire_slot(
            cost, size, tenant=current_tenant()
        )
    except EngineBusyError as error:
        read_budget_from_memory()
        raise _busy_error(job, error) from None


def declared_body_bytes(limit: int) -> int:
    """Return the size of the current request's body by its header, at most ``limit``."""
    # A chunked body declares none.
    return limit if request.content_length is None else min(request.content_length, limit)


def current_tenant() -> str:
    """Return the tenant of the current request's jobs: an account, or an address without one."""
    state = request_state()
    caller = state.caller or state.member
    return account_tenant(caller.account_id) if caller else address_tenant(caller_network())


def _release_queue_slot(_error: BaseException | None) -> None:
    """Release the slot of a request that was rejected before its job began."""
    if (slot := _pop_queue_slot()) is not None:
        slot.release()


def run_job(
    job: Job,
    *arguments: Any,
    details: JobDetails | None = None,
    points: int | None = None,
    keep_slot: bool = False,
    timeout_seconds: float | None = None,
) -> Any:
    """Return what ``job`` returns for ``arguments``, which an engine process computes.

    Args:
        arguments: Arguments that can be pickled.
        details: What the log and the metrics show of it.
        points: The number of forecast points that would take as long; by default those of
            ``details``.
        keep_slot: Whether the request keeps its slot of the queue for another job.
        timeout_seconds: A time limit below the default one, which input within its bounds only
            exceeds if it is unusually expensive.

    Raise ApiError: 503 if too much waits or the engines are restarting, 422 if the job needs more
    memory than an engine may hold or takes longer than ``timeout_seconds``, 500 if the engine
    fails or takes too long.
    """
    if details is None:
        details = JobDetails(job.noun, 0)
    else:
        request_state().job_details = details
        instruments.SERIES_POINTS.observe(details.point_count)
    label, forecasts = details.label, equivalent_forecasts(details.horizon or 1)
    cost = job.cost(points or details.point_count, label, forecasts=forecasts)
    instruments.ENGINE_FAILURES.labels(label)  # export 0 before a failure, as rate() needs it
    started = time.perf_counter()
    try:
        with instruments.ENGINE_IN_FLIGHT.track_inprogress():
            slot = None if keep_slot else _pop_queue_slot()
            engine = current_compute_engine()
            run = slot.run if slot else partial(engine.run, tenant=current_tenant())
            result = run(job, *arguments, cost=cost, timeout_seconds=timeout_seconds)
    except EngineBusyError as error:
        raise _busy_error(job, error) from None
    except EngineFailedError as error:
        raise report_job_failure(job, error, label) from None
    instruments.ENGINE_SECONDS.labels(label).observe(time.perf_counter() - started)
    return result


def _pop_queue_slot() -> JobSlot | None:
    state = request_state()
    slot, state.queue_slot = state.queue_slot, None
    return slot


def report_job_failure(job: Job, error: EngineFailedError, label: str) -> ApiError:
    """Log a job's failure and count it under ``label`` in the metrics; return the response's error.

    A job that needs too much memory or time is a 422 and does not count: the engine has not
    failed. Other failures are a 503 while the engines restart, else a 500.
    """
    issue = f"the {job.noun} could not be computed: {error}; {job.remedy}"
    if isinstance(error, EngineMemoryError):
        return ApiError(422, "Too much memory needed", issue)
    if isinstance(error, CallerTimeoutError):
        return ApiError(422, "Too much time needed", issue)
    instruments.ENGINE_FAILURES.labels(label).inc()
    current_app.logger.error("%s not computed: %s", job.noun, error)
    if isinstance(error, EngineUnavailableError):
        return restarting_error("the engine processes were", _RETRY_AFTER_RESTART_SECONDS)
    return ApiError(500, "Internal server error", issue)


def _busy_error(job: Job, error: EngineBusyError) -> ApiError:
    """Return the 503 for a job that may not wait; Retry-After is the expected time of the queue."""
    instruments.ENGINE_REJECTIONS.inc()
    seconds = max(1, math.ceil(error.wait_seconds))
    issue = f"too many {plural_of(job.noun)} are waiting; send the request again in {seconds} s"
    return unavailable_error("Service is busy", issue, seconds)
