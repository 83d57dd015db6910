"""The tables of accounts and keys. A key itself is never stored, only its SHA-256."""

import datetime as dt
import secrets
from collections.abc import Iterable
from enum import StrEnum

from sqlalchemy import BigInteger, Dialect, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column, relationship
from sqlalchemy.types import TypeDecorator

from app.core.database import Base, UtcDateTime, utcnow
from app.core.record_fields import MAX_NAME_LENGTH
from app.identity.accounts.permissions import Permission, parse_permissions, sorted_permissions

DEFAULT_ACCOUNT = "default"
MAX_PREFIX_LENGTH = 16  # of the stored first characters of a key


class KeyState(StrEnum):
    """The state of a key. A rotated key works until its grace period ends.

    A suspended one works again once its account is resumed.
    """

    ACTIVE = "active"
    ROTATED = "rotated"
    SUSPENDED = "suspended"
    EXPIRED = "expired"
    REVOKED = "revoked"


class AccountState(StrEnum):
    ACTIVE = "active"
    SUSPENDED = "suspended"


class PermissionSet(TypeDecorator[frozenset[Permission]]):
    """Permissions, stored as a comma-separated string in display order."""

    impl = String(64)
    cache_ok = True

    def process_bind_param(
        self, value: Iterable[Permission] | None, _dialect: Dialect
    ) -> str | None:
        return None if value is None else ",".join(sorted_permissions(value))

    def process_result_value(
        self, value: str | None, _dialect: Dialect
    ) -> frozenset[Permission] | None:
        return None if value is None else parse_permissions(value.split(","))


class Account(Base):
    """An account with any number of keys, and perhaps a tier whose limits its keys share."""

    __tablename__ = "accounts"
    # Ids are never reused: counts of a deleted account must not become another one's.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH), unique=True)
    tier: Mapped[str | None] = mapped_column(String(20))
    per_minute: Mapped[int | None] = mapped_column(Integer)
    per_hour: Mapped[int | None] = mapped_column(Integer)
    per_day: Mapped[int | None] = mapped_column(Integer)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)
    suspended_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)

    keys: Mapped[list["ApiKey"]] = relationship(back_populates="account")

    @property
    def state(self) -> AccountState:
        return AccountState.ACTIVE if self.suspended_at is None else AccountState.SUSPENDED


class ApiKey(Base):
    """A key: its permissions, account, expiry and usage.

    ``lineage`` is shared by a key and all its successors, which share their limits.
    ``suspended_at`` is copied from the account.
    """

    __tablename__ = "api_keys"
    # Ids are never reused: a deleted key's id must not mean another key.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    successor_id: Mapped[int | None] = mapped_column(ForeignKey("api_keys.id"))
    lineage: Mapped[str] = mapped_column(String(32), default=lambda: secrets.token_hex(8))
    prefix: Mapped[str] = mapped_column(String(MAX_PREFIX_LENGTH))
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    label: Mapped[str] = mapped_column(String(200), default="")
    permissions: Mapped[frozenset[Permission]] = mapped_column(PermissionSet)
    usage_count: Mapped[int] = mapped_column(BigInteger, default=0)
    last_used_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)
    expires_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    grace_ends_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    suspended_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)

    account: Mapped[Account] = relationship(back_populates="keys")

    @property
    def ends_at(self) -> dt.datetime | None:
        """When it expires: at its expiry or the end of its grace period, whichever is first."""
        ends = (self.expires_at, self.grace_ends_at)
        return min((end for end in ends if end is not None), default=None)

    def state(self, now: dt.datetime) -> KeyState:
        if self.revoked_at is not None:
            return KeyState.REVOKED
        if self.ends_at is not None and self.ends_at <= now:
            return KeyState.EXPIRED
        if self.suspended_at is not None:
            return KeyState.SUSPENDED
        return KeyState.ACTIVE if self.grace_ends_at is None else KeyState.ROTATED
