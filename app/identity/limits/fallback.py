"""A limit store with a fallback: while it is unavailable, this process counts in memory."""

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from app.core.database.lock_waits import is_busy_error
from app.identity.limits.budget import Budget, BudgetState
from app.identity.limits.stores import CounterStore, check_store
from app.identity.limits.stores.memory import MemoryCounters

logger = logging.getLogger(__name__)
T = TypeVar("T")

RETRY_PAUSE_SECONDS = 5
MAX_TRANSFERRED_OWNERS = 200  # owners transferred by one request, so that it does not take long


class CountersWithFallback:
    """Counts in ``store``; while it fails, in the memory of this process.

    After a pause one thread retries the store. When it works again, the counts of this process are
    added to it, each once, before the thread's own request is counted. ``record_available`` is
    called with False at each failure, and with True when the store is available again.
    """

    def __init__(self, store: CounterStore, record_available: Callable[[bool], None]) -> None:
        self.store = store
        self._record_available = record_available
        self._fallback = MemoryCounters()
        self._unavailable_until = 0.0  # on the monotonic clock; 0 while the store works
        self._retry_lock = threading.Lock()

    def acquire(self, budget: Budget, cost: int = 1) -> BudgetState:
        # If the store is only busy, counting in memory would make limits inexact.
        return self._call_store(lambda store: store.acquire(budget, cost), can_raise_busy=True)

    def read(self, budget: Budget) -> BudgetState:
        return self._call_store(lambda store: store.read(budget))

    def release(self, budget: Budget, acquired: BudgetState) -> None:
        """Uncount the request that returned ``acquired``, unless it was counted elsewhere."""
        self._call_store(lambda store: store.release(budget, acquired))

    def check(self) -> None:
        """Count a dummy request in the store; pass on its exceptions."""
        check_store(self.store)

    def read_fallback(self, budget: Budget) -> BudgetState:
        """Return the windows of ``budget`` from the memory of this process."""
        return self._fallback.read(budget)

    def _call_store(self, call: Callable[[CounterStore], T], *, can_raise_busy: bool = False) -> T:
        if self._try_to_recover():
            try:
                return call(self.store)
            except Exception as error:  # stores raise the errors of their drivers
                if not is_busy_error(error):
                    self._record_failure(error)
                elif can_raise_busy:
                    raise
        return call(self._fallback)

    def _try_to_recover(self) -> bool:
        """Return whether to use the store; first transfer the counts of this process to it."""
        unavailable_until = self._unavailable_until
        if unavailable_until or self._fallback:
            if time.monotonic() < unavailable_until:
                return False
            if not self._retry_lock.acquire(blocking=False):  # another thread transfers
                return not unavailable_until
            try:
                self._retry_store()
            except Exception as error:  # stores raise the errors of their drivers
                if unavailable_until or not is_busy_error(error):
                    self._record_failure(error)
            finally:
                self._retry_lock.release()
        return not self._unavailable_until

    def _retry_store(self) -> None:
        if self._unavailable_until:
            check_store(self.store)
        for _owner in range(MAX_TRANSFERRED_OWNERS):
            spent = self._fallback.pop()
            if spent is None:
                break
            try:
                self.store.add(spent)
            except Exception:  # raised again: what was not transferred must not be lost
                self._fallback.add(spent)
                raise
        if self._unavailable_until:
            self._unavailable_until = 0.0
            self._record_available(True)
            logger.warning("the limit store is available again")

    def _record_failure(self, error: Exception) -> None:
        self._unavailable_until = time.monotonic() + RETRY_PAUSE_SECONDS
        self._record_available(False)
        logger.error(
            "the limit store is unavailable (%s); this process counts limits in memory and retries "
            "in %d s",
            type(error).__name__,
            RETRY_PAUSE_SECONDS,
        )
