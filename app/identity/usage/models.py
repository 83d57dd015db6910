"""The tables of usage: numbers of calls, one table for each query.

Only calls of endpoints with a valid key count. Hours and days are identified by their start, in
seconds since the Unix epoch, by the clock of the node that served the call. There are no foreign
keys, so that counting calls of a deleted key does not fail.
"""

from sqlalchemy import BigInteger, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from app.core.database import Base
from app.core.record_fields import MAX_ADDRESS_LENGTH

_MAX_ENDPOINT_LENGTH = 100
_MAX_FIELD_LENGTH = 100


class AccountIdColumn:
    """The first column of the primary keys."""

    __table_args__ = ({"sqlite_with_rowid": False},)

    account_id: Mapped[int] = mapped_column(
        Integer, primary_key=True, autoincrement=False, sort_order=-3
    )


class DayColumn:
    day: Mapped[int] = mapped_column(
        BigInteger, primary_key=True, autoincrement=False, sort_order=-2
    )


class KeyIdColumn:
    key_id: Mapped[int] = mapped_column(
        Integer, primary_key=True, autoincrement=False, sort_order=-1
    )


class OutcomeColumns(AccountIdColumn):
    """Calls by outcome and duration (`app.identity.usage.latency`)."""

    endpoint: Mapped[str] = mapped_column(String(_MAX_ENDPOINT_LENGTH), primary_key=True)
    status: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    latency_bucket: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)


class UsageHour(AccountIdColumn, Base):
    """Calls per hour, key, endpoint and status class, for accounting."""

    __tablename__ = "usage_hours"

    hour: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    key_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    endpoint: Mapped[str] = mapped_column(String(_MAX_ENDPOINT_LENGTH), primary_key=True)
    status_class: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)


class AccountHour(OutcomeColumns, Base):
    """Calls per hour, outcome and duration."""

    __tablename__ = "account_hours"

    hour: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)


class AccountDay(OutcomeColumns, Base):
    """The same per day, so that 90 days are read as fast as a week of hours."""

    __tablename__ = "account_days"

    day: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)


class KeyDay(AccountIdColumn, DayColumn, KeyIdColumn, Base):
    """Calls per key and day, and how many of them got an error."""

    __tablename__ = "key_days"

    calls: Mapped[int] = mapped_column(BigInteger)
    errors: Mapped[int] = mapped_column(BigInteger)


class KeyAddress(AccountIdColumn, KeyIdColumn, Base):
    """An address that called with a key; for IPv6 the network, as for limits."""

    __tablename__ = "key_addresses"

    address: Mapped[str] = mapped_column(String(MAX_ADDRESS_LENGTH), primary_key=True)
    first_seen: Mapped[int] = mapped_column(BigInteger)
    last_seen: Mapped[int] = mapped_column(BigInteger)
    calls: Mapped[int] = mapped_column(BigInteger)


class FailureDay(AccountIdColumn, DayColumn, Base):
    """Failed calls per day and kind of error.

    ``field`` is the path of the first invalid field without indices, "" if there is none; it never
    contains a string sent by a client.
    """

    __tablename__ = "failure_days"

    endpoint: Mapped[str] = mapped_column(String(_MAX_ENDPOINT_LENGTH), primary_key=True)
    status: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    field: Mapped[str] = mapped_column(String(_MAX_FIELD_LENGTH), primary_key=True)
    key_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)
