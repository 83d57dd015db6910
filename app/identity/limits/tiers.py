"""The two tables of limits, by permission level and by tier, and which one applies.

An account's tier takes precedence and is shared by all its keys; without a tier, each key has the
limits of its own permission level.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS

WINDOW_NAMES = {MINUTE_SECONDS: "minute", HOUR_SECONDS: "hour", DAY_SECONDS: "day"}
WINDOW_WORDS = {MINUTE_SECONDS: "a minute", HOUR_SECONDS: "an hour", DAY_SECONDS: "a day"}


@dataclass(frozen=True)
class Allowance:
    """Requests allowed per minute, hour and day."""

    per_minute: int
    per_hour: int
    per_day: int

    def windows(self) -> tuple[tuple[int, int], ...]:
        """Return (window in seconds, requests allowed), shortest window first."""
        return (
            (MINUTE_SECONDS, self.per_minute),
            (HOUR_SECONDS, self.per_hour),
            (DAY_SECONDS, self.per_day),
        )


TIERS: dict[str, Allowance | None] = {
    "free": Allowance(10, 100, 1_000),
    "standard": Allowance(100, 1_000, 50_000),
    "premium": Allowance(500, 5_000, 250_000),
    "enterprise": None,  # each account stores its own three limits
}

LEVEL_ALLOWANCES: dict[str, Allowance] = {
    "Read Only": Allowance(50, 500, 10_000),
    "Read/Write": Allowance(100, 1_000, 50_000),
    "Admin": Allowance(200, 2_000, 100_000),
    "Full Access": Allowance(500, 5_000, 250_000),
}


def read_custom_limits(row: Any) -> Allowance | None:
    """Return the allowance in a row of an account, None if it has no custom limits."""
    limits = (row.per_minute, row.per_hour, row.per_day)
    return None if None in limits else Allowance(*limits)


def permission_level(permissions: Iterable[str]) -> str:
    """Return the name in ``LEVEL_ALLOWANCES`` for a set of permissions."""
    granted = set(permissions)
    if granted >= {"read", "write", "admin", "delete"}:
        return "Full Access"
    if "admin" in granted:
        return "Admin"
    return "Read/Write" if granted & {"write", "delete"} else "Read Only"
