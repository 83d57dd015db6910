"""Invitations: links that work once within a day, by which a member chooses a password.

The first password of a member and every reset come by one. The newest ends all before it.
"""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.database.clock import database_time
from app.members.errors import UnfitLinkError
from app.members.models import Invitation, Member
from app.members.sign_in import Visitor, set_password
from app.members.tokens import hash_token, new_token

LIFETIME = dt.timedelta(hours=24)
PATH = "/account/invitation"


@dataclass(frozen=True)
class Invited:
    """A member, and the token of the link, which exists nowhere else."""

    member: Member
    token: str

    def link(self, url: str) -> str:
        """Return the link for the service at ``url``."""
        return f"{url.rstrip('/')}{PATH}?token={self.token}"


def open_invitation(session: Session, member: Member) -> Invited:
    """Make a link for ``member``; older ones end."""
    token = new_token()
    now = database_time(session)
    session.execute(delete(Invitation).where(Invitation.member_id == member.id))
    session.add(
        Invitation(
            token_hash=hash_token(token),
            member_id=member.id,
            created_at=now,
            expires_at=now + LIFETIME,
        )
    )
    session.flush()
    return Invited(member, token)


def find_invited(session: Session, token: str, *, to_use: bool = False) -> Member:
    """Return whom the link with ``token`` invites; ``to_use`` makes others wait that use it.

    Raises:
        UnfitLinkError: The link is unknown, used, replaced or too old.
    """
    query = select(Invitation).where(Invitation.token_hash == hash_token(token))
    found = session.scalar(query.with_for_update() if to_use else query)
    if found is None or found.used_at is not None or found.expires_at <= database_time(session):
        raise UnfitLinkError
    if to_use:
        found.used_at = database_time(session)
    return found.member


def accept(session: Session, token: str, password_hash: str, visitor: Visitor) -> str:
    """Use a link: set the member's password, end other sessions, give the token of a new one.

    Args:
        session: The transaction; all of it happens, or nothing.
        token: The link's.
        password_hash: Of `app.members.passwords.hash_password`, made before the transaction.
        visitor: Where the member is.

    Raises:
        UnfitLinkError: The link is unknown, used, replaced or too old.
        SuspendedError: Nobody signs in to this account.
    """
    member = find_invited(session, token, to_use=True)
    return set_password(session, member, password_hash, visitor, "by a link")
