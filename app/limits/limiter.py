"""Flask-Limiter's set-up, and the one place where a request is counted.

Out of the box Flask-Limiter hits window after window and only then tests, so that a refusal by the
hour has already burnt the minute. Here it sees one limit, and its strategy takes all windows of the
caller's budget from the store in one step; headers, /verify and the 429 read the same outcome. When
the store cannot be reached, counters of this process stand in, and the store is asked again after a
pause.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from flask import Flask, g
from flask_limiter import Limiter
from limits import RateLimitItem, WindowStats
from limits.storage import Storage
from limits.strategies import STRATEGIES, FixedWindowRateLimiter

from app.database import db
from app.limits.budget import Budget, Reading
from app.limits.stores import (
    sql,  # noqa: F401 - importing them registers their URI schemes
)
from app.limits.stores.memory import MemoryCounters
from app.limits.tiers import MINUTE
from app.observability.instruments import LIMIT_STORE_AWAY, LIMIT_STORE_FAILURES

logger = logging.getLogger(__name__)

STRATEGY = "all-windows-or-none"
PAUSE_SECONDS = 5
OF_NOBODY = Budget("health", ((MINUTE, 2**31),))
SOME_LIMIT = "1/day"  # Flask-Limiter wants one to check; the strategy goes by the caller's budget


class Counters(Protocol):
    """What each of our stores can do beyond the interface of `limits`."""

    def take(self, budget: Budget) -> Reading: ...

    def read(self, budget: Budget) -> Reading: ...


@dataclass
class Spending:
    """What the current request may spend; what became of that, or what was seen without."""

    budget: Budget
    taken: Reading | None = None
    seen: Reading | None = None


class AllWindowsOrNone(FixedWindowRateLimiter):
    """Fixed windows taken together; the strategy behind Flask-Limiter's flow."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage)
        self._store = cast(Counters, storage)
        self._fallback = MemoryCounters()
        self._away_until = 0.0
        self._lock = threading.Lock()

    def take(self, budget: Budget) -> Reading:
        """Count a request in all windows of ``budget``, or in none when one is full."""
        return self._ask("take", budget)

    def read(self, budget: Budget) -> Reading:
        """Return the windows of ``budget`` without counting anything."""
        return self._ask("read", budget)

    def check(self) -> None:
        """Count a request of nobody's in the store; raise what it raises."""
        self._store.take(OF_NOBODY)

    def read_fallback(self, budget: Budget) -> Reading:
        """Return the windows of ``budget`` as this process alone knows them."""
        return self._fallback.read(budget)

    def _ask(self, question: str, budget: Budget) -> Reading:
        if time.monotonic() >= self._away_until:
            try:
                reading: Reading = getattr(self._store, question)(budget)
            except Exception as error:
                self._store_failed(error)
            else:
                self._store_answered()
                return reading
        fallback: Reading = getattr(self._fallback, question)(budget)
        return fallback

    def _store_failed(self, error: Exception) -> None:
        with self._lock:
            self._away_until = time.monotonic() + PAUSE_SECONDS
        LIMIT_STORE_FAILURES.inc()
        LIMIT_STORE_AWAY.set(1)
        logger.error(
            "limit store unreachable (%s); limits are counted by this process alone, "
            "next try in %d s",
            type(error).__name__,
            PAUSE_SECONDS,
        )

    def _store_answered(self) -> None:
        if self._away_until:
            with self._lock:
                self._away_until = 0.0
            LIMIT_STORE_AWAY.set(0)
            self._fallback.reset()
            logger.warning("limit store answers again")

    def hit(self, _item: RateLimitItem, *_identifiers: str, cost: int = 1) -> bool:
        """Tell whether the request fitted all windows; the first call counts it."""
        return spend().refused_by is None

    def test(self, _item: RateLimitItem, *_identifiers: str, cost: int = 1) -> bool:
        """Tell whether ``cost`` more requests would fit."""
        return current_reading().tightest.remaining >= cost

    def get_window_stats(self, _item: RateLimitItem, *_identifiers: str) -> WindowStats:
        """Return the end and the remaining requests of the tightest window."""
        window = current_reading().tightest
        return WindowStats(window.resets_at, window.remaining)


STRATEGIES[STRATEGY] = AllWindowsOrNone


class ViewLimiter(Limiter):
    """Flask-Limiter without its pass before every request: only views are limited, by decorator.

    A request that fits its budget is let through at once. To find out which limits apply, which
    Flask-Limiter does anew for each request, takes a tenth of all the time that one takes; so it is
    left to refuse.
    """

    def _check_request_limit(
        self, callable_name: str | None = None, in_middleware: bool = True
    ) -> None:
        if not in_middleware and spend().refused_by is not None:
            super()._check_request_limit(callable_name, in_middleware)


def _current_owner() -> str:
    return spending().budget.owner


limiter = ViewLimiter(key_func=_current_owner, strategy=STRATEGY)

limited = limiter.shared_limit(SOME_LIMIT, scope="requests", override_defaults=False)
"""Decorator of views whose requests count against the caller's budget."""


def init_limits(app: Flask, storage_uri: str, database_url: str) -> None:
    """Bind Flask-Limiter to ``app`` with the store that ``storage_uri`` names."""
    app.config["RATELIMIT_STORAGE_URI"] = storage_uri
    with app.app_context():
        engine = db.engine if storage_uri == database_url else None
    app.config["RATELIMIT_STORAGE_OPTIONS"] = {"engine": engine}
    limiter.init_app(app)


def set_budget(budget: Budget) -> None:
    """Say whose budget the current request spends."""
    g.spending = Spending(budget)


def spending() -> Spending:
    """Return the spending of the current request."""
    return cast(Spending, g.spending)


def spend() -> Reading:
    """Count the current request, once; return its budget as it then stands."""
    current = spending()
    if current.taken is None:
        current.taken = _strategy().take(current.budget)
    return current.taken


def current_reading() -> Reading:
    """Return the budget of the current request as it stands, counting nothing."""
    current = spending()
    if current.taken is None and current.seen is None:
        current.seen = _strategy().read(current.budget)
    return cast(Reading, current.taken or current.seen)


def leave_store_alone() -> None:
    """Answer the current request without the store: its database has just failed."""
    current = spending()
    if current.taken is None and current.seen is None:
        current.seen = _strategy().read_fallback(current.budget)


def store_check() -> Callable[[], None]:
    """Return what asks the limit store, from any thread, whether it counts; it raises if not."""
    return _strategy().check


def _strategy() -> AllWindowsOrNone:
    return cast(AllWindowsOrNone, limiter.limiter)
