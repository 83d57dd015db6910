"""Flask-Limiter decides whether a request fits the limits of its caller: decision D36 requires it.

Its strategies count window by window, so a request that the hour rejects would still count in the
minute. So here it has a single limit for all windows of the caller's budget, with a
strategy that counts in all of them or in none, in our counters instead of its storage.

In the order of the calls for a request:

1. `set_budget`, from `current_caller.py`: the budget that the request counts against;
2. `count_request`, from the decorator of the view, sets the cost and calls Flask-Limiter;
3. Flask-Limiter calls `AllWindowsOrNone.hit`, which counts in our counters;
4. it raises ``RateLimitExceeded`` if a window had no room: `limit_exceeded_error` is the response.
"""

from collections.abc import Callable
from typing import cast

from flask import Flask, current_app
from flask_limiter import Limiter
from limits import RateLimitItem
from limits.strategies import STRATEGIES, FixedWindowRateLimiter

from app.api.errors.api_error import ApiError
from app.api.request_state import BudgetUse, request_state
from app.core.database import db
from app.core.instruments import record_limit_store_state
from app.core.settings import Settings
from app.identity.limits.budget import Budget, BudgetState
from app.identity.limits.fallback import CountersWithFallback
from app.identity.limits.headers import rejection_details, retry_after
from app.identity.limits.stores import open_store
from app.identity.limits.tiers import WINDOW_WORDS
from app.timeseries.words import count_of

COUNTERS_EXTENSION, _COUNT_EXTENSION = "limit_counters", "count_current_request"
_STRATEGY = "all-windows-or-none"
_ALL_WINDOWS = "1 per minute"  # any valid limit: the budget has the real ones


class AllWindowsOrNone(FixedWindowRateLimiter):
    """A strategy that counts a request in all windows of its budget or in none."""

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        """Count the current request, and return whether all windows have room for it."""
        use = budget_use()
        use.counted_state = limit_counters().acquire(use.budget, cost)
        return use.counted_state.rejected_by is None


STRATEGIES[_STRATEGY] = AllWindowsOrNone


def register_limits(app: Flask) -> None:
    """Let Flask-Limiter count requests of ``app`` in the store of its settings."""
    settings: Settings = app.config["SETTINGS"]
    uri = settings.counter_storage_uri
    with app.app_context():
        engine = db.engine if uri == settings.database_url else None
    limiter = Limiter(
        lambda: "caller",
        app=app,
        strategy=_STRATEGY,
        storage_uri="memory://",
        request_identifier=lambda: "request",  # unknown paths, which have no endpoint, count too
    )
    by_budget = limiter.shared_limit(_ALL_WINDOWS, scope="requests", cost=lambda: budget_use().cost)
    # Skip Flask-Limiter's own check before each request: only `count_request` counts.
    limiter.request_filter(lambda: not budget_use().cost)
    counters = CountersWithFallback(open_store(uri, engine), record_limit_store_state)
    count: Callable[[], None] = by_budget(lambda: None)
    app.extensions |= {COUNTERS_EXTENSION: counters, _COUNT_EXTENSION: count}


def set_budget(budget: Budget) -> None:
    request_state().budget_use = BudgetUse(budget)


def budget_use() -> BudgetUse:
    return cast(BudgetUse, request_state().budget_use)


def count_request(cost: int = 1) -> None:
    """Count ``cost`` requests in all windows of the current request's budget, or none.

    A request may be counted before its cost is known, and the rest later. Raise
    flask_limiter.RateLimitExceeded if a window has no room for all of them.
    """
    use = budget_use()
    use.cost = cost
    use.counted_state = None
    current_app.extensions[_COUNT_EXTENSION]()
    if use.counted_state is None:  # Flask-Limiter skips limits if it is configured to
        raise RuntimeError(f"the budget of {use.budget.owner} was not counted")
    use.counted_requests += cost


def count_against(budget: Budget, cost: int) -> None:
    """Count ``cost`` requests in ``budget`` instead of the current request's budget.

    Raise flask_limiter.RateLimitExceeded if it has no room for all of them.
    """
    caller_use = budget_use()
    set_budget(budget)
    count_request(cost)
    # Not in a `finally`: after an error the response describes the limit that was exceeded.
    request_state().budget_use = caller_use


def current_budget_state() -> BudgetState:
    """Return the state of the current request's budget without counting."""
    use = budget_use()
    if use.counted_state is None and use.read_state is None:
        use.read_state = limit_counters().read(use.budget)
    return cast(BudgetState, use.counted_state or use.read_state)


def limit_exceeded_error() -> ApiError:
    """Return the 429 for a request that exceeds its caller's budget."""
    state = current_budget_state()
    window = state.rejected_by or state.tightest
    wait = retry_after(window, state.now)
    allowed = f"{count_of(window.limit, 'request')} {WINDOW_WORDS[window.seconds]}"
    return ApiError(
        429,
        f"Rate limit exceeded: {allowed}; send the request again in {wait} s",
        details=rejection_details(window),
        headers={"Retry-After": wait},
    )


def read_budget_from_memory() -> None:
    """Read the limits in the response's headers from the memory of this process.

    For responses that are not worth a query, and for those whose database has just failed.
    """
    use = budget_use()
    if use.counted_state is None and use.read_state is None:
        use.read_state = limit_counters().read_fallback(use.budget)


def limit_counters() -> CountersWithFallback:
    return cast(CountersWithFallback, current_app.extensions[COUNTERS_EXTENSION])
