"""The table of counters and its statements: one row per owner, one statement per request.

The windows of an owner are in one row, so the database can decide from this row whether all of them
have room, and count in all or in none. On PostgreSQL the condition of the upsert checks the newest
version of the row, and the mirror's row is written if it succeeded. SQLite has one writer at a
time, which can read first. Windows end by PostgreSQL's clock, or by the clock of SQLite's machine.
"""

from itertools import zip_longest
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Dialect,
    Double,
    Executable,
    Select,
    String,
    Update,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    true,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql.dml import ReturningInsert

from app.core.database import Base
from app.core.database.statements import PreparedStatement, cached_by_dialect
from app.identity.limits.budget import UNLIMITED, Budget, BudgetState, Count, OwnerCounts

SLOTS = (1, 2, 3)


class RateLimitWindows(Base):
    """The counts of an owner in up to three windows, shortest first.

    A window whose end has passed counts as empty. No window ends after ``last_end``.
    """

    __tablename__ = "rate_limit_windows"

    owner: Mapped[str] = mapped_column(String(100), primary_key=True)
    used_1: Mapped[int] = mapped_column(BigInteger)
    ends_1: Mapped[float] = mapped_column(Double)
    used_2: Mapped[int] = mapped_column(BigInteger)
    ends_2: Mapped[float] = mapped_column(Double)
    used_3: Mapped[int] = mapped_column(BigInteger)
    ends_3: Mapped[float] = mapped_column(Double)
    last_end: Mapped[float] = mapped_column(Double, index=True)


_TABLE = RateLimitWindows.__table__
_USED = [_TABLE.c[f"used_{slot}"] for slot in SLOTS]
_ENDS = [_TABLE.c[f"ends_{slot}"] for slot in SLOTS]


def count_parameters(budget: Budget, cost: int) -> dict[str, Any]:
    """Return the values to count ``cost`` requests; a window that the budget lacks has 0 seconds.

    No limit of the budget may be below ``cost``: a window that starts has room.
    """
    values: dict[str, Any] = {"owner": budget.owner, "mirror": budget.mirror}
    for slot, (seconds, limit) in zip_longest(SLOTS, budget.windows, fillvalue=(0, UNLIMITED)):
        values |= {f"seconds_{slot}": seconds, f"limit_{slot}": limit, f"new_{slot}": cost}
    return values


def add_parameters(spent: OwnerCounts) -> dict[str, Any]:
    """Return the values to add ``spent``; a window that it lacks has 0 seconds."""
    values: dict[str, Any] = {"owner": spent.owner}
    for slot, (_, used, seconds) in zip_longest(SLOTS, spent.windows, fillvalue=(0, 0, 0.0)):
        values |= {f"new_{slot}": used, f"seconds_{slot}": seconds}
    return values


def release_parameters(budget: Budget, acquired: BudgetState) -> dict[str, Any]:
    """Return the values to uncount a request; a window that the budget lacks has the end -1."""
    values: dict[str, Any] = {"owner": budget.owner}
    for slot, window in zip_longest(SLOTS, acquired.windows):
        values[f"end_{slot}"] = window.resets_at if window else -1.0
    return values


def running_counts(budget: Budget, row: Any, excluded: int = 0) -> dict[int, Count]:
    """Return the counts of open windows in ``row``, without ``excluded`` requests."""
    if row.owner is None:
        return {}
    counts = ((row.used_1, row.ends_1), (row.used_2, row.ends_2), (row.used_3, row.ends_3))
    return {
        seconds: (used - excluded, end)
        for (seconds, _limit), (used, end) in zip(budget.windows, counts, strict=False)
        if end > row.now
    }


