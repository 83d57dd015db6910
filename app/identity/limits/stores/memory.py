"""Counters in the memory of one process: the fallback for an unavailable store, and for tests."""

import threading
import time
from itertools import product

from app.identity.limits.budget import Budget, BudgetState, Count, OwnerCounts, budget_state

# Acquisitions after which ended counters are removed: more would take memory, fewer time.
MEMORY_SWEEP_ACQUISITIONS = 1024


class MemoryCounters:
    """A `CounterStore` of one process, exact across threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[int, Count]] = {}  # by owner and window, shortest first
        self._acquisitions = 0

    def __len__(self) -> int:
        return len(self._counts)

    def acquire(self, budget: Budget, cost: int = 1) -> BudgetState:
        with self._lock:
            self._sweep()
            state = self._budget_state(budget, cost)
            if state.rejected_by is None:
                for owner, (seconds, _limit) in product(budget.owners(), budget.windows):
                    self._count(owner, seconds, cost, state.now + seconds, state.now)
            return state

    def read(self, budget: Budget) -> BudgetState:
        with self._lock:
            return self._budget_state(budget, cost=0)

    def release(self, budget: Budget, acquired: BudgetState) -> None:
        with self._lock:
            counts = self._counts.get(budget.owner, {})
            for window in acquired.windows:
                used, end = counts.get(window.seconds, (0, 0.0))
                if end == window.resets_at:
                    counts[window.seconds] = (used - 1, end)

    def add(self, spent: OwnerCounts) -> None:
        now = time.time()
        with self._lock:
            for seconds, used, seconds_left in spent.windows:
                self._count(spent.owner, seconds, used, now + seconds_left, now)

    def pop(self) -> OwnerCounts | None:
        """Remove and return the counters of an owner; None if no open windows are left."""
        now = time.time()
        with self._lock:
            while self._counts:
                owner, counts = self._counts.popitem()
                windows = tuple(
                    (seconds, used, end - now) if end > now else (seconds, 0, 0.0)
                    for seconds, (used, end) in counts.items()
                )
                if any(seconds_left for _seconds, _used, seconds_left in windows):
                    return OwnerCounts(owner, windows)
        return None

    def _budget_state(self, budget: Budget, cost: int) -> BudgetState:
        now = time.time()
        counts = self._counts.get(budget.owner, {})
        running = {seconds: count for seconds, count in counts.items() if count[1] > now}
        return budget_state(budget, running, now, cost=cost)

    def _count(self, owner: str, seconds: int, amount: int, new_end: float, now: float) -> None:
        counts = self._counts.setdefault(owner, {})
        used, end = counts.get(seconds, (0, 0.0))
        counts[seconds] = (used + amount, end) if end > now else (amount, new_end)

    def _sweep(self) -> None:
        self._acquisitions += 1
        if self._acquisitions % MEMORY_SWEEP_ACQUISITIONS == 0:
            now = time.time()
            self._counts = {
                owner: counts
                for owner, counts in self._counts.items()
                if any(end > now for _used, end in counts.values())
            }
