"""What a process does that races others for a limit."""

from limits.storage import storage_from_string

import app.limits.limiter  # noqa: F401 - importing it registers our stores
from app.limits.budget import Budget

Windows = tuple[tuple[int, int], ...]


def race(uri: str, owners: list[str], windows: Windows, rounds: int) -> int:
    """Ask ``rounds`` times for each owner in turn; return how many requests were let through."""
    store = storage_from_string(uri)
    budgets = [Budget(owner, windows) for owner in owners]
    return sum(
        store.take(budget).refused_by is None for _round in range(rounds) for budget in budgets
    )
