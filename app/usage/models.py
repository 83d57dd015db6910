"""The tables of usage: numbers of calls, each by what one question about them needs.

A call is that of an endpoint with a valid key. Times are seconds since 1970 in UTC, by the clock of
the node that answered: hours and days are those in which they begin. No table has a foreign key,
so that no count can fail for want of what it counts.
"""

from sqlalchemy import BigInteger, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base

LONGEST_ENDPOINT = 100
LONGEST_FIELD = 100
LONGEST_ADDRESS = 45  # as text, of IPv6


class UsageHour(Base):
    """Calls in an hour by key, endpoint and first digit of the status: what is accounted for."""

    __tablename__ = "usage_hours"
    __table_args__ = ({"sqlite_with_rowid": False},)

    account_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    hour: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    key_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    endpoint: Mapped[str] = mapped_column(String(LONGEST_ENDPOINT), primary_key=True)
    status_class: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)


class AccountHour(Base):
    """Calls in an hour by outcome and by how long they took (`app.usage.latency`)."""

    __tablename__ = "account_hours"
    __table_args__ = ({"sqlite_with_rowid": False},)

    account_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    hour: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    endpoint: Mapped[str] = mapped_column(String(LONGEST_ENDPOINT), primary_key=True)
    status: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    latency_bucket: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)


class AccountDay(Base):
    """The same of a day: 90 days are read as quickly as a week is by the hour."""

    __tablename__ = "account_days"
    __table_args__ = ({"sqlite_with_rowid": False},)

    account_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    day: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    endpoint: Mapped[str] = mapped_column(String(LONGEST_ENDPOINT), primary_key=True)
    status: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    latency_bucket: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)


class KeyDay(Base):
    """Calls of a key in a day, and those of them that were answered with an error."""

    __tablename__ = "key_days"
    __table_args__ = ({"sqlite_with_rowid": False},)

    account_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    day: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    key_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)
    errors: Mapped[int] = mapped_column(BigInteger)


class KeyAddress(Base):
    """An address that called with a key; of IPv6 the network, as limits count it."""

    __tablename__ = "key_addresses"
    __table_args__ = ({"sqlite_with_rowid": False},)

    account_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    key_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    address: Mapped[str] = mapped_column(String(LONGEST_ADDRESS), primary_key=True)
    first_seen: Mapped[int] = mapped_column(BigInteger)
    last_seen: Mapped[int] = mapped_column(BigInteger)
    calls: Mapped[int] = mapped_column(BigInteger)


class FailureDay(Base):
    """Calls in a day that were answered with an error, by what was wrong.

    ``field`` is the path of the first field at fault without indices, "" where none is; it never
    holds a word that a client sent.
    """

    __tablename__ = "failure_days"
    __table_args__ = ({"sqlite_with_rowid": False},)

    account_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    day: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    endpoint: Mapped[str] = mapped_column(String(LONGEST_ENDPOINT), primary_key=True)
    status: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    field: Mapped[str] = mapped_column(String(LONGEST_FIELD), primary_key=True)
    key_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(BigInteger)
