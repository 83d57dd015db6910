"""Flask-Limiter decides whether a request fits the limits of its caller.

It asks its strategy about each window of the caller's budget in turn. By itself it would count in
one after the other, so a request refused by the hour would have consumed the minute's. Here the
first question counts in all windows in one step, or in none, and the others learn the result.
"""

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from flask import Flask, current_app, g
from flask_limiter import Limiter
from limits import RateLimitItem
from limits.errors import ConfigurationError
from limits.storage import Storage
from limits.strategies import STRATEGIES, FixedWindowRateLimiter
from sqlalchemy import Engine

from app.core.database import db
from app.identity.limits.budget import Budget, BudgetState
from app.identity.limits.fallback import CountersWithFallback
from app.identity.limits.stores import open_store

EXTENSION = "limits"
STRATEGY = "all-windows-or-none"
SCHEME = "counters"


@dataclass
class RequestBudget:
    """The budget of the current request.

    ``counted_state`` is its state after the request was counted, ``read_state`` without counting;
    ``counted_requests`` is the sum of the costs so far.
    """

    budget: Budget
    cost: int = 0
    counted_state: BudgetState | None = None
    read_state: BudgetState | None = None
    counted_requests: int = 0


@dataclass(frozen=True)
class Limits:
    """The counters of an application, and what counts its current request by Flask-Limiter."""

    counters: CountersWithFallback
    count: Callable[[], None]


class CounterStorage(Storage):
    """Flask-Limiter's storage: the counters in the store whose URI follows ``counters:``.

    They count in several windows at once, so strategies of one window cannot use them.
    """

    STORAGE_SCHEME = [SCHEME]  # noqa: RUF012 - declared so by Storage

    def __init__(self, uri: str, *, engine: Engine | None, note: Callable[[bool], None]) -> None:
        super().__init__(uri)
        store = open_store(uri.removeprefix(f"{SCHEME}:"), engine)
        self.counters = CountersWithFallback(store, note)

    @property
    def base_exceptions(self) -> type[Exception]:
        """The exceptions of a store, which each kind has its own of."""
        return Exception

    def check(self) -> bool:
        """Return whether the store is available."""
        with contextlib.suppress(Exception):
            self.counters.check()
            return True
        return False

    def _one_window(self, *_arguments: Any, **_options: Any) -> NoReturn:
        raise ConfigurationError(f"{SCHEME}: counts all windows of a budget: set {STRATEGY}")

    incr = get = get_expiry = reset = clear = _one_window


class AllWindowsOrNone(FixedWindowRateLimiter):
    """A strategy that counts a request in all windows of its budget or in none."""

    storage: CounterStorage

    def hit(self, item: RateLimitItem, *_identifiers: str, cost: int = 1) -> bool:
        """Return whether the window ``item`` has let the current request through."""
        current = request_budget()
        if current.counted_state is None:
            current.counted_state = self.storage.counters.acquire(current.budget, cost)
        refusing = current.counted_state.refused_by
        return refusing is None or refusing.seconds != item.get_expiry()


STRATEGIES[STRATEGY] = AllWindowsOrNone


def init_limits(
    app: Flask, storage_uri: str, database_url: str, note: Callable[[bool], None]
) -> None:
    """Let Flask-Limiter count requests of ``app`` in the store at ``storage_uri``.

    ``note`` is told when the store fails or is available again, as by `CountersWithFallback`.
    """
    with app.app_context():
        engine = db.engine if storage_uri == database_url else None
    limiter = Limiter(
        lambda: request_budget().budget.owner,
        app=app,
        strategy=STRATEGY,
        storage_uri=f"{SCHEME}:{storage_uri}",
        storage_options={"engine": engine, "note": note},  # type: ignore[dict-item]
        request_identifier=lambda: "request",  # unknown paths, which have no endpoint, count too
    )
    by_budget = limiter.shared_limit(
        lambda: limit_string(request_budget().budget.windows),
        scope="requests",
        cost=lambda: request_budget().cost,
    )
    # Its own hook, before each request, would look for limits that nothing has.
    limiter.request_filter(lambda: not request_budget().cost)
    counters = cast(CounterStorage, limiter.storage).counters
    app.extensions[EXTENSION] = Limits(counters, by_budget(lambda: None))


@functools.lru_cache(maxsize=1_000)
def limit_string(windows: tuple[tuple[int, int], ...]) -> str:
    """Return the windows of a budget as Flask-Limiter reads them: ``50 per 60 second;…``."""
    return ";".join(f"{limit} per {seconds} second" for seconds, limit in windows)


def set_budget(budget: Budget) -> None:
    """Set the budget of the current request."""
    g.spending = RequestBudget(budget)


def request_budget() -> RequestBudget:
    """Return the budget and state of the current request."""
    return cast(RequestBudget, g.spending)


def count_request(cost: int = 1) -> None:
    """Count ``cost`` requests in all windows of the current request's budget, or none.

    A request may be counted before its cost is known, and the rest later.

    Raises:
        flask_limiter.RateLimitExceeded: A window has no room for all of them.
    """
    current = request_budget()
    current.cost, current.counted_state = cost, None
    _limits().count()
    if current.counted_state is None:  # Flask-Limiter only logs a limit that it cannot read
        raise RuntimeError(f"the budget of {current.budget.owner} was not counted")
    current.counted_requests += cost


def count_elsewhere(budget: Budget, cost: int) -> None:
    """Count ``cost`` requests in ``budget``, and nothing in that of the current request.

    Raises:
        flask_limiter.RateLimitExceeded: It has no room for all of them; the response describes it.
    """
    own = request_budget()
    set_budget(budget)
    count_request(cost)
    g.spending = own


def current_state() -> BudgetState:
    """Return the state of the current request's budget without counting."""
    current = request_budget()
    if current.counted_state is None and current.read_state is None:
        current.read_state = limit_counters().read(current.budget)
    return cast(BudgetState, current.counted_state or current.read_state)


def use_fallback_counters() -> None:
    """Do not use the store for the current request: its database has just failed."""
    current = request_budget()
    if current.counted_state is None and current.read_state is None:
        current.read_state = limit_counters().read_fallback(current.budget)


def limit_store_check() -> Callable[[], None]:
    """Return a thread-safe check of the limit store, which raises if the store fails."""
    return limit_counters().check


def limit_counters() -> CountersWithFallback:
    """Return the counters of the current application."""
    return _limits().counters


def _limits() -> Limits:
    return cast(Limits, current_app.extensions[EXTENSION])
