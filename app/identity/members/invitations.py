"""Invitations: links with which a member chooses a password, once and within a day.

They are used for a member's first password and for resets. A new link invalidates older ones.
"""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.core.database.database_clock import database_time
from app.identity.members.errors import InvalidLinkError
from app.identity.members.models import Invitation, Member
from app.identity.members.sessions import Visitor
from app.identity.members.sign_in import set_password
from app.identity.members.tokens import hash_token, new_token

_LIFETIME = dt.timedelta(hours=24)
_PATH = "/account/invitation"


@dataclass(frozen=True)
class InvitationLink:
    """A member, and the token of the link, which exists nowhere else."""

    member: Member
    token: str

    def link(self, url: str) -> str:
        return f"{url.rstrip('/')}{_PATH}?token={self.token}"


def create_invitation(session: Session, member: Member) -> InvitationLink:
    """Create a link for ``member``; older ones stop working."""
    token = new_token()
    now = database_time(session)
    session.execute(delete(Invitation).where(Invitation.member_id == member.id))
    session.add(
        Invitation(
            token_hash=hash_token(token),
            member_id=member.id,
            created_at=now,
            expires_at=now + _LIFETIME,
        )
    )
    session.flush()
    return InvitationLink(member, token)


def get_invited_member(session: Session, token: str) -> Member:
    """Return the member whom the link with ``token`` invites.

    Raise InvalidLinkError if the link is unknown, used, replaced or too old.
    """
    return _get_invitation(session, token).member


def accept_invitation(session: Session, token: str, password_hash: str, visitor: Visitor) -> str:
    """Use a link: set the member's password, end other sessions, return a new session's token.

    ``password_hash`` is from `passwords.hash_password`, computed before the transaction. Raise
    InvalidLinkError if the link is unknown, used, replaced or too old, SuspendedSignInError if the
    account is suspended.
    """
    invitation = _get_invitation(session, token, for_update=True)
    invitation.used_at = database_time(session)
    return set_password(session, invitation.member, password_hash, visitor, "with a link")


def _get_invitation(session: Session, token: str, *, for_update: bool = False) -> Invitation:
    query = select(Invitation).where(Invitation.token_hash == hash_token(token))
    invitation = session.scalar(query.with_for_update() if for_update else query)
    if (
        invitation is None
        or invitation.used_at is not None
        or invitation.expires_at <= database_time(session)
    ):
        raise InvalidLinkError
    return invitation
