"""Counters in a SQL database, under the interface of `limits`: exact over processes and nodes.

All windows of a request are one ``INSERT … ON CONFLICT DO UPDATE … RETURNING`` in one transaction,
which is rolled back when any of them is over its limit: taken wholly or not at all. Rows go in
sorted order, so that two requests never wait for each other in a circle. PostgreSQL's own clock
decides when a window ends; SQLite has the clock of its machine.
"""

import itertools
import logging
import time
from collections.abc import Sequence
from typing import Any

from limits.storage import Storage
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Dialect,
    Double,
    Engine,
    Executable,
    Integer,
    String,
    bindparam,
    case,
    create_engine,
    delete,
    func,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, mapped_column

from app.database import BEGIN, Base, engine_options, prepare_engine
from app.limits.budget import Budget, Count, Reading, judge
from app.statements import Prepared, despite_stale_connection, driver_connection

logger = logging.getLogger(__name__)

SWEEP_EVERY = 500
SWEEP_ROWS = 1_000


class RateLimitCounter(Base):
    """One running (or ended) window of one owner."""

    __tablename__ = "rate_limit_counters"

    owner: Mapped[str] = mapped_column(String(100), primary_key=True)
    seconds: Mapped[int] = mapped_column(Integer, primary_key=True)
    used: Mapped[int] = mapped_column(BigInteger)
    resets_at: Mapped[float] = mapped_column(Double, index=True)


COLUMNS = (
    RateLimitCounter.owner,
    RateLimitCounter.seconds,
    RateLimitCounter.used,
    RateLimitCounter.resets_at,
)


