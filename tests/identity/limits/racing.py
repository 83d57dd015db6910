"""The work of processes that race for a limit."""

import time

from app.identity.limits.budget import Budget
from app.identity.limits.stores import open_store

PATIENCE_SECONDS = 60
Windows = tuple[tuple[int, int], ...]


def race(uri: str, owners: list[str], windows: Windows, rounds: int, cost: int) -> int:
    """Count ``rounds`` requests for each owner in turn; return how many were accepted."""
    store = open_store(uri, None)
    budgets = [Budget(owner, windows) for owner in owners]
    readings = (store.acquire(budget, cost) for _round in range(rounds) for budget in budgets)
    return sum(state.rejected_by is None for state in readings)


def race_on(uri: str, owner: str, windows: Windows, times: int) -> list[tuple[float, bool]]:
    """Ask until ``times`` windows have rejected; return the response to each request.

    That is the end of its first window, and whether it was let through.
    """
    store = open_store(uri, None)
    budget = Budget(owner, windows)
    responses, rejecting_end, until = [], 0.0, time.monotonic() + PATIENCE_SECONDS
    while times and time.monotonic() < until:
        state = store.acquire(budget)
        end, let_through = state.windows[0].resets_at, state.rejected_by is None
        responses.append((end, let_through))
        if not let_through and are_apart(rejecting_end, end):
            rejecting_end, times = end, times - 1
    return responses


def are_apart(end: float, next_end: float) -> bool:
    """Return whether these are ends of two windows; Redis reports ends with errors of 1 or 2 ms."""
    return next_end - end > 0.5
