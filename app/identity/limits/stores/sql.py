"""Counters in a SQL database: exact across processes and nodes.

One statement, in its own transaction, counts a request in all of its windows or in none; if it is
rejected, a second one reads which window has no room. The statements are in
`app.identity.limits.stores.windows`.
"""

import itertools
import logging
import time
from typing import Any

from sqlalchemy import Engine, delete, select
from sqlalchemy.exc import SQLAlchemyError

from app.core.database import Base
from app.core.database.statements import PreparedStatement
from app.identity.limits.budget import Budget, BudgetState, OwnerCounts, budget_state
from app.identity.limits.stores.windows import (
    RateLimitWindows,
    add_parameters,
    count_parameters,
    release_parameters,
    running_counts,
    statements_for,
)

logger = logging.getLogger(__name__)

SWEEP_EVERY_ACQUISITIONS = 100
_SWEEP_ROWS = 2 * SWEEP_EVERY_ACQUISITIONS  # new rows since the last sweep, owners and mirrors


class SqlCounters:
    """A `CounterStore` in the table ``rate_limit_windows``."""

    def __init__(self, engine: Engine, *, has_table: bool = True) -> None:
        """Use the database of ``engine``; without the table, create it on first use."""
        self.engine = engine
        self._has_table = has_table
        self._statements = statements_for(engine.dialect)
        self._acquisitions = itertools.count(1)

    def acquire(self, budget: Budget, cost: int = 1) -> BudgetState:
        if all(cost <= limit for _seconds, limit in budget.windows):
            statements = self._statements
            count = statements.count if budget.mirror is None else statements.count_with_mirror
            rows = self._run(count, count_parameters(budget, cost))
            if next(self._acquisitions) % SWEEP_EVERY_ACQUISITIONS == 0:
                self._sweep()
            for row in rows:
                if row.owner == budget.owner:
                    return budget_state(
                        budget, running_counts(budget, row, excluded=cost), row.now, cost=cost
                    )
        row = self._read_row(budget.owner)
        state = budget_state(budget, running_counts(budget, row), row.now, cost=cost)
        # Between the two statements the full window may have ended.
        return state if state.rejected_by is not None else self.acquire(budget, cost)

    def read(self, budget: Budget) -> BudgetState:
        row = self._read_row(budget.owner)
        return budget_state(budget, running_counts(budget, row), row.now, cost=0)

    def release(self, budget: Budget, acquired: BudgetState) -> None:
        self._run(self._statements.release, release_parameters(budget, acquired))

    def add(self, spent: OwnerCounts) -> None:
        self._run(self._statements.add, add_parameters(spent))

    def _read_row(self, owner: str) -> Any:
        """Return the row of ``owner``; without one, a row that contains only the time."""
        return self._run(self._statements.read_row, {"owner": owner})[0]

    def _run(self, statement: PreparedStatement, values: dict[str, Any]) -> list[Any]:
        self._create_table()
        return statement.run(self.engine, now=time.time(), **values)

    def _create_table(self) -> None:
        """Create the table on first use: the store may be unavailable when the service starts."""
        if not self._has_table:
            Base.metadata.tables[RateLimitWindows.__tablename__].create(
                self.engine, checkfirst=True
            )
            self._has_table = True

    def _sweep(self) -> None:
        """Delete some expired rows by index; a failure can wait for the next sweep."""
        ended = (
            select(RateLimitWindows.owner)
            .where(RateLimitWindows.last_end < self._statements.now)
            .order_by(RateLimitWindows.last_end)
            .limit(_SWEEP_ROWS)
            .with_for_update(skip_locked=True)
        )
        delete_ended = delete(RateLimitWindows).where(RateLimitWindows.owner.in_(ended))
        try:
            with self.engine.begin() as connection:
                connection.execute(delete_ended, {"now": time.time()})
        except SQLAlchemyError:
            logger.warning("expired rate-limit counters could not be deleted", exc_info=True)
