"""Flask-Limiter's set-up, and the one place where a request is counted.

Out of the box Flask-Limiter hits window after window and only then tests, so that a refusal by the
hour has already burnt the minute. Here it sees one limit, and its strategy takes all windows of the
caller's budget from the store in one step; headers, /verify and the 429 read the same outcome.
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
SOME_LIMIT = "1/day"  # Flask-Limiter wants one to check; the strategy goes by the caller's budget
SOME_STORAGE = "memory://"  # and one of these, which the strategy asks nothing


@dataclass
class Spending:
    """What the current request may spend; what became of that, or what was seen without."""

    budget: Budget
    taken: Reading | None = None
    seen: Reading | None = None


class AllWindowsOrNone(FixedWindowRateLimiter):
    """Fixed windows taken together; the strategy behind Flask-Limiter's flow."""

    def hit(self, _item: RateLimitItem, *_identifiers: str, cost: int = 1) -> bool:
        """Return whether the request fitted all windows of its budget."""
        return spend().refused_by is None


STRATEGIES[STRATEGY] = AllWindowsOrNone


def _current_owner() -> str:
    return spending().budget.owner


limiter = Limiter(key_func=_current_owner, strategy=STRATEGY, storage_uri=SOME_STORAGE)

_one_limit = limiter.shared_limit(SOME_LIMIT, scope="requests")


def init_limits(app: Flask, storage_uri: str, database_url: str) -> None:
    """Bind Flask-Limiter to ``app``, and the store that ``storage_uri`` names."""
    with app.app_context():
        engine = db.engine if storage_uri == database_url else None
    app.extensions[EXTENSION] = CountersWithFallback(open_store(storage_uri, engine))
    limiter.init_app(app)


@limiter.request_filter
def _not_refused() -> bool:
    """Spare a request that fits Flask-Limiter's look for its limits, a tenth of all its time."""
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
    """Say whose budget the current request spends."""
    g.spending = Spending(budget)


def spending() -> Spending:
    """Return the spending of the current request."""
    return cast(Spending, g.spending)


def spend() -> Reading:
    """Count the current request, once; return its budget as it then stands."""
    current = spending()
    if current.taken is None:
        current.taken = counters().take(current.budget)
    return current.taken


def current_reading() -> Reading:
    """Return the budget of the current request as it stands, counting nothing."""
    current = spending()
    if current.taken is None and current.seen is None:
        current.seen = counters().read(current.budget)
    return cast(Reading, current.taken or current.seen)


def leave_store_alone() -> None:
    """Answer the current request without the store: its database has just failed."""
    current = spending()
    if current.taken is None and current.seen is None:
        current.seen = counters().read_fallback(current.budget)


def store_check() -> Callable[[], None]:
    """Return what asks the limit store, from any thread, whether it counts; it raises if not."""
    return counters().check


def counters() -> CountersWithFallback:
    """Return the counters of the current application."""
    return cast(CountersWithFallback, current_app.extensions[EXTENSION])