class LimitStatements:
    """The statements of a request, compiled once for a dialect.

    With one window instead of three, ``count`` is on PostgreSQL::

        INSERT INTO rate_limit_windows (owner, used_1, ends_1, last_end)
        SELECT :owner, :new_1, now + :seconds_1, now + :seconds_1
        ON CONFLICT (owner) DO UPDATE SET
            used_1 = CASE WHEN old.ends_1 > now THEN old.used_1 + new.used_1 ELSE new.used_1 END,
            ends_1 = CASE WHEN old.ends_1 > now THEN old.ends_1 ELSE new.ends_1 END,
            last_end = CASE WHEN old.ends_1 > now THEN old.last_end ELSE new.last_end END
        WHERE old.ends_1 <= now OR old.used_1 + :new_1 <= :limit_1
        RETURNING *, now

    ``count_with_mirror`` inserts the mirror's row in the same way, ``FROM`` the returned one. On
    SQLite the condition is in the ``SELECT``, where both rows are, and the rest is the same::

        SELECT * FROM (SELECT :owner, :new_1, ... UNION ALL SELECT :mirror, :new_1, ...)
        WHERE NOT EXISTS (SELECT 1 FROM rate_limit_windows WHERE owner = :owner
            AND NOT (ends_1 <= :now OR used_1 + :new_1 <= :limit_1))
    """

    def __init__(self, dialect: Dialect) -> None:
        self._is_sqlite = dialect.name == "sqlite"
        self.now: ColumnElement[float] = (
            bindparam("now", type_=Double)
            if self._is_sqlite
            else func.extract("epoch", func.statement_timestamp()).cast(Double)
        )
        count = self._count_by_one_writer if self._is_sqlite else self._count_by_row
        self.count = PreparedStatement(count(has_mirror=False), dialect)
        self.count_with_mirror = PreparedStatement(count(has_mirror=True), dialect)
        self.release = PreparedStatement(self._release(), dialect)
        self.add = PreparedStatement(self._add(), dialect)
        self.read_row = PreparedStatement(self._read_row(), dialect)

    def _count_by_one_writer(self, *, has_mirror: bool) -> Executable:
        """Check whether the owner has room, then count in its row and its mirror's."""
        room = self._room_condition()
        full = select(1).where(_TABLE.c.owner == bindparam("owner"), ~room).exists()
        owners = ("owner", "mirror") if has_mirror else ("owner",)
        rows = [select(*self._new_row(owner)) for owner in owners]
        return self._upsert(sqlite.insert(_TABLE), select(union_all(*rows).subquery()).where(~full))

    def _count_by_row(self, *, has_mirror: bool) -> Executable:
        """Count in the owner's row if that has room; only then in its mirror's."""
        new_row = select(*self._new_row("owner"))
        if not has_mirror:
            return self._upsert(postgresql.insert(_TABLE), new_row, self._room_condition())
        # Owner and mirror swap when an account gets or loses a tier: concurrent requests with the
        # old and the new order would deadlock.
        pair = func.least(bindparam("owner", type_=String), bindparam("mirror", type_=String))
        gate = select(func.pg_advisory_xact_lock(func.hashtextextended(pair, 0)).label("passed"))
        after_gate = new_row.select_from(gate.cte("gate").prefix_with("MATERIALIZED"))
        counted = self._upsert(postgresql.insert(_TABLE), after_gate, self._room_condition()).cte(
            "counted"
        )
        mirror_row = select(*self._new_row("mirror")).select_from(counted)
        mirrored = self._upsert(postgresql.insert(_TABLE), mirror_row).cte("mirrored")
        return select(counted).add_cte(mirrored)

    def _release(self) -> Update:
        """Uncount in the windows whose end is unchanged: a later end is that of a new window."""
        fewer = {
            used.name: case((end == bindparam(f"end_{slot}", type_=Double), used - 1), else_=used)
            for slot, used, end in zip(SLOTS, _USED, _ENDS, strict=True)
        }
        return (
            update(_TABLE).where(_TABLE.c.owner == bindparam("owner", type_=String)).values(fewer)
        )

    def _add(self) -> ReturningInsert[Any]:
        """Add to the owner's row, without checking its limits."""
        insert = sqlite.insert(_TABLE) if self._is_sqlite else postgresql.insert(_TABLE)
        # Without a WHERE, SQLite would parse the ON of ON CONFLICT as a join's.
        return self._upsert(insert, select(*self._new_row("owner")).where(true()))

    def _room_condition(self) -> ColumnElement[bool]:
        """Return whether all windows of a row have room for the new requests."""
        return and_(
            *(
                or_(
                    end <= self.now,
                    used + bindparam(f"new_{slot}", type_=BigInteger)
                    <= bindparam(f"limit_{slot}", type_=BigInteger),
                )
                for slot, used, end in zip(SLOTS, _USED, _ENDS, strict=True)
            )
        )

    def _new_row(self, owner: str) -> list[ColumnElement[Any]]:
        """Return the columns of a new row, of ``owner`` or ``mirror``, whose windows start now."""
        new = [bindparam(f"new_{slot}", type_=BigInteger) for slot in SLOTS]
        used = [amount.label(column.name) for amount, column in zip(new, _USED, strict=True)]
        ends = [self.now + bindparam(f"seconds_{slot}", type_=Double) for slot in SLOTS]
        last = (func.max if self._is_sqlite else func.greatest)(*ends).label("last_end")
        labelled = [end.label(column.name) for end, column in zip(ends, _ENDS, strict=True)]
        return [bindparam(owner, type_=String).label("owner"), *used, *labelled, last]

    def _upsert(
        self,
        insert: postgresql.Insert | sqlite.Insert,
        new_rows: Select[Any],
        condition: ColumnElement[bool] | None = None,
    ) -> ReturningInsert[Any]:
        inserted = insert.from_select([_TABLE.c.owner, *_USED, *_ENDS, _TABLE.c.last_end], new_rows)
        new = inserted.excluded
        changed: dict[str, Any] = {}
        for used, end in zip(_USED, _ENDS, strict=True):
            is_running = end > self.now
            changed[used.name] = case((is_running, used + new[used.name]), else_=new[used.name])
            changed[end.name] = case((is_running, end), else_=new[end.name])
        has_no_new_window = and_(*(or_(end > self.now, new[end.name] <= self.now) for end in _ENDS))
        changed["last_end"] = case((has_no_new_window, _TABLE.c.last_end), else_=new.last_end)
        upsert = inserted.on_conflict_do_update(
            index_elements=[_TABLE.c.owner], set_=changed, where=condition
        )
        return upsert.returning(_TABLE, self.now.label("now"))

    def _read_row(self) -> Executable:
        now = select(self.now.label("now")).subquery()
        is_owner = _TABLE.c.owner == bindparam("owner", type_=String)
        return select(_TABLE, now.c.now).select_from(now.outerjoin(_TABLE, is_owner))


statements_for = cached_by_dialect(LimitStatements)
