"""What changes of sources and of queries share: quotas."""

from typing import Any

from sqlalchemy import Connection, func, select

from app.identity.accounts.errors import TooManyError


def check_quota(connection: Connection, are_these: Any, error: TooManyError) -> None:
    """Raise ``error`` if there are as many rows as its limit."""
    if connection.scalars(select(func.count()).where(are_these)).one() >= error.limit:
        raise error
