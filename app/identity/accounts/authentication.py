"""Authenticate a key: one statement finds it, checks its state and counts its use.

The statement is an ``UPDATE … RETURNING``: a key that is revoked, expired, suspended or past its
grace period matches no row, so all rejections look the same. A use is committed before the response
is sent, so a killed worker cannot lose it. Expiry follows `app.core.database.database_clock`.
"""

import datetime as dt
import functools
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Dialect, bindparam, or_, select, update

from app.core.api_keys import hash_key, is_well_formed
from app.core.database import aware_datetime, db, utcnow
from app.core.database.database_clock import statement_time
from app.core.database.statements import PreparedStatement, cached_by_dialect
from app.identity.accounts.models import Account, ApiKey
from app.identity.accounts.permissions import Permission, parse_permissions
from app.identity.limits.tiers import Allowance, read_custom_limits


@dataclass(frozen=True)
class KeyHolder:
    """An authenticated caller: the key, its permissions, and the limits of its account.

    ``custom_limits`` are set for an Enterprise account, else None.
    ``grace_ends_at`` is when a rotated key stops working, None for others.
    """

    key_id: int
    prefix: str
    lineage: str
    permissions: frozenset[Permission]
    account_id: int
    account_name: str
    tier: str | None
    custom_limits: Allowance | None
    grace_ends_at: dt.datetime | None


def authenticate(key: str, *, is_counted: bool) -> KeyHolder | None:
    """Return the holder of ``key``, or None if it is not a valid key.

    ``key`` is the string after ``Bearer``. ``is_counted``: whether to update usage_count and
    last_used_at, as for calls of endpoints.
    """
    if not is_well_formed(key):
        return None
    engine = db.engine
    statement = _statement(engine.dialect, is_counted)
    rows = statement.run(engine, presented_hash=hash_key(key), now=utcnow())
    return _key_holder(rows[0]) if rows else None


def _key_holder(row: Any) -> KeyHolder:
    grace, expiry = aware_datetime(row.grace_ends_at), aware_datetime(row.expires_at)
    return KeyHolder(
        key_id=row.id,
        prefix=row.prefix,
        lineage=row.lineage,
        permissions=_permissions(row.permissions),
        account_id=row.account_id,
        account_name=row.account_name,
        tier=row.tier,
        custom_limits=read_custom_limits(row),
        grace_ends_at=min(grace, expiry or grace) if grace else None,
    )


@functools.cache
def _permissions(stored: str) -> frozenset[Permission]:
    return parse_permissions(stored.split(","))


@cached_by_dialect
def _statement(dialect: Dialect, is_counted: bool) -> PreparedStatement:
    accepted = _accepted_now(dialect)
    if not is_counted:
        return PreparedStatement(select(*_holder_columns()).where(accepted), dialect)
    counted = {"usage_count": ApiKey.usage_count + 1, "last_used_at": statement_time(dialect)}
    find_and_count = update(ApiKey).where(accepted).values(counted)
    return PreparedStatement(find_and_count.returning(*_holder_columns()), dialect)


def _holder_columns() -> list[ColumnElement[Any]]:
    keys, accounts = ApiKey.__table__.c, Account.__table__.c
    key_columns = keys["id", "prefix", "lineage", "permissions", "account_id"]
    account_columns = accounts["tier", "per_minute", "per_hour", "per_day"]
    looked_up = [
        select(column)
        .where(Account.id == ApiKey.account_id)
        .correlate(ApiKey)
        .scalar_subquery()
        .label(column.key)
        for column in (accounts.name.label("account_name"), *account_columns)
    ]
    return [*key_columns, keys.grace_ends_at, keys.expires_at, *looked_up]


def _accepted_now(dialect: Dialect) -> ColumnElement[bool]:
    now = statement_time(dialect)
    return (
        (ApiKey.key_hash == bindparam("presented_hash"))
        & ApiKey.revoked_at.is_(None)
        & ApiKey.suspended_at.is_(None)
        & or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now)
        & or_(ApiKey.grace_ends_at.is_(None), ApiKey.grace_ends_at > now)
    )
