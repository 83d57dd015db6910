"""The base of all models, and times as stored in the database."""

import datetime as dt
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import DateTime, Dialect, MetaData, Table
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

now = dt.datetime.now  # the clock of this process; tests replace it


class Base(DeclarativeBase):
    """Base of all models; the naming convention makes migrations work on both databases."""

    if TYPE_CHECKING:
        __table__: ClassVar[Table]

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class UtcDateTime(TypeDecorator[dt.datetime]):
    """A timezone-aware datetime in UTC; SQLite, which has no time zones, stores it naive."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        value = value.astimezone(dt.UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        moment: dt.datetime = value
        return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment


def aware_datetime(value: dt.datetime | str | None) -> dt.datetime | None:
    """Return a driver's time, timezone-aware; SQLite's is a naive string."""
    if isinstance(value, str):
        return dt.datetime.fromisoformat(value).replace(tzinfo=dt.UTC)
    return value


def utcnow() -> dt.datetime:
    """Return the current time, timezone-aware, in UTC."""
    return now(dt.UTC)


def iso_string(moment: dt.datetime) -> str:
    """Return an aware ``moment`` in UTC in ISO 8601, to the second."""
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
