"""Compute thousands of results in one call: in parts, at low priority.

A part takes an engine about ``PART_SECONDS``, and yields to single jobs. A call has no more parts
under way than there are engines, so that calls share these. Between parts it checks whether its
client still waits, and whether its time is over or clearly too short. It keeps the queue slot that
it acquired on arrival, which bounds the bodies and results in memory.
"""

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from flask import request

from app.api.computing.batch_parts import PART_SECONDS, BatchParts
from app.api.computing.current import current_compute_engine
from app.api.computing.engine_jobs import current_tenant, report_job_failure
from app.api.errors.api_error import ApiError
from app.api.request_state import JobDetails, request_state
from app.api.service import current_settings
from app.compute.errors import EngineBusyError, EngineFailedError, EngineMemoryError
from app.compute.jobs import Cost, Job
from app.core import instruments
from app.timeseries.types import FloatArray

MIN_REMAINING_SECONDS = 1.0  # with less time left no further part begins
_MIN_FRACTION = 0.01  # a smaller part of a call is too small to extrapolate from
_MIN_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.05, 1.0  # before a busy engine is asked again
_CLIENT_LEFT = 499  # nginx's status, for its log: the client does not read the response

MakeArguments = Callable[[int, int], tuple[Any, ...]]


class OutOfTimeError(Exception):
    """The call takes too long; about ``fraction`` of it can be computed in ``seconds``."""

    def __init__(self, fraction: float, seconds: float) -> None:
        self.fraction = max(fraction, _MIN_FRACTION)
        super().__init__(f"about {100 * self.fraction:.0f} % can be computed in {seconds:.0f} s")

    def as_api_error(self, remedy: str) -> ApiError:
        issue = f"too much work for one call: {self}; {remedy}"
        return ApiError(422, "Too much work", issue)


def batch_job(function: str, noun: str, remedy: str) -> Job:
    """Return a job whose parts report their time: the call itself costs none in the queue."""
    return Job(
        function,
        noun=noun,
        remedy=remedy,
        guessed_seconds=0.0,
        seconds_per_point=0.0,
        is_low_priority=True,
        is_timed=True,
    )


class _BatchRun:
    """A call under way: its threads compute parts until none is left, or the call is stopped."""

    def __init__(
        self,
        job: Job,
        make_arguments: MakeArguments,
        guesses: FloatArray,
        engines: int,
        timeout_seconds: float,
    ) -> None:
        self.job = job
        self.label = f"{job.noun}-batch"
        self.make_arguments = make_arguments
        self.parts = BatchParts(guesses, engines)
        self.timeout_seconds = timeout_seconds
        self.call_started_at = time.monotonic()
        self.stopped = threading.Event()
        # Resolved here: the threads have no request context.
        self.run_job = current_compute_engine().run
        self.tenant = current_tenant()
        self.is_client_gone = _client_disconnect_check()

    def remaining_seconds(self) -> float:
        return self.call_started_at + self.timeout_seconds - time.monotonic()

    def run_parts(self) -> None:
        """Compute parts until there are none; an error stops the other threads, too."""
        try:
            while not self.stopped.is_set() and (part := self.parts.next_part()) is not None:
                self._run_part(part)
        except BaseException:
            self.stopped.set()
            raise

    def _run_part(self, part: tuple[int, int]) -> None:
        arguments = self.make_arguments(*part)
        cost = Cost(self.label, PART_SECONDS, is_low_priority=True)
        part_started_at = time.monotonic()
        while not self.stopped.is_set():
            remaining_seconds = self.remaining_seconds()
            if remaining_seconds < MIN_REMAINING_SECONDS or self.is_client_gone():
                self.stopped.set()
                return
            attempt_started_at = time.perf_counter()
            try:
                job_seconds, result = self.run_job(
                    self.job,
                    *arguments,
                    cost=cost,
                    timeout_seconds=remaining_seconds,
                    tenant=self.tenant,
                )
            except EngineBusyError as error:
                self.stopped.wait(
                    min(max(error.wait_seconds, _MIN_PAUSE_SECONDS), _MAX_PAUSE_SECONDS)
                )
                continue
            instruments.ENGINE_SECONDS.labels(self.label).observe(
                time.perf_counter() - attempt_started_at
            )
            now = time.monotonic()
            self.parts.record_result(*part, result, job_seconds, now - part_started_at)
            reachable = self.parts.reachable_fraction(
                now - self.call_started_at, self.timeout_seconds
            )
            if reachable < 1:
                raise OutOfTimeError(reachable, self.timeout_seconds)
            return


def run_batch_job(
    job: Job,
    make_arguments: MakeArguments,
    guesses: FloatArray,
    timeout_seconds: float,
    details: JobDetails,
) -> list[Any]:
    """Return the results of a call's parts, in the order of their items.

    Args:
        job: The job of a part, made by `batch_job`.
        make_arguments: Returns the function's arguments for the items from ``start`` to ``stop``.
        guesses: The seconds of a core that each item may take; only their ratios count.
        timeout_seconds: How long the call may take.
        details: What the log and the metrics show of the call.

    Raise ApiError: 422 if a part needs more memory than an engine may hold, 500 if the engine
    fails, 503 if it restarts, 499 if the client has left. Raise OutOfTimeError if the call takes
    too long, or clearly would.
    """
    request_state().job_details = details
    # On one core a second engine is only a reserve for callers with a key: it makes nothing faster.
    threads = min(current_settings().web_concurrency, len(guesses))
    batch = _BatchRun(job, make_arguments, guesses, threads, timeout_seconds)
    instruments.BATCH_SERIES.labels(batch.label).observe(details.series_count)
    with instruments.ENGINE_IN_FLIGHT.track_inprogress(), ThreadPoolExecutor(threads) as executor:
        running = [executor.submit(batch.run_parts) for _ in range(threads)]
        try:
            for ended in running:
                ended.result()
        except EngineFailedError as error:
            # Without remaining time, the time limit ended the part.
            if isinstance(error, EngineMemoryError) or batch.remaining_seconds() > 0:
                raise report_job_failure(job, error, batch.label) from None
        finally:
            batch.stopped.set()
    if (results := batch.parts.ordered_results()) is not None:
        return results
    if batch.is_client_gone():
        raise ApiError(
            _CLIENT_LEFT,
            "Client closed the connection",
            "the client left before the response was ready",
        )
    raise OutOfTimeError(batch.parts.done_fraction, timeout_seconds)


def _client_disconnect_check() -> Callable[[], bool]:
    """Return a check whether the client has closed its connection, by gunicorn's socket."""
    link: socket.socket | None = request.environ.get("gunicorn.socket")

    def is_gone() -> bool:
        if link is None:
            return False
        try:
            return not link.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True

    return is_gone
