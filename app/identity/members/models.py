"""The tables of members; of passwords, links and session tokens only hashes are stored."""

import datetime as dt
from enum import StrEnum

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.core.database import Base, UtcDateTime
from app.core.record_fields import MAX_ADDRESS_LENGTH, MAX_EMAIL_LENGTH
from app.identity.accounts.models import Account

MAX_USER_AGENT_LENGTH = 200


class Role(StrEnum):
    """What a member may do in the dashboard: change everything, or only look."""

    ADMIN = "admin"
    VIEWER = "viewer"

    @property
    def can_change(self) -> bool:
        return self is Role.ADMIN


class Member(Base):
    """A member of an account, without a password until an invitation is accepted."""

    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("account_id", "email"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    email: Mapped[str] = mapped_column(String(MAX_EMAIL_LENGTH), index=True)
    role: Mapped[str] = mapped_column(String(10))
    password_hash: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    last_sign_in_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)

    account: Mapped[Account] = relationship()


class Invitation(Base):
    """A link to choose a password, valid once and for a day."""

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)

    member: Mapped[Member] = relationship()


class MemberSession(Base):
    """A browser in which a member is signed in."""

    __tablename__ = "sessions"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    last_seen_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    address: Mapped[str | None] = mapped_column(String(MAX_ADDRESS_LENGTH))
    user_agent: Mapped[str] = mapped_column(String(MAX_USER_AGENT_LENGTH))


class SignInFlow(Base):
    """A sign-in at the identity provider that has not returned yet."""

    __tablename__ = "sign_in_flows"

    state_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    nonce: Mapped[str] = mapped_column(String(64))
    code_verifier: Mapped[str] = mapped_column(String(128))
    account: Mapped[str | None] = mapped_column(String(100))
    expires_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, index=True)
