"""Delete old usage, a few rows at a time, so that others do not wait long."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Dialect, Engine, Table, bindparam, delete, exists, select

from app.accounts.models import Account
from app.database.statements import Prepared, once_for_each_kind, transaction
from app.usage.models import (
    AccountDay,
    AccountHour,
    FailureDay,
    KeyAddress,
    KeyDay,
    UsageHour,
)
from app.usage.periods import Interval
from app.usage.tally import Model

DAYS_KEPT = 90
# Only hours of at most a week are shown from these; days are in `account_days`.
ACCOUNT_HOURS_KEPT = 8
ADDRESSES_AT_ONCE = 500

KEPT: dict[Model, int] = {
    UsageHour: DAYS_KEPT,
    AccountHour: ACCOUNT_HOURS_KEPT,
    AccountDay: DAYS_KEPT,
    KeyDay: DAYS_KEPT,
    FailureDay: DAYS_KEPT,
}


def sweep(engine: Engine, now: float, stopped: Callable[[], bool] = lambda: False) -> None:
    """Delete usage past its retention at ``now``, in epoch seconds; return early if ``stopped``.

    Usage of deleted accounts is deleted too.

    Each transaction deletes one hour or day of one account.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The database failed; the next sweep continues.
    """
    day = Interval.DAY.seconds
    for model, days in KEPT.items():
        find, remove = _of_periods(engine.dialect, model)
        account_id = -1
        while not stopped():
            # By the primary key: the next account that has rows at all, and its oldest.
            found = find.run(engine, after=account_id)
            if not found:
                break
            account_id, oldest, is_gone = found[0]
            while oldest is not None and (is_gone or oldest < now - days * day) and not stopped():
                with transaction(engine) as writes:
                    writes.run(remove, account_id=account_id, period=oldest)
                found = find.run(engine, after=account_id - 1)
                oldest = found[0][1] if found and found[0][0] == account_id else None
    find, remove = _of_addresses(engine.dialect)
    names = [*(column.name for column in KeyAddress.__table__.primary_key), "last_seen"]
    while not stopped() and (old := find.run(engine, before=int(now) - DAYS_KEPT * day)):
        with transaction(engine) as writes:
            writes.run_many(remove, [dict(zip(names, row, strict=True)) for row in old])


def _is_gone(account_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Return whether the account is deleted: its last calls may be written after the deletion."""
    return ~exists().where(Account.id == account_id).correlate_except(Account)


@once_for_each_kind
def _of_periods(dialect: Dialect, model: Model) -> tuple[Prepared, Prepared]:
    """Return the statements that find the next account's oldest row and delete its period."""
    table: Table = model.__table__  # type: ignore[assignment]
    account_id, period = list(table.primary_key.columns)[:2]
    find = (
        select(account_id, period, _is_gone(account_id).label("is_gone"))
        .where(account_id > bindparam("after"))
        .order_by(account_id, period)
        .limit(1)
    )
    remove = delete(table).where(
        account_id == bindparam("account_id"), period == bindparam("period")
    )
    return Prepared(find, dialect), Prepared(remove, dialect)


@once_for_each_kind
def _of_addresses(dialect: Dialect) -> tuple[Prepared, Prepared]:
    """Return the statements that find addresses to delete, and delete one.

    These were last seen long ago, or belong to deleted accounts.
    """
    table: Any = KeyAddress.__table__
    key = list(table.primary_key.columns)
    find = (
        select(*key, table.c.last_seen)
        .where((table.c.last_seen < bindparam("before")) | _is_gone(table.c.account_id))
        .order_by(*key)
        .limit(ADDRESSES_AT_ONCE)
    )
    # Not those that have been seen again in the meantime.
    same = [column == bindparam(column.name) for column in (*key, table.c.last_seen)]
    return Prepared(find, dialect), Prepared(delete(table).where(*same), dialect)
