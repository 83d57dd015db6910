"""Delete old usage in small batches, so that others do not wait long."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Engine, Executable, Table, bindparam, delete, exists, select

from app.core.database.engine import read_rows
from app.identity.accounts.models import Account
from app.identity.usage.models import AccountHour, KeyAddress
from app.identity.usage.tally import USAGE_MODELS
from app.timeseries.seconds import DAY_SECONDS

RETENTION_DAYS = 90
# Only hours of at most a week are shown from these; days are in `account_days`.
ACCOUNT_HOUR_RETENTION_DAYS = 8
ADDRESS_BATCH_SIZE = 500
_ADDRESSES: Any = KeyAddress.__table__
_ADDRESS_KEY = list(_ADDRESSES.primary_key.columns)
# Keeps addresses that were seen again since they were read.
_DELETE_ADDRESS = delete(_ADDRESSES).where(
    *(column == bindparam(column.name) for column in (*_ADDRESS_KEY, _ADDRESSES.c.last_seen))
)

MODEL_RETENTION_DAYS = {
    model: ACCOUNT_HOUR_RETENTION_DAYS if model is AccountHour else RETENTION_DAYS
    for model in USAGE_MODELS
    if model is not KeyAddress
}


def sweep_usage(engine: Engine, now: float, is_stopped: Callable[[], bool]) -> None:
    """Delete usage past its retention at ``now``, in epoch seconds; stop early if ``is_stopped``.

    Usage of deleted accounts is deleted, too. Each transaction deletes one hour or day of one
    account. Raise SQLAlchemyError if the database fails; the next sweep continues.
    """
    for model, days in MODEL_RETENTION_DAYS.items():
        table = model.__table__
        after = -1
        account_column, period_column = list(table.primary_key.columns)[:2]
        while not is_stopped() and (rows := read_rows(engine, _oldest_query(table, after))):
            account_id, oldest, is_gone = rows[0]
            if not is_gone and oldest >= now - days * DAY_SECONDS:
                after = account_id
                continue
            is_oldest = (account_column == account_id) & (period_column == oldest)
            with engine.begin() as connection:
                connection.execute(delete(table).where(is_oldest))
    before = int(now) - RETENTION_DAYS * DAY_SECONDS
    while not is_stopped() and (old := read_rows(engine, _old_addresses_query(before))):
        with engine.begin() as connection:
            connection.execute(_DELETE_ADDRESS, [row._asdict() for row in old])


def _oldest_query(table: Table, after: int) -> Executable:
    """Return the statement that finds the oldest row of the next account ``after`` an id.

    It reads one row, by the primary key.
    """
    account_id, period = list(table.primary_key.columns)[:2]
    return (
        select(account_id, period, _is_deleted(account_id).label("is_gone"))
        .where(account_id > after)
        .order_by(account_id, period)
        .limit(1)
    )


def _old_addresses_query(before: int) -> Executable:
    """Return the statement that finds addresses last seen long ago or of deleted accounts."""
    last_seen = _ADDRESSES.c.last_seen
    return (
        select(*_ADDRESS_KEY, last_seen)
        .where((last_seen < before) | _is_deleted(_ADDRESSES.c.account_id))
        .order_by(*_ADDRESS_KEY)
        .limit(ADDRESS_BATCH_SIZE)
    )


def _is_deleted(account_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Return whether the account is deleted: its last calls may be written after the deletion."""
    return ~exists().where(Account.id == account_id).correlate_except(Account)
