"""Stores of limit counters: a SQL database, Redis, or the memory of one process."""

from typing import Protocol

from sqlalchemy import Engine

from app.core.database import make_engine
from app.identity.limits.budget import Budget, BudgetState, OwnerCounts
from app.identity.limits.stores.memory import MemoryCounters
from app.identity.limits.stores.sql import SqlCounters
from app.timeseries.seconds import MINUTE_SECONDS

_HEALTH_BUDGET = Budget("health", ((MINUTE_SECONDS, 2**31),))


class CounterStore(Protocol):
    """The interface of all stores; each call is atomic."""

    def acquire(self, budget: Budget, cost: int = 1) -> BudgetState:
        """Count ``cost`` requests in all windows of ``budget``, or none if one has no room."""

    def read(self, budget: Budget) -> BudgetState:
        """Return the state of ``budget`` without counting anything."""

    def release(self, budget: Budget, acquired: BudgetState) -> None:
        """Uncount the request, of cost 1, that returned ``acquired``; windows that ended stay."""

    def add(self, spent: OwnerCounts) -> None:
        """Add counts from elsewhere; an open window keeps its end."""


def open_store(uri: str, engine: Engine | None) -> CounterStore:
    """Return the store for the scheme of ``uri``.

    Args:
        uri: ``memory:``, ``redis…:`` or ``valkey…:``, else an SQLAlchemy URL.
        engine: The engine of the keys, if the counters are in the same database.
    """
    if uri.startswith("memory:"):
        return MemoryCounters()
    if uri.startswith(("redis", "valkey")):
        from app.identity.limits.stores.redis import RedisCounters  # noqa: PLC0415 - redis is an extra

        return RedisCounters(uri)
    return SqlCounters(engine) if engine else SqlCounters(make_engine(uri), has_table=False)


def check_store(counters: CounterStore) -> None:
    """Count a dummy request; pass on the exceptions of the store."""
    counters.acquire(_HEALTH_BUDGET)
