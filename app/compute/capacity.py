"""Who has room in the queue: bounds on places and bytes, and the shares of tenants in them."""

import collections
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from app.compute.jobs import is_anonymous

# Deferred jobs leave the rest of the queue to the others. A batch has a place while it lasts, and
# another one for each of its parts.
DEFERRED_SHARE = 0.25
MIN_DEFERRED_JOBS = 2


class QueueBounds(NamedTuple):
    """How much may run and wait.

    Attributes:
        seconds: The longest time that a job may be expected to wait.
        jobs: The number of jobs that run or wait.
        size: The bytes of the requests that they are from.
    """

    seconds: float
    jobs: int
    size: int


@dataclass(eq=False)
class Allocation:
    """The room that a job takes: a place, and the ``size`` bytes of its request.

    Attributes:
        tenant: Whose it is.
        size: The bytes of its request.
        is_deferred: Whether it yields or has no key.
    """

    tenant: str
    size: int
    is_deferred: bool = field(default=False, kw_only=True)

    @property
    def is_anonymous(self) -> bool:
        """Whether it is of a caller without a key."""
        return is_anonymous(self.tenant)


AnyAllocation = TypeVar("AnyAllocation", bound=Allocation)


def has_room(new: Allocation, held: Sequence[Allocation], bounds: QueueBounds) -> bool:
    """Return whether a job fits into the bounds beside ``held``."""
    return len(held) < bounds.jobs and _total_bytes(held) + new.size <= bounds.size


def has_deferred_room(new: Allocation, held: Sequence[Allocation], bounds: QueueBounds) -> bool:
    """Return whether a deferred job fits beside the others, or into its tenant's part of theirs."""
    deferred = [one for one in held if one.is_deferred]
    jobs = int(max(DEFERRED_SHARE * bounds.jobs, MIN_DEFERRED_JOBS))
    whole = QueueBounds(bounds.seconds, jobs, int(DEFERRED_SHARE * bounds.size))
    own = [one for one in deferred if one.tenant == new.tenant]
    tenants = len({new.tenant, *(one.tenant for one in deferred)})
    part = QueueBounds(whole.seconds, whole.jobs // tenants, whole.size // tenants)
    return has_room(new, deferred, whole) or has_room(new, own, part)


def find_displaced(
    new: Allocation,
    held: Sequence[Allocation],
    waiting: Sequence[AnyAllocation],
    bounds: QueueBounds,
) -> list[AnyAllocation] | None:
    """Return the jobs to evict for another one; None if it has to be refused.

    Each is the last one of the tenant that holds the most of what is short, and more than the new
    job's would. Those without a key are the first to give up theirs, and displace no others.

    Args:
        new: The job without a place.
        held: All that have one.
        waiting: Those of them that can give it up, the last ones of a tenant last.
        bounds: The bounds that ``new`` is to fit into.
    """
    left, lanes = list(held), _by_tenant(waiting)
    found: list[AnyAllocation] = []
    while not has_room(new, left, bounds):
        weigh = len if len(left) >= bounds.jobs else _total_bytes
        weights = {tenant: weigh(ones) for tenant, ones in _by_tenant(left).items()}
        candidates = [(is_anonymous(one), weights[one], one) for one in lanes if lanes[one]]
        own = weights.get(new.tenant, 0) + weigh([new])
        without_key, weight, fullest = max(candidates, default=(False, 0, new.tenant))
        is_equal = without_key == new.is_anonymous
        if not (weight > own if is_equal else without_key):
            return None
        found.append(lanes[fullest].pop())
        left.remove(found[-1])
    return found


def _by_tenant(holdings: Sequence[AnyAllocation]) -> dict[str, list[AnyAllocation]]:
    found: dict[str, list[AnyAllocation]] = collections.defaultdict(list)
    for one in holdings:
        found[one.tenant].append(one)
    return found


def _total_bytes(holdings: Sequence[Allocation]) -> int:
    return sum(one.size for one in holdings)