class _Statements:
    """The two statements of a request, compiled once for a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._counts: dict[int, Prepared] = {}
        self.running = Prepared(self._running(), dialect)

    def now(self) -> ColumnElement[float]:
        """The store's clock: PostgreSQL's own, or the parameter ``now`` for SQLite."""
        if self._dialect.name == "sqlite":
            return bindparam("now", type_=Double)
        return func.extract("epoch", func.statement_timestamp()).cast(Double)

    def count(self, rows: int) -> Prepared:
        """Return the upsert of that many counters; it answers them as they are then."""
        if rows not in self._counts:
            self._counts[rows] = Prepared(self._count(rows), self._dialect)
        return self._counts[rows]

    def _count(self, rows: int) -> Executable:
        now = self.now()
        insert: Any = sqlite.insert if self._dialect.name == "sqlite" else postgresql.insert
        seconds = [bindparam(f"seconds_{index}", type_=Integer) for index in range(rows)]
        statement = insert(RateLimitCounter).values(
            [
                {
                    "owner": bindparam(f"owner_{index}", type_=String),
                    "seconds": window,
                    "used": bindparam("amount", type_=BigInteger),
                    "resets_at": now + window,
                }
                for index, window in enumerate(seconds)
            ]
        )
        ended = RateLimitCounter.resets_at <= now
        new = statement.excluded
        statement = statement.on_conflict_do_update(
            index_elements=["owner", "seconds"],
            set_={
                "used": case((ended, new.used), else_=RateLimitCounter.used + new.used),
                "resets_at": case((ended, new.resets_at), else_=RateLimitCounter.resets_at),
            },
        )
        returning: Executable = statement.returning(*COLUMNS, now.label("now"))
        return returning

    def _running(self) -> Executable:
        now = select(self.now().label("now")).subquery()
        of_owner = RateLimitCounter.owner == bindparam("owner", type_=String)
        running = now.outerjoin(
            RateLimitCounter, of_owner & (RateLimitCounter.resets_at > now.c.now)
        )
        return select(now.c.now, *COLUMNS).select_from(running)


class SqlCounters(Storage):
    """Counters in the table ``rate_limit_counters``."""

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
        self._begin = BEGIN[engine.dialect.name]
        self._statements = _Statements(engine.dialect)
        self._takes = itertools.count(1)

    @property
    def base_exceptions(self) -> type[Exception]:
        return SQLAlchemyError

    def take(self, budget: Budget) -> Reading:
        """Count a request in all windows of ``budget``, or in none when one is full."""
        reading = despite_stale_connection(lambda: self._take(budget))
        if next(self._takes) % SWEEP_EVERY == 0:
            self._sweep()
        return reading

    def _make_table(self) -> None:
        """Make the table, on the first use: the store may be away when the service starts."""
        if not self._table_is_there:
            Base.metadata.tables[RateLimitCounter.__tablename__].create(
                self.engine, checkfirst=True
            )
            self._table_is_there = True

    def _take(self, budget: Budget) -> Reading:
        self._make_table()
        with driver_connection(self.engine) as connection:
            connection.execute(self._begin)  # SQLite's write lock: the clock is read under it
            rows = self._count(connection, budget.counters(), 1)
            before = {(row.owner, row.seconds): (row.used - 1, row.resets_at) for row in rows}
            reading = judge(budget, before, rows[0].now, taking=True)
            if reading.refused_by is None:
                connection.commit()
            else:
                connection.rollback()
        return reading

    def _count(
        self, connection: Any, counters: Sequence[tuple[str, int]], amount: int
    ) -> list[Any]:
        values: dict[str, Any] = {"amount": amount, "now": time.time()}
        for index, (owner, seconds) in enumerate(counters):
            values[f"owner_{index}"] = owner
            values[f"seconds_{index}"] = seconds
        return self._statements.count(len(counters)).run(connection, **values)

    def read(self, budget: Budget) -> Reading:
        """Return the windows of ``budget`` without counting anything."""
        counted, now = self._running(budget.owner)
        return judge(budget, counted, now, taking=False)

    def _running(self, owner: str) -> tuple[dict[tuple[str, int], Count], float]:
        def find() -> list[Any]:
            self._make_table()
            with driver_connection(self.engine) as connection:
                return self._statements.running.run(connection, owner=owner, now=time.time())

        rows = despite_stale_connection(find)
        counted = {
            (owner, row.seconds): (row.used, row.resets_at)
            for row in rows
            if row.seconds is not None
        }
        return counted, rows[0].now

    def _sweep(self) -> None:
        """Remove some ended windows, found by index; a failure can wait for the next sweep."""
        ended = (
            select(RateLimitCounter.owner, RateLimitCounter.seconds)
            .where(RateLimitCounter.resets_at < self._statements.now())
            .order_by(RateLimitCounter.resets_at)
            .limit(SWEEP_ROWS)
            .with_for_update(skip_locked=True)
        )
        key = tuple_(RateLimitCounter.owner, RateLimitCounter.seconds)
        try:
            with self.engine.begin() as connection:
                connection.execute(
                    delete(RateLimitCounter).where(key.in_(ended)), {"now": time.time()}
                )
        except SQLAlchemyError:
            logger.warning("ended rate-limit counters could not be removed", exc_info=True)

    # What follows is the plain interface of `limits`, one counter at a time.

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count ``amount`` in the window of ``expiry`` seconds of ``key``; return the count."""
        with driver_connection(self.engine) as connection:
            used: int = self._count(connection, [(key, expiry)], amount)[0].used
        return used

    def get(self, key: str) -> int:
        """Return the count of ``key``."""
        counted, _now = self._running(key)
        return max((used for used, _resets_at in counted.values()), default=0)

    def get_expiry(self, key: str) -> float:
        """Return the epoch second at which the count of ``key`` ends."""
        counted, now = self._running(key)
        return max((resets_at for _used, resets_at in counted.values()), default=now)

    def check(self) -> bool:
        """Tell whether the database answers."""
        try:
            with driver_connection(self.engine) as connection:
                connection.execute("SELECT 1")
        except SQLAlchemyError:
            return False
        return True

    def reset(self) -> int | None:
        """Forget all counters; return how many there were."""
        with self.engine.begin() as connection:
            return connection.execute(delete(RateLimitCounter)).rowcount

    def clear(self, key: str) -> None:
        """Forget the counters of ``key``."""
        with self.engine.begin() as connection:
            connection.execute(delete(RateLimitCounter).where(RateLimitCounter.owner == key))
