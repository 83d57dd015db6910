"""The columns of a query's state. A change of state writes all of them, so none goes stale."""

import datetime as dt
from typing import Any

from sqlalchemy import Row

from app.core.database import utcnow
from app.timeseries.words import truncate
from app.watching.models.sources import MAX_SOURCE_PROBLEM_LENGTH, QueryState


def state_columns(
    state: QueryState,
    problem: str | None = None,
    failures: int = 0,
    failing_since: dt.datetime | None = None,
) -> dict[str, Any]:
    """Return the columns of a state; for ``FAILING`` see `failing_columns`."""
    return {
        "state": state,
        "problem": problem and truncate(problem, MAX_SOURCE_PROBLEM_LENGTH),
        "failures": failures,
        "failing_since": failing_since,
    }


def failing_columns(query: Row[Any], problem: str) -> dict[str, Any]:
    """Return the columns after one more failure of ``query``, the row before it.

    Its failures are consecutive: another state between two begins anew.
    """
    failures, since = 0, utcnow()
    if query.state == QueryState.FAILING:
        failures, since = query.failures, query.failing_since or since
    return state_columns(QueryState.FAILING, problem, failures + 1, since)
