"""Signing in by password: the check, and the session that follows.

A wrong address and a wrong password look the same and take the same time: one hash is computed
where there is no member, and every refusal waits until the same moment.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload

from app.accounts.audit import Action, Actor, record
from app.accounts.transaction import reading, transaction
from app.members import passwords, sessions
from app.members.emails import normalize
from app.members.errors import MemberError, SuspendedError
from app.members.failures import Failures
from app.members.models import Invitation, Member

logger = logging.getLogger(__name__)

REFUSAL_SECONDS = 0.4
"""When a refusal is sent, counted from the request: time for a dozen accounts of one address."""


@dataclass(frozen=True)
class Visitor:
    """Who asks: the address to be stored, if any, the browser, and the session that it has."""

    address: str | None
    user_agent: str
    token: str | None


class WrongPasswordError(MemberError):
    """The address and the password open no account; which of them is wrong is not told."""

    def __init__(self) -> None:
        super().__init__("this address and password do not match; check both and try again")


def members_opened(
    email: str, password: str, account: str | None, failures: Failures, visitor: Visitor
) -> Sequence[Member]:
    """Return the members with this address whose password it is, at least one, with accounts.

    An address may be a member of several accounts, each with a password of its own; ``account``
    is the name of one of them, None for any.

    Raises:
        WrongPasswordError: There is none, as far as who asks may know.
        TooManyFailuresError: Nothing was compared.
    """
    refused_at = time.monotonic() + REFUSAL_SECONDS
    query = select(Member).options(joinedload(Member.account)).order_by(Member.id)
    with reading() as session:
        found = session.scalars(query.where(Member.email == normalize(email))).all()
    wanted = [member for member in found if account is None or member.account.name == account]
    with passwords.turn:  # held until a failure is counted: racing attempts get no more of them
        failures.refuse_if_too_many()
        opened = [one for one in wanted if passwords.is_right(password, one.password_hash)]
        if not wanted:
            passwords.is_right(password, None)
        is_first = not opened and failures.count()
    if opened:
        return opened
    ids = [member.id for member in wanted]
    logger.warning("a sign-in failed", extra={"fields": {"members": ids}})
    if is_first:  # of a minute: nobody outside fills a trail
        _record_failure(wanted, visitor)
    time.sleep(max(0.0, refused_at - time.monotonic()))
    raise WrongPasswordError


def sign_in(
    session: Session, member: Member, visitor: Visitor, detail: str, renewed: str | None = None
) -> str:
    """Open a session for a member who has proved to be it; return its token.

    Args:
        session: The transaction.
        member: As it was when it was checked, perhaps in another transaction.
        visitor: Where the member is.
        detail: How the member signs in, for the audit trail.
        renewed: The hash of the same password by the parameters of today, where it has others.

    Raises:
        SuspendedError: Nobody signs in to this account.
        MemberError: The member has been removed, or has another password, meanwhile.
    """
    current = _current(session, member)
    current.password_hash = renewed or current.password_hash
    actor = Actor.member(current.email, visitor.address)
    record(session, actor, Action.SIGNED_IN, current.account, detail=detail)
    return sessions.open_session(
        session, current, visitor.address, visitor.user_agent, former=visitor.token
    )


def set_password(
    session: Session, member: Member, password_hash: str, visitor: Visitor, detail: str
) -> str:
    """Give a member a password, end all links and sessions, open one; return its token.

    Args:
        session: The transaction.
        member: As it was when it was checked, perhaps in another transaction.
        password_hash: Of `app.members.passwords.hash_password`, made before the transaction.
        visitor: Where the member is.
        detail: What let the member do so, for the audit trail.

    Raises:
        SuspendedError: Nobody signs in to this account.
        MemberError: The member has been removed, or has another password, meanwhile.
    """
    current = _current(session, member)
    current.password_hash = password_hash
    unused = (Invitation.member_id == current.id) & Invitation.used_at.is_(None)
    session.execute(delete(Invitation).where(unused))
    sessions.end_all(session, current.id)
    actor = Actor.member(current.email, visitor.address)
    record(session, actor, Action.PASSWORD_SET, current.account, detail=detail)
    return sessions.open_session(
        session, current, visitor.address, visitor.user_agent, former=visitor.token
    )


def _current(session: Session, member: Member) -> Member:
    known = member.password_hash
    current = session.get(Member, member.id, with_for_update=True, populate_existing=True)
    if current is None or current.password_hash != known:
        raise MemberError("this member has been changed meanwhile; sign in again")
    if current.account.suspended_at is not None:
        raise SuspendedError
    return current


def _record_failure(members: Sequence[Member], visitor: Visitor) -> None:
    """Leave an event in the trails of those who were tried; nothing of what was typed."""
    if not members:
        return
    with transaction() as session:
        for member in members:
            actor = Actor.member(member.email, visitor.address)
            record(session, actor, Action.SIGN_IN_FAILED, member.account)
