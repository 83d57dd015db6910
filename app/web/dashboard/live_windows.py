"""The current use of limits as pages show it; reading it does not count as a request."""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from app.api.callers.limiter import limit_counters
from app.identity.accounts.models import Account, ApiKey
from app.identity.limits.budget import Budget, BudgetState, WindowState, key_budget
from app.identity.limits.tiers import WINDOW_NAMES, read_custom_limits
from app.timeseries.words import duration_text

_HIGH_USE_FRACTION = 0.8  # a window is highlighted from this use on: time to slow down


class UseLevel(StrEnum):
    """How far a window is used."""

    NORMAL = "normal"
    HIGH = "high"
    FULL = "full"


@dataclass(frozen=True)
class LiveWindow:
    """A window of a budget, and how far it is used."""

    title: str
    used: int
    limit: int
    percent: float
    level: UseLevel
    note: str


def live_windows(account: Account, key: ApiKey | None = None) -> list[LiveWindow]:
    """Return the current windows, shortest first.

    Args:
        account: Its windows, if it has a tier.
        key: Its windows, if the account has no tier.
    """
    state = limit_counters().read(_limits_budget(account, key))
    return [_live_window(window, state) for window in state.windows]


def _limits_budget(account: Account, key: ApiKey | None) -> Budget:
    return key_budget(
        lineage=key.lineage if key else "",
        permissions=key.permissions if key else (),
        account_id=account.id,
        tier=account.tier,
        custom_limits=read_custom_limits(account),
    )


def _live_window(window: WindowState, state: BudgetState) -> LiveWindow:
    fraction = window.used / window.limit if window.limit else 1.0
    level = UseLevel.FULL
    if window.remaining:
        level = UseLevel.HIGH if fraction >= _HIGH_USE_FRACTION else UseLevel.NORMAL
    return LiveWindow(
        WINDOW_NAMES[window.seconds].title(),
        window.used,
        window.limit,
        round(100 * min(fraction, 1.0), 2),
        level,
        _window_text(window, state.now),
    )


def _window_text(window: WindowState, now: float) -> str:
    if not window.used:
        return "starts with the next call"
    full = "" if window.remaining else "calls get 429; "
    return f"{full}resets in {duration_text(max(1, ceil(window.resets_at - now)))}"
