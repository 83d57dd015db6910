"""What a process does that races others for a limit."""

import time

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


def race_on(uri: str, owner: str, windows: Windows, seconds: float) -> list[float]:
    """Ask for ``seconds``; return for each request let through when its first window ends."""
    store = storage_from_string(uri)
    budget = Budget(owner, windows)
    passed, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        reading = store.take(budget)
        if reading.refused_by is None:
            passed.append(reading.windows[0].resets_at)
    return passed
