"""The audit trail: who changed an account or what it owns (keys, monitors, …), when, from where.

An event is written in the transaction of its change. It copies names and prefixes of keys instead
of referencing rows, so it never changes, and it never contains a key or its hash.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import Connection, Index, Integer, String, or_, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.core.database import Base, UtcDateTime, utcnow
from app.core.record_fields import MAX_ADDRESS_LENGTH, MAX_EMAIL_LENGTH, MAX_NAME_LENGTH
from app.identity.accounts.models import MAX_PREFIX_LENGTH, Account, ApiKey

_MAX_ORIGIN_LENGTH = 100
_MAX_ACTION_LENGTH, _MAX_DETAIL_LENGTH = 20, 500


class Action(StrEnum):
    """Actions on an account or what belongs to it, of at most `_MAX_ACTION_LENGTH` characters."""

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
    MONITOR_CREATED = "monitor created"
    MONITOR_CHANGED = "monitor changed"
    MONITOR_DELETED = "monitor deleted"
    WEBHOOK_CREATED = "webhook created"
    WEBHOOK_CHANGED = "webhook changed"
    WEBHOOK_ROTATED = "webhook rotated"
    WEBHOOK_DELETED = "webhook deleted"
    SOURCE_CREATED = "source created"
    SOURCE_CHANGED = "source changed"
    SOURCE_DELETED = "source deleted"
    QUERY_CREATED = "query created"
    QUERY_CHANGED = "query changed"
    QUERY_DELETED = "query deleted"


@dataclass(frozen=True)
class Actor:
    """The author of a change: an operator, a key or a member.

    Attributes:
        os_user: The operator's user on ``host``; empty for keys and members.
        sudo_user: The user who invoked sudo, if any.
        host: The machine on which the operator ran the command.
        email: The member's email address.
        key_id: The id of the key that sent the request.
        prefix: The first characters of that key.
        address: The caller's address; None if it is unknown or not stored.
        check_rights: Called in the transaction of a change, to raise an error if the author may
            no longer change anything.
    """

    os_user: str = ""
    sudo_user: str | None = None
    host: str = ""
    email: str | None = None
    key_id: int | None = None
    prefix: str | None = None
    address: str | None = None
    check_rights: Callable[[Connection], None] | None = field(default=None, compare=False)


class AuditEvent(Base):
    """A change and its actor; ``by_key_id`` and ``by_prefix`` identify an actor that is a key."""

    __tablename__ = "audit_events"
    __table_args__ = (Index("ix_audit_events_account_id", "account", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)
    os_user: Mapped[str] = mapped_column(String(_MAX_ORIGIN_LENGTH))
    sudo_user: Mapped[str | None] = mapped_column(String(_MAX_ORIGIN_LENGTH))
    host: Mapped[str] = mapped_column(String(_MAX_ORIGIN_LENGTH))
    member: Mapped[str | None] = mapped_column(String(MAX_EMAIL_LENGTH))
    by_key_id: Mapped[int | None] = mapped_column(Integer)
    by_prefix: Mapped[str | None] = mapped_column(String(MAX_PREFIX_LENGTH))
    address: Mapped[str | None] = mapped_column(String(MAX_ADDRESS_LENGTH))
    action: Mapped[str] = mapped_column(String(_MAX_ACTION_LENGTH))
    account: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH))
    key_id: Mapped[int | None] = mapped_column(Integer)
    prefix: Mapped[str | None] = mapped_column(String(MAX_PREFIX_LENGTH))
    detail: Mapped[str] = mapped_column(String(_MAX_DETAIL_LENGTH), default="")


_ACTOR_COLUMNS = (AuditEvent.member, AuditEvent.by_prefix, AuditEvent.os_user, AuditEvent.sudo_user)


def record_event(
    session: Session,
    actor: Actor,
    action: Action,
    account: Account,
    key: ApiKey | None = None,
    detail: str = "",
) -> None:
    """Add an event to the transaction of ``session``, which makes the change itself.

    ``account`` is changed, or owns what is changed, such as ``key``. ``detail`` has at most
    `_MAX_DETAIL_LENGTH` characters; it never has user input, except for the email address of a
    member, the label of a key, and the names of webhooks, monitors, sources and queries.
    """
    event = AuditEvent(
        os_user=_sanitize(actor.os_user, _MAX_ORIGIN_LENGTH),
        sudo_user=_sanitize(actor.sudo_user, _MAX_ORIGIN_LENGTH) if actor.sudo_user else None,
        host=_sanitize(actor.host, _MAX_ORIGIN_LENGTH),
        member=actor.email,
        by_key_id=actor.key_id,
        by_prefix=actor.prefix,
        address=_sanitize(actor.address, MAX_ADDRESS_LENGTH) if actor.address else None,
        action=action,
        account=account.name,
        key_id=key.id if key else None,
        prefix=key.prefix if key else None,
        detail=detail,
    )
    session.add(event)
    session.flush()


def _sanitize(text: str, max_length: int) -> str:
    """Return user input in a form that is safe to store and print."""
    printable = (character if character.isprintable() else "?" for character in text)
    return "".join(printable)[:max_length]


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
    """Return the newest events that match all given arguments, newest first.

    ``account`` excludes events of a deleted account with the same name. ``before_id`` is the oldest
    event of the previous page. ``key_id`` matches changes to the key and by it. ``actor`` is the
    address of a member, the prefix of a key, or an operator's user name, before or after sudo.
    ``since`` is inclusive, ``until`` is not.
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
        query = query.where(or_(*(column == actor for column in _ACTOR_COLUMNS)))
    if since is not None:
        query = query.where(AuditEvent.at >= since)
    if until is not None:
        query = query.where(AuditEvent.at < until)
    return session.scalars(query).all()
