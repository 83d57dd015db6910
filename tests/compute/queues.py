"""What the tests of the queue share: jobs of several kinds and tenants, on a clock of their own."""

from typing import Any

from app.compute.capacity import QueueBounds
from app.compute.jobs import Cost
from app.compute.queue import Admission, AdmissionDecision, AdmissionRequest, JobQueue

BOUNDS = QueueBounds(max_wait_seconds=5.0, max_jobs=258, max_bytes=1000)
SHORT, LONG, HEAVY = Cost("short", 0.02), Cost("long", 2.6), Cost("heavy", 0.5)
LOW_PRIORITY = Cost("reading", 0.02, is_low_priority=True)
NEVER = 1e9
ANN, BEN, CAL = "account:1", "account:2", "account:3"
ANONYMOUS, OTHER_ANONYMOUS = "address:192.0.2.1", "address:192.0.2.2"


def admission(
    queue: JobQueue[str],
    caller: str,
    cost: Cost = SHORT,
    *,
    size: int = 1,
    deadline: float = NEVER,
    is_ready: bool = True,
    tenant: str = "",
    now: float = 0.0,
) -> Admission[str]:
    return queue.admit(caller, AdmissionRequest(cost, size, deadline, is_ready, tenant), now)


def admit(
    queue: JobQueue[str], caller: str, cost: Cost = SHORT, **options: Any
) -> AdmissionDecision:
    return admission(queue, caller, cost, **options).decision


def add_job(queue: JobQueue[str], caller: str, cost: Cost = SHORT, **options: Any) -> bool:
    """Return whether a job may wait."""
    return admit(queue, caller, cost, **options).may_wait


def add_jobs(queue: JobQueue[str], cost: Cost, number: int, *, is_ready: bool = True) -> int:
    """Return how many of the jobs that come at the same time may wait."""
    return sum(add_job(queue, f"{cost.kind} {n}", cost, is_ready=is_ready) for n in range(number))


def run_jobs(queue: JobQueue[str], cost: Cost, seconds: float, times: int = 1) -> None:
    """Let each job of a kind take a time, one after the other, on an idle node."""
    for _ in range(times):
        assert add_job(queue, "only", cost)
        queue.begin_job(1, 0.0)
        queue.end_job(1, seconds)


def add_jobs_of(
    queue: JobQueue[str],
    tenant: str,
    number: int,
    cost: Cost = HEAVY,
    *,
    first: int = 0,
    **options: Any,
) -> int:
    """Return how many of a tenant's jobs may wait; they are numbered from ``first`` on."""
    numbers = range(first, first + number)
    return sum(add_job(queue, f"{tenant} {n}", cost, tenant=tenant, **options) for n in numbers)
