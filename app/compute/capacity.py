"""Decide which jobs fit into the queue: bounds on jobs and bytes, divided among tenants."""

import collections
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from app.compute.jobs import is_anonymous_tenant

# The fraction of the queue for deferred jobs. A batch takes a slot, and one for each of its parts.
_DEFERRED_FRACTION = 0.25
_MIN_DEFERRED_JOBS = 2


class QueueBounds(NamedTuple):
    """The bounds of a queue: of the wait that a job expects, of jobs, and of all their bytes."""

    max_wait_seconds: float
    max_jobs: int
    max_bytes: int


@dataclass(eq=False)
class Allocation:
    """The room that a job takes in the queue: one slot, and the bytes of its request.

    ``is_deferred``: it has low priority, or is from a caller without a key.
    """

    tenant: str
    size_bytes: int
    is_deferred: bool = field(default=False, kw_only=True)

    @property
    def is_anonymous(self) -> bool:
        """Whether it is from a caller without a key."""
        return is_anonymous_tenant(self.tenant)


AnyAllocation = TypeVar("AnyAllocation", bound=Allocation)


def has_room(new: Allocation, others: Sequence[Allocation], bounds: QueueBounds) -> bool:
    """Return whether a job fits into the bounds in addition to ``others``."""
    return (
        len(others) < bounds.max_jobs and _total_bytes(others) + new.size_bytes <= bounds.max_bytes
    )


def has_deferred_room(new: Allocation, others: Sequence[Allocation], bounds: QueueBounds) -> bool:
    """Return whether a job fits into the bounds of deferred jobs, or into its tenant's part."""
    deferred = [allocation for allocation in others if allocation.is_deferred]
    deferred_bounds = bounds._replace(
        max_jobs=int(max(_DEFERRED_FRACTION * bounds.max_jobs, _MIN_DEFERRED_JOBS)),
        max_bytes=int(_DEFERRED_FRACTION * bounds.max_bytes),
    )
    of_tenant = [allocation for allocation in deferred if allocation.tenant == new.tenant]
    tenants = len({new.tenant, *(allocation.tenant for allocation in deferred)})
    part = deferred_bounds._replace(
        max_jobs=deferred_bounds.max_jobs // tenants, max_bytes=deferred_bounds.max_bytes // tenants
    )
    return has_room(new, deferred, deferred_bounds) or has_room(new, of_tenant, part)


def find_evicted(
    new: Allocation,
    others: Sequence[Allocation],
    waiting: Sequence[AnyAllocation],
    bounds: QueueBounds,
) -> list[AnyAllocation] | None:
    """Return the jobs to evict in favour of a new one; None if that has to be rejected.

    Each is the last job of the tenant that holds the most of the scarce resource (slots or bytes),
    and more than the new job's tenant would. Jobs without a key are evicted first, and never evict
    others.

    Args:
        new: The job to admit.
        waiting: The jobs that can be evicted, in the order in which a tenant's jobs will run.
    """
    kept = list(others)
    waiting_by_tenant = _by_tenant(waiting)
    evicted: list[AnyAllocation] = []
    while not has_room(new, kept, bounds):
        weigh = len if len(kept) >= bounds.max_jobs else _total_bytes
        weights = {tenant: weigh(jobs) for tenant, jobs in _by_tenant(kept).items()}
        candidates = [
            (is_anonymous_tenant(tenant), weights[tenant], tenant)
            for tenant, jobs in waiting_by_tenant.items()
            if jobs
        ]
        new_weight = weights.get(new.tenant, 0) + weigh([new])
        is_anonymous, weight, heaviest = max(candidates, default=(False, 0, new.tenant))
        is_equal = is_anonymous == new.is_anonymous
        can_evict = weight > new_weight if is_equal else is_anonymous
        if not can_evict:
            return None
        evicted.append(waiting_by_tenant[heaviest].pop())
        kept.remove(evicted[-1])
    return evicted


def _by_tenant(jobs: Sequence[AnyAllocation]) -> dict[str, list[AnyAllocation]]:
    by_tenant: dict[str, list[AnyAllocation]] = collections.defaultdict(list)
    for job in jobs:
        by_tenant[job.tenant].append(job)
    return by_tenant


def _total_bytes(jobs: Sequence[Allocation]) -> int:
    return sum(job.size_bytes for job in jobs)
