"""Decide whether and when to retry a failed call; no I/O.

Several requests are a flow, like httpx's ``auth_flow``: a generator that yields a ``Call`` to send
once, a ``Sleep``, or ``Parallel`` flows. It receives the result or the exception of each call,
and returns the result. ``transport`` runs it, blocking or with asyncio.
"""

import random
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Generic, TypeVar

from forecast_client.calls import Call
from forecast_client.errors import (
    ForecastError,
    RateLimitError,
    ServiceConnectionError,
    ServiceUnavailableError,
    SettingsError,
    UnexpectedResponseError,
)

T = TypeVar("T")
DEFAULT_RETRIES, DEFAULT_MAX_WAIT_SECONDS = 3, 75.0
TRANSIENT = frozenset({429, 502, 503, 504})


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Parallel:
    """Flows to run in parallel; ``stop`` is called if they are interrupted."""

    flows: Sequence["Flow[None]"]
    stop: Callable[[BaseException], None]


Step = Call[Any] | Sleep | Parallel
Flow = Generator[Step, Any, T]
Plan = Callable[["Retries"], Flow[T]]  # makes a flow, given how calls are retried


@dataclass(frozen=True)
class Retries:
    """How often and for how long a call is retried.

    A call is retried up to ``limit`` times, the last time at most ``max_wait_seconds`` after the
    first attempt. Pauses double from ``first_pause`` to ``max_pause`` seconds, with jitter of up to
    a half; a longer ``Retry-After`` is respected.
    """

    limit: int = DEFAULT_RETRIES
    max_wait_seconds: float = DEFAULT_MAX_WAIT_SECONDS
    first_pause: float = 0.5
    max_pause: float = 8.0
    chance: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if not isinstance(self.limit, Integral) or self.limit < 0:
            raise SettingsError(f"{self.limit!r}: pass a whole number, 0 for none", "retries")
        if not isinstance(self.max_wait_seconds, Real) or not self.max_wait_seconds >= 0:
            raise SettingsError(f"{self.max_wait_seconds!r}: pass seconds, 0 or more", "max_wait")

    def attempts(self, call: Call[T]) -> "Attempts[T]":
        """Return the attempts of a call; the first begins now."""
        return Attempts(self, call)

    def flow(self, task: Call[T] | Plan[T]) -> Flow[T]:
        """Send a call until it succeeds or a retry is useless, or run a plan."""
        if not isinstance(task, Call):
            return (yield from task(self))
        attempts = self.attempts(task)
        while True:
            try:
                result: T = yield attempts.call
            except ForecastError as error:
                pause = attempts.pause_after(error)
            else:
                return result
            yield Sleep(pause)

    def pause(self, number: int, error: ForecastError) -> float:
        """Return the seconds to wait after attempt ``number`` (from 1) has failed."""
        ceiling = min(self.first_pause * 2.0 ** (number - 1), self.max_pause)
        backoff = ceiling * (1 - self.chance() / 2)
        if error.retry_after is None:
            return backoff
        return max(backoff, error.retry_after + self.first_pause * self.chance())


class Attempts(Generic[T]):
    """The attempts of one call; ``call`` is the next one to send."""

    def __init__(self, retries: Retries, call: Call[T]) -> None:
        self.call = call
        self._retries = retries
        self._number = 1
        self._began = retries.clock()

    def pause_after(self, error: ForecastError) -> float:
        """Return the seconds to wait before the next attempt.

        Raises:
            ForecastError: ``error``, if another attempt is useless, may do harm or is too late.
        """
        if self._number > self._retries.limit or not _is_retryable(error):
            raise error
        may_be_done = _may_be_done(error)
        if may_be_done and not self.call.is_repeatable:
            raise error
        pause = self._retries.pause(self._number, error)
        if self._retries.clock() - self._began + pause > self._retries.max_wait_seconds:
            raise error
        if may_be_done:
            self.call = self.call.repetition()
        self._number += 1
        return pause


def _is_retryable(error: ForecastError) -> bool:
    if isinstance(error, UnexpectedResponseError):
        return error.status in TRANSIENT
    return isinstance(error, RateLimitError | ServiceUnavailableError | ServiceConnectionError)


def _may_be_done(error: ForecastError) -> bool:
    """Return whether the service may have processed the failed request."""
    if isinstance(error, ServiceConnectionError):
        return error.was_sent
    if isinstance(error, ServiceUnavailableError | UnexpectedResponseError):
        # The service sends 503 before it does anything; errors of a proxy may come later.
        return not (isinstance(error, ServiceUnavailableError) and error.status == 503)
    return False
