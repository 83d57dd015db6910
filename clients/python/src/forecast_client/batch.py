"""The next step of many calls at once; no I/O.

A refused call only fails itself. A used-up limit makes all wait together. An error that the others
would meet too (a wrong key, a horizon out of range, no service) ends the batch: calls not sent by
then fail with that error, and are not tried one by one.
"""

import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from forecast_client.calls import Call
from forecast_client.errors import (
    AuthenticationError,
    ForecastError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    ServiceConnectionError,
    ServiceTimeoutError,
    ServiceUnavailableError,
    UnexpectedResponseError,
)
from forecast_client.retries import Attempts, Retries

T = TypeVar("T")
Job = tuple[Hashable, Call[T] | ForecastError]
FOR_ALL = (AuthenticationError, PermissionDeniedError, NotFoundError)
AWAY = (ServiceConnectionError, ServiceUnavailableError, ServerError, UnexpectedResponseError)


class NotSentError(ForecastError):
    """A series was not sent, because the service did not take those before it."""


class Batch(Generic[T]):
    """The calls of a batch and their results; threads may share it.

    ``told`` is called after each series that is done, one at a time.
    """

    def __init__(
        self, jobs: Iterator[Job[T]], retries: Retries, workers: int, told: Callable[[], object]
    ) -> None:
        self.results: dict[Hashable, T] = {}
        self.errors: dict[Hashable, ForecastError] = {}
        self.order: list[Hashable] = []
        self.retries = retries
        self._jobs = jobs
        self._told = told
        self._lock = threading.RLock()
        self._most_in_a_row = max(workers, 3)
        self._failed_in_a_row = 0
        self._succeeded_at = retries.clock()
        self._resumes_at = retries.clock()
        self._end: ForecastError | None = None

    def next_trial(self) -> "Trial[T] | None":
        """Return the next call to send, None if none is left."""
        with self._lock:
            for name, job in self._jobs:
                self.order.append(name)
                if self._end is not None:
                    self._finish(name, _not_sent(self._end))
                elif isinstance(job, ForecastError):
                    self._finish(name, job)
                else:
                    return Trial(self, name, job)
            return None

    def stop(self, error: ForecastError) -> None:
        """Stop sending."""
        with self._lock:
            self._end = self._end or error

    def wait(self) -> float:
        """Return how many seconds all have to wait for the limit."""
        return self._resumes_at - self.retries.clock()

    def ended(self) -> ForecastError | None:
        """Return what ended the batch, None while it runs."""
        return self._end

    def succeed(self, name: Hashable, result: T) -> None:
        """Take in a result."""
        with self._lock:
            self.results[name] = result
            self._failed_in_a_row = 0
            self._succeeded_at = self.retries.clock()
            self._told()

    def fail(self, name: Hashable, error: ForecastError) -> None:
        """Take in why a series has no result; it may end the batch."""
        with self._lock:
            if isinstance(error, AWAY):
                self._failed_in_a_row += 1
            if self._is_end(error):
                self.stop(error)
            self._finish(name, error)

    def hold(self, error: RateLimitError) -> bool:
        """Let all wait until the limit has room; gives whether that is worth it."""
        with self._lock:
            now, patience = self.retries.clock(), self.retries.max_wait
            pause = self.retries.pause(1, error)
            if pause > patience or now + pause - self._succeeded_at > 2 * patience:
                self.stop(error)
                return False
            self._resumes_at = max(self._resumes_at, now + pause)
            return True

    def _finish(self, name: Hashable, error: ForecastError) -> None:
        self.errors[name] = error
        self._told()

    def _is_end(self, error: ForecastError) -> bool:
        """Whether an error is one that the other series would meet as well."""
        if isinstance(error, InvalidRequestError):
            return error.field is not None and not error.field.startswith("series")
        if isinstance(error, ServiceConnectionError) and not isinstance(error, ServiceTimeoutError):
            return True
        return isinstance(error, FOR_ALL) or self._failed_in_a_row >= self._most_in_a_row


class Trial(Generic[T]):
    """One call of a batch, until it has a result or an error."""

    def __init__(self, batch: Batch[T], name: Hashable, call: Call[T]) -> None:
        self._batch = batch
        self._name = name
        self._attempts: Attempts[T] = batch.retries.attempts(call)
        self._pause = 0.0

    @property
    def call(self) -> Call[T]:
        """The call to send."""
        return self._attempts.call

    def pause(self) -> float:
        """Return how many seconds to wait before it is sent; 0 or less is not at all."""
        own, self._pause = self._pause, 0.0
        return max(own, self._batch.wait())

    def is_over(self) -> bool:
        """Return whether the batch has ended, so that it must not be sent."""
        end = self._batch.ended()
        if end is not None:
            self._batch.fail(self._name, _not_sent(end))
        return end is not None

    def succeed(self, result: T) -> None:
        """Take in the result."""
        self._batch.succeed(self._name, result)

    def goes_on(self, error: ForecastError) -> bool:
        """Take in a failure; gives whether the call is sent again, after a pause."""
        if isinstance(error, RateLimitError):
            if self._batch.hold(error):
                return True
        else:
            try:
                self._pause = self._attempts.pause_after(error)
            except ForecastError:
                pass
            else:
                return True
        self._batch.fail(self._name, error)
        return False


def _not_sent(end: ForecastError) -> NotSentError:
    error = NotSentError(f"not sent, because the service did not take the series before it: {end}")
    error.__cause__ = end
    return error
