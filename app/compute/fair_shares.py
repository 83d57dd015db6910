"""Whose turn it is: engine seconds of tenants as virtual times.

Fair queueing by virtual time (after Goyal, Vin and Cheng, 1996): the tenant that has taken the
fewest seconds is next. One that comes, or comes back, starts where the others are: it neither has
to make up for what these took, nor may it save up the time in which it asked for nothing.
"""

from collections.abc import Mapping


class FairShares:
    """The virtual times of tenants, in seconds of engines."""

    def __init__(self) -> None:
        self._taken: dict[str, float] = {}
        self._clock = 0.0

    def virtual_time(self, tenant: str, *, is_active: bool) -> float:
        """Return the virtual time of a tenant; an active one has jobs that are ready or run."""
        taken = self._taken.get(tenant, self._clock)
        return taken if is_active else max(taken, self._clock)

    def activate(self, tenant: str) -> None:
        """Let a tenant start where the others are."""
        self._taken[tenant] = self.virtual_time(tenant, is_active=False)

    def charge(self, tenant: str, seconds: float) -> None:
        """Add the seconds of a job."""
        self._taken[tenant] = self.virtual_time(tenant, is_active=True) + seconds

    def advance(self, active: Mapping[str, float]) -> None:
        """Move on to the earliest of the active tenants' times, which include running jobs.

        Without active tenants everything starts again. Others that are not ahead are forgotten.
        """
        if not active:
            self._taken.clear()
            self._clock = 0.0
            return
        self._clock = max(self._clock, min(active.values()))
        self._taken = {
            tenant: taken
            for tenant, taken in self._taken.items()
            if taken > self._clock or tenant in active
        }

    def __len__(self) -> int:
        return len(self._taken)
