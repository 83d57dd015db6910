"""Counters in one process's memory: the fallback while the real store is away, and for tests."""

import threading
import time

from limits.storage import Storage

from app.limits.budget import Budget, Count, Reading, judge

SWEEP_EVERY = 1024


class MemoryCounters(Storage):
    """Counters of one process. Exact over its threads, unknown to other processes."""

    STORAGE_SCHEME = ["memory"]  # noqa: RUF012 - the library's registry reads a plain list

    def __init__(self, uri: str = "memory://", **_options: object) -> None:
        super().__init__(uri)
        self._lock = threading.Lock()
        self._counters: dict[tuple[str, int], Count] = {}
        self._takes = 0

    @property
    def base_exceptions(self) -> type[Exception]:
        return OSError

    def take(self, budget: Budget) -> Reading:
        """Count a request in all windows of ``budget``, or in none when one is full."""
        with self._lock:
            self._sweep()
            reading = self._judge(budget, taking=True)
            if reading.refused_by is None:
                for counter in budget.counters():
                    self._count(counter, 1, reading.now)
            return reading

    def read(self, budget: Budget) -> Reading:
        """Return the windows of ``budget`` without counting anything."""
        with self._lock:
            return self._judge(budget, taking=False)

    def _judge(self, budget: Budget, *, taking: bool) -> Reading:
        now = time.time()
        counted = {
            counter: count
            for counter in budget.counters()
            if (count := self._counters.get(counter)) and count[1] > now
        }
        return judge(budget, counted, now, taking=taking)

    def _count(self, counter: tuple[str, int], amount: int, now: float) -> int:
        used, resets_at = self._counters.get(counter, (0, 0.0))
        if resets_at <= now:
            used, resets_at = 0, now + counter[1]
        self._counters[counter] = (used + amount, resets_at)
        return used + amount

    def _sweep(self) -> None:
        self._takes += 1
        if self._takes % SWEEP_EVERY == 0:
            now = time.time()
            self._counters = {key: value for key, value in self._counters.items() if value[1] > now}

    # What follows is the plain interface of `limits`, one counter at a time.

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count ``amount`` in the window of ``expiry`` seconds of ``key``; return the count."""
        with self._lock:
            return self._count((key, expiry), amount, time.time())

    def _running(self, key: str) -> tuple[int, float]:
        now = time.time()
        with self._lock:
            found = [
                value
                for (owner, _), value in self._counters.items()
                if owner == key and value[1] > now
            ]
        return max(found, default=(0, now))

    def get(self, key: str) -> int:
        """Return the count of ``key``."""
        return self._running(key)[0]

    def get_expiry(self, key: str) -> float:
        """Return the epoch second at which the count of ``key`` ends."""
        return self._running(key)[1]

    def check(self) -> bool:
        """Memory is always there."""
        return True

    def reset(self) -> int | None:
        """Forget all counters; return how many there were."""
        with self._lock:
            count = len(self._counters)
            self._counters.clear()
        return count

    def clear(self, key: str) -> None:
        """Forget the counters of ``key``."""
        with self._lock:
            for counter in [counter for counter in self._counters if counter[0] == key]:
                del self._counters[counter]
