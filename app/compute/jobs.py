"""The jobs of engine processes."""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

EXTENSION = "engine"
"""The extension key of the ``Engine`` that runs jobs elsewhere."""
_ADDRESS_PREFIX = "address:"


def account_tenant(account_id: int) -> str:
    """Return the tenant that jobs of an account are for; those of the service are for ``""``."""
    return f"account:{account_id}"


def address_tenant(network: str) -> str:
    """Return the tenant that jobs of a caller without a key are for."""
    return f"{_ADDRESS_PREFIX}{network}"


def is_anonymous(tenant: str) -> bool:
    """Return whether a tenant is a caller without a key."""
    return tenant.startswith(_ADDRESS_PREFIX)


class Cost(NamedTuple):
    """The expected cost of a job.

    Attributes:
        kind: Jobs of one kind take about as long as each other.
        seconds: A guess, used until jobs of this kind have been measured.
        yields: Whether the job waits until no other job of its tenant does.
    """

    kind: str
    seconds: float
    is_low_priority: bool = False


@dataclass(frozen=True)
class Job:
    """A function that an engine process runs.

    Attributes:
        function: ``package.module:name``; only imported where it runs.
        noun: The name of its result in messages, such as ``forecast``.
        remedy: What a client should do if the job failed.
        seconds: A guess of what it takes, without its points.
        seconds_per_point: A guess of what each point adds.
        yields: Whether it waits until no other job of its tenant does, and takes a part of the
            queue at most.
    """

    function: str
    noun: str
    remedy: str = "send the request again"
    seconds: float = 0.02
    seconds_per_point: float = 2e-6
    is_low_priority: bool = False

    def cost(self, points: int, label: str = "") -> Cost:
        """Return the cost for ``points``; jobs within an octave of points are of one kind.

        ``label`` tells apart jobs that take different times for the same points.
        """
        kind = f"{label or self.noun} {points.bit_length()}"
        return Cost(kind, self.seconds + self.seconds_per_point * points, self.is_low_priority)


def run_job(job: Job, *arguments: Any) -> Any:
    """Import the job's function and return its result for ``arguments``."""
    return pkgutil.resolve_name(job.function)(*arguments)


class JobSlot(Protocol):
    """A place in the queue of an engine, for one job."""

    def run(self, job: Job, *arguments: Any, cost: Cost | None = None) -> Any:
        """Return the result of ``job``, which is expected to take ``cost``."""

    def release(self) -> None:
        """Release the place."""


class JobRunner(Protocol):
    """Something that runs jobs when it is their turn."""

    def run(
        self,
        job: Job,
        *arguments: Any,
        cost: Cost | None = None,
        seconds: float | None = None,
        tenant: str = "",
    ) -> Any:
        """Return the result of ``job``, which is expected to take ``cost``.

        ``seconds`` is a time limit if it is shorter than the usual one; ``tenant`` is who asks.
        """


class Engine(JobRunner, Protocol):
    """A runner of jobs with a queue."""

    def acquire_slot(self, cost: Cost, size: int, tenant: str = "") -> JobSlot:
        """Return a place in the queue for a job from a request of ``size`` bytes."""

    def expected_wait_seconds(self) -> float | None:
        """Return how many seconds a new job is expected to wait; None if that is unknown."""


@dataclass(frozen=True)
class InProcessEngine:
    """An engine without a queue: runs jobs in this process, where they are called."""

    function: Callable[..., Any] = run_job

    def run(
        self,
        job: Job,
        *arguments: Any,
        cost: Cost | None = None,
        seconds: float | None = None,
        tenant: str = "",
    ) -> Any:
        """Return what the function returns for the job."""
        return self.function(job, *arguments)

    def acquire_slot(self, _cost: Cost, _size: int, tenant: str = "") -> JobSlot:
        """Return this engine: there is always a place."""
        return self

    def release(self) -> None:
        """Do nothing."""

    def expected_wait_seconds(self) -> float | None:
        """Return that nothing waits."""
        return 0.0
