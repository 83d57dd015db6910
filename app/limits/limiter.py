"""Setup of Flask-Limiter, and the only place where requests are counted.

By default Flask-Limiter counts in one window after the other, so a request refused by the hourly
limit has already consumed the minute's. Here it sees one limit, and its strategy counts in all
windows of the caller's budget in one step; headers, /verify and the 429 show the same result.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar, cast

from flask import Flask, current_app, g
from flask_limiter import Limiter
from limits import RateLimitItem
from limits.strategies import STRATEGIES, FixedWindowRateLimiter

from app.database import db
from app.limits.budget import Budget, Reading
from app.limits.fallback import CountersWithFallback
from app.limits.stores import open_store

P = ParamSpec("P")
R = TypeVar("R")

EXTENSION = "limit_counters"
STRATEGY = "all-windows-or-none"
SOME_LIMIT = "1/day"  # required by Flask-Limiter; the strategy uses the caller's budget
SOME_STORAGE = "memory://"  # also required, and not used by the strategy


@dataclass
class Spending:
    """The budget of the current request, and its state after or without counting."""

    budget: Budget
    taken: Reading | None = None
    seen: Reading | None = None


class AllWindowsOrNone(FixedWindowRateLimiter):
    """A strategy for Flask-Limiter that counts in all fixed windows or in none."""

    def hit(self, _item: RateLimitItem, *_identifiers: str, cost: int = 1) -> bool:
        """Return whether all windows of the request's budget had room."""
        return spend().refused_by is None


STRATEGIES[STRATEGY] = AllWindowsOrNone


def _current_owner() -> str:
    return spending().budget.owner


limiter = Limiter(key_func=_current_owner, strategy=STRATEGY, storage_uri=SOME_STORAGE)

_one_limit = limiter.shared_limit(SOME_LIMIT, scope="requests")


def init_limits(app: Flask, storage_uri: str, database_url: str) -> None:
    """Bind Flask-Limiter and the store at ``storage_uri`` to ``app``."""
    with app.app_context():
        engine = db.engine if storage_uri == database_url else None
    app.extensions[EXTENSION] = CountersWithFallback(open_store(storage_uri, engine))
    limiter.init_app(app)


@limiter.request_filter
def _not_refused() -> bool:
    """Skip Flask-Limiter's search for limits, a tenth of the request's time, if not refused."""
    taken = spending().taken
    return taken is None or taken.refused_by is None


def limited(view: Callable[P, R]) -> Callable[P, R]:
    """Decorate a view whose requests count against the caller's budget."""
    refusing = _one_limit(view)

    @functools.wraps(view)
    def counted(*args: P.args, **kwargs: P.kwargs) -> R:
        fits = spend().refused_by is None
        return view(*args, **kwargs) if fits else refusing(*args, **kwargs)

    return counted


def set_budget(budget: Budget) -> None:
    """Set the budget of the current request."""
    g.spending = Spending(budget)


def spending() -> Spending:
    """Return the budget and state of the current request."""
    return cast(Spending, g.spending)


def spend() -> Reading:
    """Count the current request once; return the state of its budget."""
    current = spending()
    if current.taken is None:
        current.taken = counters().take(current.budget)
    return current.taken


def current_reading() -> Reading:
    """Return the state of the current request's budget without counting."""
    current = spending()
    if current.taken is None and current.seen is None:
        current.seen = counters().read(current.budget)
    return cast(Reading, current.taken or current.seen)


def leave_store_alone() -> None:
    """Do not use the store for the current request: its database has just failed."""
    current = spending()
    if current.taken is None and current.seen is None:
        current.seen = counters().read_fallback(current.budget)


def store_check() -> Callable[[], None]:
    """Return a thread-safe check of the limit store, which raises if the store fails."""
    return counters().check


def counters() -> CountersWithFallback:
    """Return the counters of the current application."""
    return cast(CountersWithFallback, current_app.extensions[EXTENSION])
