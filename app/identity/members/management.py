"""Invite and remove members, and change their role.

Rejections are errors with a one-sentence message. Every change records an event in the audit trail.
"""

from collections.abc import Sequence

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.core.database.database_clock import database_time
from app.identity.accounts.accounts import NO_KEY_UPDATE_LOCK, lock_account, lock_account_row
from app.identity.accounts.audit import Action, Actor, record_event
from app.identity.accounts.models import Account
from app.identity.members import emails, sessions
from app.identity.members.errors import MemberError, NoSuchMemberError
from app.identity.members.invitations import InvitationLink, create_invitation
from app.identity.members.models import Member, Role


def invite_member(
    session: Session, actor: Actor, account_id: int, email: str, role: Role | None = None
) -> InvitationLink:
    """Create a link to choose a password; the address becomes a member if it is not one.

    An existing member's password and sessions do not change until the link is used. ``role`` is by
    default admin for the first member and viewer for others; an existing member keeps the role.

    Raise AccountError if there is no such account or ``email`` is not an address, MemberError if
    the account would be left without an admin.
    """
    account = lock_account(session, account_id, NO_KEY_UPDATE_LOCK)
    email = emails.validate_email(email)
    member = _find_by_email(session, account, email)
    if member is None:
        default = Role.VIEWER if list_members(session, account.id) else Role.ADMIN
        member = Member(account_id=account.id, email=email, role=role or default)
        member.created_at = database_time(session)
        session.add(member)
        session.flush()
    elif role is not None:
        _change_role(session, actor, member, role)
    invited = create_invitation(session, member)
    record_event(session, actor, Action.MEMBER_INVITED, account, detail=f"{email} as {member.role}")
    return invited


def list_members(session: Session, account_id: int | None = None) -> Sequence[Member]:
    """Return the members of an account (None: of all), ordered by account and address."""
    query = select(Member).join(Member.account).order_by(Account.name, Member.email)
    if account_id is not None:
        query = query.where(Member.account_id == account_id)
    return session.scalars(query).all()


def get_member(session: Session, account: Account, email: str) -> Member:
    """Return the member of ``account`` with this address; raise NoSuchMemberError if none."""
    member = _find_by_email(session, account, emails.normalize_email(email))
    if member is None:
        raise NoSuchMemberError(
            f"account {account.name} has no member with this address; "
            "`forecast-service members list` lists all members"
        )
    return member


def set_role(session: Session, actor: Actor, account_id: int, member_id: int, role: Role) -> Member:
    """Change the role of a member, with effect from the next request.

    Raise NoSuchMemberError if the account has no such member, MemberError if it is the last admin.
    """
    member = _lock_member(session, account_id, member_id)
    _change_role(session, actor, member, role)
    return member


def remove_member(session: Session, actor: Actor, account_id: int, member_id: int) -> Member:
    """Remove a member, with all sessions and links.

    Raise NoSuchMemberError if the account has no such member, MemberError if it is the last admin.
    """
    member = _lock_member(session, account_id, member_id)
    _check_not_last_admin(session, member)
    record_event(session, actor, Action.MEMBER_REMOVED, member.account, detail=member.email)
    session.execute(delete(Member).where(Member.id == member.id))
    return member


def sign_out_everywhere(session: Session, actor: Actor, member_id: int) -> None:
    """End every session of a member; raise NoSuchMemberError if the member has been removed."""
    member = session.get(Member, member_id)
    if member is None:
        raise NoSuchMemberError("this member has been removed and signed out everywhere")
    sessions.end_sessions(session, member_id)
    record_event(session, actor, Action.SIGNED_OUT_EVERYWHERE, member.account)


def _find_by_email(session: Session, account: Account, email: str) -> Member | None:
    query = select(Member).where(Member.account_id == account.id, Member.email == email)
    return session.scalar(query)


def _lock_member(session: Session, account_id: int, member_id: int) -> Member:
    """Return a member, and lock all members of the account."""
    lock_account_row(session.connection(), account_id)
    query = select(Member).where(Member.id == member_id, Member.account_id == account_id)
    member = session.scalar(query)
    if member is None:
        raise NoSuchMemberError("this account has no such member; see the list of members")
    return member


def _change_role(session: Session, actor: Actor, member: Member, role: Role) -> None:
    if member.role == role:
        return
    _check_not_last_admin(session, member)
    detail = f"{member.email} from {member.role} to {role}"
    member.role = role
    session.flush()
    record_event(session, actor, Action.ROLE_CHANGED, member.account, detail=detail)


def _check_not_last_admin(session: Session, member: Member) -> None:
    """Raise if ``member`` is the last admin: nobody could invite another one."""
    if member.role != Role.ADMIN:
        return
    others = select(func.count(Member.id)).where(
        Member.account_id == member.account_id, Member.role == Role.ADMIN, Member.id != member.id
    )
    if member.last_sign_in_at is not None:  # an admin who has never signed in may never do so
        others = others.where(Member.last_sign_in_at.is_not(None))
    if not session.scalar(others):
        raise MemberError(
            f"{member.email} is the last admin of account {member.account.name} who can sign in; "
            "make another member an admin first"
        )
