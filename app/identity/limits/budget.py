"""Budgets and their state, as plain values that all stores use.

Windows are fixed and start with the first request counted in them. A request must fit all windows
of its budget; one that does not consumes nothing.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from app.identity.limits.tiers import LEVEL_ALLOWANCES, TIERS, Allowance, permission_level
from app.timeseries.seconds import MINUTE_SECONDS

UNLIMITED = 2**53  # a limit that no count reaches; every store, and Lua, can represent it exactly

Count = tuple[int, float]  # requests counted in a window, and its end in epoch seconds


@dataclass(frozen=True)
class Budget:
    """The limits of a caller: the owner of the counters, and the requests allowed in each window.

    ``owner`` names the counters independently of the limits, so that a change of tier keeps the
    counts. ``windows`` holds (window in seconds, requests allowed), shortest window first.
    ``mirror`` is a second owner whose counters are updated but not limited: it becomes the owner
    when the account gets or loses a tier, so that this change keeps the counts, too.
    """

    owner: str
    windows: tuple[tuple[int, int], ...]
    mirror: str | None = None

    def owners(self) -> list[str]:
        """Return the owners whose counters count a request of this budget."""
        return [self.owner] if self.mirror is None else [self.owner, self.mirror]


@dataclass(frozen=True)
class OwnerCounts:
    """The counts of an owner in all its windows, shortest first, to add to a store.

    ``windows`` holds (window in seconds, requests counted, seconds until its end); a window that
    has ended has 0 and 0.
    """

    owner: str
    windows: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True)
class WindowState:
    """A window and its count; ``resets_at`` is in epoch seconds of the store's clock."""

    seconds: int
    limit: int
    used: int
    resets_at: float

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)


@dataclass(frozen=True)
class BudgetState:
    """The state of a budget in the store at ``now`` (epoch seconds), after counting the request.

    ``rejected_by`` is the window without room; if several have none, the one that resets last. It
    is None if the request was counted, or if there was none to count.
    """

    windows: tuple[WindowState, ...]
    now: float
    rejected_by: WindowState | None = None

    @property
    def tightest(self) -> WindowState:
        """The window with the fewest requests remaining; of several, the one that resets last."""
        return min(self.windows, key=lambda window: (window.remaining, -window.resets_at))


def key_budget(
    *,
    lineage: str,
    permissions: Collection[str],
    account_id: int,
    tier: str | None,
    custom_limits: Allowance | None,
) -> Budget:
    """Return the budget of a key: the account's tier, shared by all keys, or the key's level."""
    key_owner, account_owner = _key_owner(lineage), _account_owner(account_id)
    if tier is None:
        allowance = LEVEL_ALLOWANCES[permission_level(permissions)]
        return Budget(key_owner, allowance.windows(), mirror=account_owner)
    tier_allowance = TIERS[tier]
    if tier_allowance is None:
        if custom_limits is None:
            raise ValueError(f"account {account_id} has the tier {tier} without its three limits")
        tier_allowance = custom_limits
    return Budget(account_owner, tier_allowance.windows(), mirror=key_owner)


def address_budget(network: str, per_minute: int) -> Budget:
    """Return the budget of requests without a valid key from one address."""
    return Budget(f"address:{network}", ((MINUTE_SECONDS, per_minute),))


def page_budget(network: str, per_minute: int) -> Budget:
    """Return the budget of requests from one address for pages and their assets."""
    return Budget(f"pages:{network}", ((MINUTE_SECONDS, per_minute),))


def reading_budget(account_id: int, per_minute: int) -> Budget:
    """Return the budget of an account for reading tables (`POST /read`)."""
    return Budget(_reading_owner(account_id), ((MINUTE_SECONDS, per_minute),))


def account_owners(account_id: int, lineages: Iterable[str]) -> list[str]:
    """Return the owners of all budgets of an account, whose keys have these ``lineages``."""
    return [_account_owner(account_id), _reading_owner(account_id), *map(_key_owner, lineages)]


def _account_owner(account_id: int) -> str:
    return f"account:{account_id}"


def _reading_owner(account_id: int) -> str:
    return f"readings:{account_id}"


def _key_owner(lineage: str) -> str:
    return f"key:{lineage}"


def budget_state(
    budget: Budget, counted: Mapping[int, Count], now: float, *, cost: int
) -> BudgetState:
    """Return the state of a budget, from its raw counters.

    Args:
        counted: The owner's counts before this request, by window in seconds; only open windows.
        now: Epoch seconds of the store's clock.
        cost: The requests to count if every window has room for all of them; 0 to count none.
    """
    before = [
        WindowState(seconds, limit, *counted.get(seconds, (0, now + seconds)))
        for seconds, limit in budget.windows
    ]
    full = [window for window in before if window.used + cost > window.limit]
    if cost and full:
        return BudgetState(tuple(before), now, max(full, key=lambda window: window.resets_at))
    after = (
        WindowState(window.seconds, window.limit, window.used + cost, window.resets_at)
        for window in before
    )
    return BudgetState(tuple(after), now)
