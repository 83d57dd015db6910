"""Counters in a SQL database, under the interface of `limits`: exact over processes and nodes.

A request is counted by one statement, a transaction of its own, in all of its windows or in none;
what stands in the way of a refused one is looked up after it. The statements are in
`app.limits.stores.windows`.
"""

import itertools
import logging
import time
from typing import Any

from limits.storage import Storage
from sqlalchemy import Engine, create_engine, delete, select
from sqlalchemy.exc import SQLAlchemyError

from app.database import Base, engine_options, prepare_engine
from app.database.statements import Prepared
from app.limits.budget import UNLIMITED, Budget, Reading, judge
from app.limits.stores.windows import RateLimitWindows, Statements, parameters, running

logger = logging.getLogger(__name__)

SWEEP_EVERY = 100
SWEEP_ROWS = 2 * SWEEP_EVERY  # what may have come since, owners and heirs; few are found by index


class SqlCounters(Storage):
    """Counters in the table ``rate_limit_windows``."""

    STORAGE_SCHEME = [  # noqa: RUF012 - the library's registry reads a plain list
        "sqlite",
        "postgresql",
        "postgresql+psycopg",
    ]

    def __init__(self, uri: str, engine: Engine | None = None, **_options: object) -> None:
        """Use ``engine``, the keys' own; without one, ``uri``'s, whose table is made if missing."""
        super().__init__(uri)
        self._table_is_there = True
        if engine is None:
            engine = create_engine(uri, **engine_options(uri))
            prepare_engine(engine)
            self._table_is_there = False
        self.engine = engine
        self._statements = Statements(engine.dialect)
        self._takes = itertools.count(1)

    @property
    def base_exceptions(self) -> type[Exception]:
        return SQLAlchemyError

    def take(self, budget: Budget) -> Reading:
        """Count a request in all windows of ``budget``, or in none when one is full."""
        statements = self._statements
        count = statements.count if budget.heir is None else statements.count_with_heir
        values = parameters(budget)
        rows = self._run(count, values)
        if next(self._takes) % SWEEP_EVERY == 0:
            self._sweep()
        for row in rows:
            if row.owner == budget.owner:
                return judge(budget, running(budget, row, taken=1), row.now, taking=True)
        row = self._look(budget.owner)
        reading = judge(budget, running(budget, row), row.now, taking=True)
        # Between the two statements the window that was full may have ended.
        return reading if reading.refused_by is not None else self.take(budget)

    def read(self, budget: Budget) -> Reading:
        """Return the windows of ``budget`` without counting anything."""
        row = self._look(budget.owner)
        return judge(budget, running(budget, row), row.now, taking=False)

    def _look(self, owner: str) -> Any:
        """Return the row of ``owner``; it is empty but for the time when the owner has none."""
        return self._run(self._statements.look, {"owner": owner})[0]

    def _run(self, statement: Prepared, values: dict[str, Any]) -> list[Any]:
        self._make_table()
        return statement.run(self.engine, now=time.time(), **values)

    def _make_table(self) -> None:
        """Make the table, on the first use: the store may be away when the service starts."""
        if not self._table_is_there:
            Base.metadata.tables[RateLimitWindows.__tablename__].create(
                self.engine, checkfirst=True
            )
            self._table_is_there = True

    def _sweep(self) -> None:
        """Remove some ended rows, found by index; a failure can wait for the next sweep."""
        ended = (
            select(RateLimitWindows.owner)
            .where(RateLimitWindows.last_end < self._statements.now)
            .order_by(RateLimitWindows.last_end)
            .limit(SWEEP_ROWS)
            .with_for_update(skip_locked=True)
        )
        of_ended = delete(RateLimitWindows).where(RateLimitWindows.owner.in_(ended))
        try:
            with self.engine.begin() as connection:
                connection.execute(of_ended, {"now": time.time()})
        except SQLAlchemyError:
            logger.warning("ended rate-limit counters could not be removed", exc_info=True)

    # What follows is the plain interface of `limits`, one counter at a time.

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count ``amount`` in the window of ``expiry`` seconds of ``key``; return the count."""
        unlimited = Budget(key, ((expiry, UNLIMITED),))
        return int(self._run(self._statements.count, parameters(unlimited, amount))[0].used_1)

    def get(self, key: str) -> int:
        """Return the count of ``key``."""
        row = self._look(key)
        return row.used_1 if row.owner is not None and row.ends_1 > row.now else 0

    def get_expiry(self, key: str) -> float:
        """Return the epoch second at which the count of ``key`` ends."""
        row = self._look(key)
        return float(row.ends_1 if row.owner is not None and row.ends_1 > row.now else row.now)

    def check(self) -> bool:
        """Tell whether the database answers."""
        try:
            self._look("")
        except SQLAlchemyError:
            return False
        return True

    def reset(self) -> int | None:
        """Forget all counters; return how many there were."""
        with self.engine.begin() as connection:
            return connection.execute(delete(RateLimitWindows)).rowcount

    def clear(self, key: str) -> None:
        """Forget the counters of ``key``."""
        with self.engine.begin() as connection:
            connection.execute(delete(RateLimitWindows).where(RateLimitWindows.owner == key))
