"""Authenticating a key: one statement that finds it, checks its state and counts its use.

The statement is an ``UPDATE … RETURNING``: a key that is revoked, expired or past its grace period
matches no row, so nothing tells one refusal from another, and a use is counted before the answer
leaves, in the same transaction, so no killed worker can lose it.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, bindparam, or_, select, update

from app.accounts.models import Account, ApiKey
from app.accounts.permissions import Permission
from app.accounts.secrets import hash_key, is_well_formed
from app.database import UtcDateTime, db, utcnow


@dataclass(frozen=True)
class KeyHolder:
    """An authenticated caller: the key, what it may do, and what its account says of limits.

    ``custom_limits`` are requests per minute, hour and day of an Enterprise account, else None.
    """

    key_id: int
    lineage: str
    permissions: frozenset[Permission]
    account_id: int
    account_name: str
    tier: str | None
    custom_limits: tuple[int, int, int] | None


def authenticate(key: str, *, count_use: bool) -> KeyHolder | None:
    """Return who holds ``key``, or None when it is no key that is accepted now.

    Args:
        key: The text after ``Bearer``.
        count_use: Whether this is a call of an endpoint, which usage_count and last_used_at note.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The key store cannot be reached.
    """
    if not is_well_formed(key):
        return None
    parameters = {"presented_hash": hash_key(key), "now": utcnow()}
    if count_use:
        with db.engine.begin() as connection:
            row = connection.execute(_COUNT_AND_FIND, parameters).mappings().first()
    else:
        with db.engine.execution_options(reads_only=True).connect() as connection:
            row = connection.execute(_FIND, parameters).mappings().first()
    return None if row is None else _key_holder(row)


def _key_holder(row: Mapping[Any, Any]) -> KeyHolder:
    custom = (row["per_minute"], row["per_hour"], row["per_day"])
    return KeyHolder(
        key_id=row["id"],
        lineage=row["lineage"],
        permissions=row["permissions"],
        account_id=row["account_id"],
        account_name=row["account_name"],
        tier=row["tier"],
        custom_limits=None if None in custom else custom,
    )


def _accepted_now() -> ColumnElement[bool]:
    now: ColumnElement[dt.datetime] = bindparam("now", type_=UtcDateTime)
    return (
        (ApiKey.key_hash == bindparam("presented_hash"))
        & ApiKey.revoked_at.is_(None)
        & or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now)
        & or_(ApiKey.grace_ends_at.is_(None), ApiKey.grace_ends_at > now)
    )


def _holder_columns() -> list[ColumnElement[Any]]:
    own = [ApiKey.id, ApiKey.lineage, ApiKey.permissions, ApiKey.account_id]
    of_account = {
        "account_name": Account.name,
        "tier": Account.tier,
        "per_minute": Account.per_minute,
        "per_hour": Account.per_hour,
        "per_day": Account.per_day,
    }
    looked_up = [
        select(column)
        .where(Account.id == ApiKey.account_id)
        .correlate(ApiKey)
        .scalar_subquery()
        .label(name)
        for name, column in of_account.items()
    ]
    return [*own, *looked_up]  # type: ignore[list-item]


_FIND = select(*_holder_columns()).where(_accepted_now())
_COUNT_AND_FIND = (
    update(ApiKey.__table__)  # type: ignore[arg-type]
    .where(_accepted_now())
    .values(usage_count=ApiKey.usage_count + 1, last_used_at=bindparam("now", type_=UtcDateTime))
    .returning(*_holder_columns())
)
