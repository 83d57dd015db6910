"""Counters in a SQL database, under the interface of `limits`: exact over processes and nodes.

All windows of a request are one ``INSERT … ON CONFLICT DO UPDATE … RETURNING`` in one transaction,
which is rolled back when any of them is over its limit: taken wholly or not at all. Rows go in
sorted order, so that two requests never wait for each other in a circle. PostgreSQL's own clock
decides when a window ends; SQLite has the clock of its machine.
"""

import itertools
import logging
import time
from typing import Any

from limits.storage import Storage
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Engine,
    Integer,
    String,
    case,
    create_engine,
    delete,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base, engine_options, prepare_engine
from app.limits.budget import Budget, Reading, judge

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
        if engine is None:
            engine = create_engine(uri, **engine_options(uri))
            prepare_engine(engine)
            Base.metadata.tables[RateLimitCounter.__tablename__].create(engine, checkfirst=True)
            engine.dispose()  # processes forked from here must open connections of their own
        self.engine = engine
        self._reader = engine.execution_options(reads_only=True)
        self._insert: Any = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert
        self._takes = itertools.count(1)

    @property
    def base_exceptions(self) -> type[Exception]:
        return SQLAlchemyError

    def _now(self) -> ColumnElement[float]:
        if self.engine.dialect.name == "sqlite":
            return literal(time.time(), Double)
        return func.extract("epoch", func.statement_timestamp()).cast(Double)

    def take(self, budget: Budget) -> Reading:
        """Count a request in all windows of ``budget``, or in none when one is full."""
        with self.engine.connect() as connection:
            connection.begin()  # SQLite's write lock comes first: the clock is read under it
            counted, now = self._count(connection, budget.owner, budget.windows, 1)
            before = {seconds: (used - 1, resets_at) for seconds, (used, resets_at) in counted}
            reading = judge(budget, before, now, taking=True)
            if reading.refused_by is None:
                connection.commit()
            else:
                connection.rollback()
        if next(self._takes) % SWEEP_EVERY == 0:
            self._sweep()
        return reading

    def _count(
        self, connection: Any, owner: str, windows: tuple[tuple[int, int], ...], amount: int
    ) -> tuple[list[tuple[int, tuple[int, float]]], float]:
        now = self._now()
        statement = self._insert(RateLimitCounter).values(
            [
                {"owner": owner, "seconds": seconds, "used": amount, "resets_at": now + seconds}
                for seconds, _limit in windows
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
        ).returning(
            RateLimitCounter.seconds,
            RateLimitCounter.used,
            RateLimitCounter.resets_at,
            now.label("now"),
        )
        rows = connection.execute(statement).all()
        return [(row.seconds, (row.used, row.resets_at)) for row in rows], rows[0].now

    def read(self, budget: Budget) -> Reading:
        """Return the windows of ``budget`` without counting anything."""
        counted, now = self._running(budget.owner)
        return judge(budget, counted, now, taking=False)

    def _running(self, owner: str) -> tuple[dict[int, tuple[int, float]], float]:
        columns = (RateLimitCounter.seconds, RateLimitCounter.used, RateLimitCounter.resets_at)
        now = select(self._now().label("now")).subquery()
        running = now.outerjoin(
            RateLimitCounter,
            (RateLimitCounter.owner == owner) & (RateLimitCounter.resets_at > now.c.now),
        )
        with self._reader.connect() as connection:
            rows = connection.execute(select(now.c.now, *columns).select_from(running)).all()
        counted = {
            row.seconds: (row.used, row.resets_at) for row in rows if row.seconds is not None
        }
        return counted, rows[0].now

    def _sweep(self) -> None:
        """Remove some ended windows, found by index; a failure can wait for the next sweep."""
        ended = (
            select(RateLimitCounter.owner, RateLimitCounter.seconds)
            .where(RateLimitCounter.resets_at < self._now())
            .order_by(RateLimitCounter.resets_at)
            .limit(SWEEP_ROWS)
            .with_for_update(skip_locked=True)
        )
        key = tuple_(RateLimitCounter.owner, RateLimitCounter.seconds)
        try:
            with self.engine.begin() as connection:
                connection.execute(delete(RateLimitCounter).where(key.in_(ended)))
        except SQLAlchemyError:
            logger.warning("ended rate-limit counters could not be removed", exc_info=True)

    # What follows is the plain interface of `limits`, one counter at a time.

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count ``amount`` in the window of ``expiry`` seconds of ``key``; return the count."""
        with self.engine.begin() as connection:
            counted, _now = self._count(connection, key, ((expiry, 0),), amount)
        return counted[0][1][0]

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
            with self._reader.connect() as connection:
                connection.execute(select(1))
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
