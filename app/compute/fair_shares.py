"""Fair queueing by virtual time (after Goyal, Vin and Cheng, 1996).

The tenant that has used the fewest engine seconds is next. A tenant that arrives, or returns,
starts at the current virtual time: idle time is neither a debt nor a credit.
"""

from collections.abc import Mapping


class FairShares:
    """The virtual times of tenants, in engine seconds."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._clock = 0.0

    def virtual_time(self, tenant: str, *, is_active: bool) -> float:
        """Return a tenant's virtual time; an active tenant has ready or running jobs."""
        used = self._used.get(tenant, self._clock)
        return used if is_active else max(used, self._clock)

    def activate(self, tenant: str) -> None:
        """Start a tenant at the current virtual time."""
        self._used[tenant] = self.virtual_time(tenant, is_active=False)

    def charge(self, tenant: str, seconds: float) -> None:
        self._used[tenant] = self.virtual_time(tenant, is_active=True) + seconds

    def advance(self, active: Mapping[str, float]) -> None:
        """Advance to the earliest of the active tenants' times, which include running jobs.

        Without active tenants, all times are reset. Inactive ones that are not ahead are dropped.
        """
        if not active:
            self._used.clear()
            self._clock = 0.0
            return
        self._clock = max(self._clock, min(active.values()))
        self._used = {
            tenant: used
            for tenant, used in self._used.items()
            if used > self._clock or tenant in active
        }
