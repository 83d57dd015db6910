"""The audit trail: who changed what of accounts, keys and members, when, and from where.

An event is written in the transaction of its change: both are there, or neither. It copies names
and the prefixes of keys instead of pointing at their rows, so it says the same for ever, and never
holds a key or the hash of one.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from sqlalchemy import Index, Integer, String, or_, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.accounts.models import Account, ApiKey
from app.database import Base, UtcDateTime, utcnow

LONGEST_ORIGIN = 100
LONGEST_EMAIL = 254  # RFC 5321 allows no longer path
LONGEST_ADDRESS = 45  # an IPv6 address with an IPv4 one in it


class Action(StrEnum):
    """What can be done to an account, a key or a member; the column holds 20 characters."""

    ACCOUNT_CREATED = "account created"
    ACCOUNT_SUSPENDED = "account suspended"
    ACCOUNT_RESUMED = "account resumed"
    ACCOUNT_DELETED = "account deleted"
    TIER_CHANGED = "tier changed"
    KEY_CREATED = "key created"
    KEY_ROTATED = "key rotated"
    KEY_REVOKED = "key revoked"
    LABEL_CHANGED = "label changed"
    EXPIRY_CHANGED = "expiry changed"
    MEMBER_INVITED = "member invited"
    MEMBER_REMOVED = "member removed"
    ROLE_CHANGED = "role changed"
    PASSWORD_SET = "password set"
    SIGNED_IN = "signed in"
    SIGN_IN_FAILED = "sign-in failed"
    SIGNED_OUT_EVERYWHERE = "all sessions ended"


@dataclass(frozen=True)
class Actor:
    """Who makes a change: an operator, a key or a member. Made by the class methods.

    Attributes:
        os_user: The operator's user on ``host``; empty for a key and a member.
        sudo_user: Who called sudo for it, if anybody.
        host: The machine of the operator's command.
        email: The member's.
        key_id: The id of the key that sent the request.
        prefix: What may be shown of that key.
        address: The caller's address; None where it is unknown or not to be stored.
    """

    os_user: str = ""
    sudo_user: str | None = None
    host: str = ""
    email: str | None = None
    key_id: int | None = None
    prefix: str | None = None
    address: str | None = None

    @classmethod
    def operator(cls, os_user: str, sudo_user: str | None, host: str) -> Self:
        """Return the operator who runs a command on ``host``."""
        return cls(os_user=os_user, sudo_user=sudo_user, host=host)

    @classmethod
    def key(cls, key_id: int, prefix: str, address: str | None) -> Self:
        """Return the key that sends a request from ``address``."""
        return cls(key_id=key_id, prefix=prefix, address=address)

    @classmethod
    def member(cls, email: str, address: str | None) -> Self:
        """Return the member who acts in a browser at ``address``."""
        return cls(email=email, address=address)


class AuditEvent(Base):
    """One change, and the actor who made it; ``by_key_id`` and ``by_prefix`` are a key's."""

    __tablename__ = "audit_events"
    __table_args__ = (Index("ix_audit_events_account_id", "account", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)
    os_user: Mapped[str] = mapped_column(String(LONGEST_ORIGIN))
    sudo_user: Mapped[str | None] = mapped_column(String(LONGEST_ORIGIN))
    host: Mapped[str] = mapped_column(String(LONGEST_ORIGIN))
    member: Mapped[str | None] = mapped_column(String(LONGEST_EMAIL))
    by_key_id: Mapped[int | None] = mapped_column(Integer)
    by_prefix: Mapped[str | None] = mapped_column(String(16))
    address: Mapped[str | None] = mapped_column(String(LONGEST_ADDRESS))
    action: Mapped[str] = mapped_column(String(20))
    account: Mapped[str] = mapped_column(String(100))
    key_id: Mapped[int | None] = mapped_column(Integer)
    prefix: Mapped[str | None] = mapped_column(String(16))
    detail: Mapped[str] = mapped_column(String(500), default="")


ACTOR_COLUMNS = (
    AuditEvent.member,
    AuditEvent.by_prefix,
    AuditEvent.os_user,
    AuditEvent.sudo_user,
)


def record(
    session: Session,
    actor: Actor,
    action: Action,
    account: Account,
    key: ApiKey | None = None,
    detail: str = "",
) -> None:
    """Add an event to the transaction of ``session``.

    Args:
        session: The session that makes the change itself.
        actor: Who makes it.
        action: What is done.
        account: The account that it is done to, or whose key or member it is done to.
        key: The key that it is done to, with its id; None when it is no key.
        detail: What the action alone does not say: at most 500 characters, and never what somebody
            typed, but for the email address of a member and the label of a key.
    """
    event = AuditEvent(
        os_user=_storable(actor.os_user, LONGEST_ORIGIN),
        sudo_user=_storable(actor.sudo_user, LONGEST_ORIGIN) if actor.sudo_user else None,
        host=_storable(actor.host, LONGEST_ORIGIN),
        member=actor.email,
        by_key_id=actor.key_id,
        by_prefix=actor.prefix,
        address=_storable(actor.address, LONGEST_ADDRESS) if actor.address else None,
        action=action,
        account=account.name,
        key_id=key.id if key else None,
        prefix=key.prefix if key else None,
        detail=detail,
    )
    session.add(event)
    session.flush()


def _storable(text: str, longest: int) -> str:
    """Return ``text`` from outside as it can be stored and shown in a terminal."""
    printable = (character if character.isprintable() else "?" for character in text)
    return "".join(printable)[:longest]


def audit_trail(
    session: Session,
    account: Account | None = None,
    *,
    before_id: int | None = None,
    limit: int | None = None,
    action: str | None = None,
    key_id: int | None = None,
    actor: str | None = None,
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
) -> Sequence[AuditEvent]:
    """Return events, the newest last.

    Args:
        session: A session of the database.
        account: Only what was done to this account, and not to one before it of the same name;
            None: to any, deleted ones too.
        before_id: Only events older than this one, for the next page.
        limit: How many at most: the newest of those that fit the rest.
        action: Only this action.
        key_id: Only what was done to this key, or by it.
        actor: Only what was done by the member of this address, the key of this prefix or the
            operator of this name, be it the user's or that of who called sudo.
        since: Only from this moment on, aware.
        until: Only before this moment, aware.
    """
    query = select(AuditEvent).order_by(AuditEvent.id.desc()).limit(limit)
    if account is not None:
        query = query.where(AuditEvent.account == account.name, AuditEvent.at >= account.created_at)
    if before_id is not None:
        query = query.where(AuditEvent.id < before_id)
    if action is not None:
        query = query.where(AuditEvent.action == action)
    if key_id is not None:
        query = query.where((AuditEvent.key_id == key_id) | (AuditEvent.by_key_id == key_id))
    if actor is not None:
        query = query.where(or_(*(column == actor for column in ACTOR_COLUMNS)))
    if since is not None:
        query = query.where(AuditEvent.at >= since)
    if until is not None:
        query = query.where(AuditEvent.at < until)
    return session.scalars(query).all()[::-1]
