"""Jobs, and the interfaces of the engines that run them."""

import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

ENGINE_EXTENSION = "engine"  # the key of the application's ``ComputeEngine`` in its extensions
_ADDRESS_PREFIX = "address:"


def account_tenant(account_id: int) -> str:
    """Return the tenant of an account's jobs; the service's own jobs have the tenant ``""``."""
    return f"account:{account_id}"


def address_tenant(network: str) -> str:
    """Return the tenant of a caller without a key."""
    return f"{_ADDRESS_PREFIX}{network}"


def is_anonymous_tenant(tenant: str) -> bool:
    """Return whether a tenant is a caller without a key."""
    return tenant.startswith(_ADDRESS_PREFIX)


class Cost(NamedTuple):
    """The expected cost of a job.

    Jobs of one ``kind`` take about the same time; ``guessed_seconds`` is used until some have been
    measured. A job of low priority waits until no other job of its tenant does.
    """

    kind: str
    guessed_seconds: float
    is_low_priority: bool = False


@dataclass(frozen=True)
class Job:
    """A function that an engine process runs.

    Attributes:
        function: ``package.module:name``; only imported where it runs.
        noun: Its result in messages, such as ``forecast``.
        remedy: What a client should do if the job failed.
        guessed_seconds: Estimated seconds before any points; for a forecast, those of a short one.
        seconds_per_point: Estimated seconds that each point adds.
        is_low_priority: Whether it waits until no other job of its tenant does, and may fill only
            a part of the queue.
        is_timed: Whether a result comes with the seconds of a core that it took: a pair.
    """

    function: str
    noun: str
    remedy: str = "send the request again"
    guessed_seconds: float = 0.02
    seconds_per_point: float = 2e-6
    is_low_priority: bool = False
    is_timed: bool = False

    def cost(self, points: int, label: str = "", *, forecasts: int = 1) -> Cost:
        """Return the cost for ``points``, rounded to a power of two to distinguish kinds.

        Args:
            label: Distinguishes jobs that take different times for the same number of points.
            forecasts: The number of short forecasts that would take as long.
        """
        kind = f"{label or self.noun} {points.bit_length()}"
        if forecasts > 1:
            kind += f", {forecasts} times"
        seconds = self.guessed_seconds * forecasts + self.seconds_per_point * points
        return Cost(kind, seconds, self.is_low_priority)


def call_job_function(job: Job, *arguments: Any) -> Any:
    """Import the job's function and return its result for ``arguments``.

    If the job is timed: the seconds of a core that it took, and the result.
    """
    function = pkgutil.resolve_name(job.function)
    started = time.thread_time()
    result = function(*arguments)
    return (time.thread_time() - started, result) if job.is_timed else result


class JobSlot(Protocol):
    """A slot in the queue of an engine, for one job."""

    def run(
        self, job: Job, *arguments: Any, cost: Cost, timeout_seconds: float | None = None
    ) -> Any:
        """Return the result of ``job``, as `ComputeEngine.run`."""

    def release(self) -> None: ...


class ComputeEngine(Protocol):
    """A runner of jobs with a queue."""

    def run(
        self,
        job: Job,
        *arguments: Any,
        cost: Cost | None = None,
        timeout_seconds: float | None = None,
        tenant: str = "",
    ) -> Any:
        """Return the result of ``job``, which is expected to take ``cost``.

        ``timeout_seconds`` can lower the default time limit; ``tenant`` is whom the job is for.
        """

    def acquire_slot(self, cost: Cost, size_bytes: int, tenant: str = "") -> JobSlot:
        """Reserve a slot in the queue for a job from a request of ``size_bytes``."""

    def expected_wait_seconds(self) -> float | None:
        """Return how many seconds a new job is expected to wait; None if that is unknown."""


@dataclass(frozen=True)
class InProcessEngine(ComputeEngine, JobSlot):
    """An engine without a queue, and so its own slot, which runs jobs in this process."""

    function: Callable[..., Any] = call_job_function

    def run(self, job: Job, *arguments: Any, **_options: Any) -> Any:
        return self.function(job, *arguments)

    def acquire_slot(self, cost: Cost, size_bytes: int, tenant: str = "") -> JobSlot:
        return self

    def release(self) -> None:
        """Do nothing: there is no queue."""

    def expected_wait_seconds(self) -> float | None:
        return 0.0
