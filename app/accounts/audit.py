"""The audit trail: who changed what of accounts and keys, when, and from which machine.

An event is written in the transaction of its change: both are there, or neither. It copies the
account's name and the key's prefix instead of pointing at their rows, so it says the same for ever,
and never holds a key or the hash of one.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Integer, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.accounts.models import Account, ApiKey
from app.database import Base, UtcDateTime, utcnow

LONGEST_ORIGIN = 100


class Action(StrEnum):
    """What can be done to an account or a key."""

    ACCOUNT_CREATED = "account created"
    TIER_CHANGED = "tier changed"
    KEY_CREATED = "key created"
    KEY_ROTATED = "key rotated"
    KEY_REVOKED = "key revoked"


@dataclass(frozen=True)
class Actor:
    """Who makes a change: ``os_user`` on ``host``; ``sudo_user`` called sudo for it, if any."""

    os_user: str
    sudo_user: str | None
    host: str

    @classmethod
    def member(cls, email: str, address: str | None) -> "Actor":
        """Return the member with ``email``, calling from ``address``."""
        return cls(email, None, address or "")


class AuditEvent(Base):
    """One change, and the actor who made it."""

    __tablename__ = "audit_events"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)
    os_user: Mapped[str] = mapped_column(String(LONGEST_ORIGIN))
    sudo_user: Mapped[str | None] = mapped_column(String(LONGEST_ORIGIN))
    host: Mapped[str] = mapped_column(String(LONGEST_ORIGIN))
    action: Mapped[str] = mapped_column(String(20))
    account: Mapped[str] = mapped_column(String(100))
    key_id: Mapped[int | None] = mapped_column(Integer)
    prefix: Mapped[str | None] = mapped_column(String(16))
    detail: Mapped[str] = mapped_column(String(500), default="")


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
        account: The account that it is done to, or whose key it is done to.
        key: The key that it is done to, with its id; None when it is the account alone.
        detail: What the action alone does not say; never what somebody typed.
    """
    event = AuditEvent(
        os_user=_storable(actor.os_user),
        sudo_user=_storable(actor.sudo_user) if actor.sudo_user else None,
        host=_storable(actor.host),
        action=action,
        account=account.name,
        key_id=key.id if key else None,
        prefix=key.prefix if key else None,
        detail=detail,
    )
    session.add(event)
    session.flush()


def _storable(text: str) -> str:
    """Return ``text`` from outside as it can be stored and shown in a terminal."""
    printable = (character if character.isprintable() else "?" for character in text)
    return "".join(printable)[:LONGEST_ORIGIN]


def audit_trail(session: Session, account: Account | None = None) -> Sequence[AuditEvent]:
    """Return the events of ``account`` (None: of all), the newest last."""
    query = select(AuditEvent).order_by(AuditEvent.id)
    if account is not None:
        query = query.where(AuditEvent.account == account.name)
    return session.scalars(query).all()
