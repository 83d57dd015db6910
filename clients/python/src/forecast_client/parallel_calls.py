"""Run many calls in parallel; no I/O.

A rejected call does not fail the others. An exceeded rate limit makes all calls wait. An error that
every call would get (a wrong key, a horizon out of range, no service) ends all of them: those not
sent yet fail with ``NotSentError``.
"""

import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar

from forecast_client import errors
from forecast_client.calls import Call
from forecast_client.errors import ForecastError
from forecast_client.retries import Flow, Parallel, Retries, Sleep

T = TypeVar("T")
Job = tuple[Hashable, Call[T] | ForecastError]
FATAL_ERRORS = (errors.AuthenticationError, errors.PermissionDeniedError, errors.NotFoundError)
UNAVAILABLE_ERRORS = (
    errors.ServiceConnectionError,
    errors.ServiceUnavailableError,
    errors.ServerError,
    errors.UnexpectedResponseError,
)


class NotSentError(ForecastError):
    """A series was not sent, because of an error that affects all series."""


class ParallelCalls(Generic[T]):
    """Calls and their results; the workers may be threads.

    ``report`` is called after each series that is done, one at a time.
    """

    def __init__(
        self, jobs: Iterator[Job[T]], retries: Retries, workers: int, report: Callable[[], object]
    ) -> None:
        self.results: dict[Hashable, T] = {}
        self.errors: dict[Hashable, ForecastError] = {}
        self.order: list[Hashable] = []
        self._jobs = jobs
        self._retries = retries
        self._workers = workers
        self._report = report
        # Guards the iterator of jobs, the results, the errors and the state that follows from them.
        # Workers read ``_end`` and ``_resumes_at`` without it: a stale read sends a call too early.
        self._lock = threading.RLock()
        self._failed_in_a_row = 0
        self._succeeded_at = self._resumes_at = retries.clock()
        self._end: ForecastError | None = None

    def run(self) -> Flow[None]:
        """Send all calls, one per worker at a time."""
        yield Parallel([self._work() for _ in range(self._workers)], self._interrupt)

    def _work(self) -> Flow[None]:
        while (job := self._next_job()) is not None:
            yield from self._send_with_retries(*job)

    def _next_job(self) -> tuple[Hashable, Call[T]] | None:
        with self._lock:
            for name, job in self._jobs:
                self.order.append(name)
                if self._end is not None:
                    self._record_error(name, not_sent(self._end))
                elif isinstance(job, ForecastError):
                    self._record_error(name, job)
                else:
                    return name, job
            return None

    def _send_with_retries(self, name: Hashable, call: Call[T]) -> Flow[None]:
        attempts = self._retries.attempts(call)
        pause = 0.0
        while True:
            while (wait := max(pause, self._resumes_at - self._retries.clock())) > 0:
                yield Sleep(wait)
                pause = 0.0
            if self._end is not None:
                self._record_error(name, not_sent(self._end))
                return
            try:
                result = yield attempts.call
            except Exception as failure:  # an error in one series must not fail the others
                error = errors.as_forecast_error(failure)
            else:
                self._succeed(name, result)
                return
            try:
                is_limit = isinstance(error, errors.RateLimitError)
                pause = self._wait_for_limit(error) if is_limit else attempts.pause_after(error)
            except ForecastError:
                self._fail(name, error)
                return

    def _succeed(self, name: Hashable, result: Any) -> None:
        with self._lock:
            self.results[name] = result
            self._failed_in_a_row = 0
            self._succeeded_at = self._retries.clock()
            self._report()

    def _fail(self, name: Hashable, error: ForecastError) -> None:
        with self._lock:
            if isinstance(error, UNAVAILABLE_ERRORS):
                self._failed_in_a_row += 1
            if self._ends_all(error):
                self._end = self._end or error
            self._record_error(name, error)

    def _record_error(self, name: Hashable, error: ForecastError) -> None:
        with self._lock:
            self.errors[name] = error
            self._report()

    def _wait_for_limit(self, error: ForecastError) -> float:
        """Make all workers wait until requests are allowed; raise ``error`` if that is too late."""
        with self._lock:
            now = self._retries.clock()
            max_wait = self._retries.max_wait_seconds
            pause = self._retries.pause(1, error)
            if pause > max_wait or now + pause - self._succeeded_at > 2 * max_wait:
                self._end = self._end or error
                raise error
            self._resumes_at = max(self._resumes_at, now + pause)
            return 0.0

    def _interrupt(self, error: BaseException) -> None:
        self._end = self._end or ForecastError(f"interrupted by {type(error).__name__}")

    def _ends_all(self, error: ForecastError) -> bool:
        """Return whether the other series would get this error, too."""
        if isinstance(error, errors.InvalidRequestError):
            return error.field is not None and not error.field.startswith("series")
        is_timeout = isinstance(error, errors.ServiceTimeoutError)
        if isinstance(error, errors.ServiceConnectionError) and not is_timeout:
            return True
        return isinstance(error, FATAL_ERRORS) or self._failed_in_a_row >= max(self._workers, 3)


def not_sent(end: ForecastError) -> NotSentError:
    """Return the error of a series that was not sent because of ``end``."""
    error = NotSentError(f"not sent, because the service did not take the series before it: {end}")
    error.__cause__ = end
    return error
