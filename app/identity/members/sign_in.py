"""Sign-in with a password: the check and the new session.

A wrong address and a wrong password are indistinguishable, also by time: a hash is computed even
if there is no member, and every rejection is sent at the same time after the request.
"""

import logging
import time
from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload

from app.core.database.engine import read_session, write_session
from app.identity.accounts.audit import Action, Actor, record_event
from app.identity.members import passwords, sessions
from app.identity.members.emails import normalize_email
from app.identity.members.errors import MemberError, SuspendedSignInError
from app.identity.members.models import Invitation, Member
from app.identity.members.sessions import Visitor
from app.identity.members.throttle import SignInThrottle

logger = logging.getLogger(__name__)

# Time from a request to its rejection; enough to check a dozen accounts of one address.
REJECTION_SECONDS = 0.4


class WrongPasswordError(MemberError):
    """The address and the password do not match; which one is wrong is not revealed."""

    def __init__(self) -> None:
        super().__init__("this address and password do not match; check both and try again")


def members_with_address(session: Session, email: str, account: str | None) -> list[Member]:
    """Return the members with this address, with their accounts; ``account`` is the name of one."""
    query = select(Member).options(joinedload(Member.account)).order_by(Member.id)
    members = session.scalars(query.where(Member.email == normalize_email(email)))
    return [member for member in members if account is None or member.account.name == account]


def authenticate_members(
    email: str, password: str, account: str | None, throttle: SignInThrottle, visitor: Visitor
) -> Sequence[Member]:
    """Return the members with this address and password, at least one, with their accounts.

    An address may be a member of several accounts, with a different password in each; ``account``
    is the name of one of them, None for all.

    Raise WrongPasswordError if there is none, TooManyFailuresError if too many sign-ins have
    failed; the password was then not checked.
    """
    rejected_at = time.monotonic() + REJECTION_SECONDS
    with read_session() as session:
        candidates = members_with_address(session, email, account)
    # A check counts as a failure until it succeeds: the semaphore bounds how many do at a time.
    with passwords.hash_semaphore:
        throttle.count_attempt()
        matching = [
            member for member in candidates if passwords.is_correct(password, member.password_hash)
        ]
        if not candidates:
            passwords.is_correct(password, None)
        if matching:
            throttle.release()
            return matching
    ids = [member.id for member in candidates]
    logger.warning("sign-in failed", extra={"fields": {"members": ids}})
    if throttle.claim_audit_record():  # outsiders must not be able to fill the audit trail
        _record_failure(candidates, visitor)
    time.sleep(max(0.0, rejected_at - time.monotonic()))
    raise WrongPasswordError


def open_member_session(
    session: Session, member: Member, visitor: Visitor, detail: str, new_hash: str | None = None
) -> str:
    """Open a session for an authenticated member; return its token.

    ``member`` may be from another transaction. ``detail`` says in the audit trail how the member
    signs in. ``new_hash`` is a hash of the same password, if the stored one is outdated.

    Raise SuspendedSignInError if the account is suspended, MemberError if the member has been
    removed or has changed the password in the meantime.
    """
    current = _current_member(session, member)
    current.password_hash = new_hash or current.password_hash
    return _open_session(session, current, visitor, Action.SIGNED_IN, detail)


def set_password(
    session: Session, member: Member, password_hash: str, visitor: Visitor, detail: str
) -> str:
    """Set a member's password, end all links and sessions, open a session; return its token.

    ``password_hash`` is from `passwords.hash_password`, computed before the transaction. The other
    arguments and the errors are as in `open_member_session`.
    """
    current = _current_member(session, member)
    current.password_hash = password_hash
    unused = (Invitation.member_id == current.id) & Invitation.used_at.is_(None)
    session.execute(delete(Invitation).where(unused))
    sessions.end_sessions(session, current.id)
    return _open_session(session, current, visitor, Action.PASSWORD_SET, detail)


def _current_member(session: Session, member: Member) -> Member:
    checked_hash = member.password_hash
    current = session.get(Member, member.id, with_for_update=True, populate_existing=True)
    if current is None or current.password_hash != checked_hash:
        raise MemberError("this member has been changed in the meantime; sign in again")
    if current.account.suspended_at is not None:
        raise SuspendedSignInError
    return current


def _record_failure(members: Sequence[Member], visitor: Visitor) -> None:
    """Record an event for each member, without the input."""
    if not members:
        return
    with write_session() as session:
        for member in members:
            actor = Actor(email=member.email, address=visitor.address)
            record_event(session, actor, Action.SIGN_IN_FAILED, member.account)


def _open_session(
    session: Session, member: Member, visitor: Visitor, action: Action, detail: str
) -> str:
    actor = Actor(email=member.email, address=visitor.address)
    record_event(session, actor, action, member.account, detail=detail)
    return sessions.open_session(session, member, visitor)
